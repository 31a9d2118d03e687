import type { Sender } from '../../triggers/sender.ts'
import { readOrUndefined, type Source } from '../../wire/errors.ts'
import { readSource } from '../files.ts'
import type { ForgeHere } from '../forge.ts'
import { equalizeCommand } from '../publish.ts'
import { declaredWorkflow, hasInlineTriggers, type PublishedWorkflow } from '../target/published.ts'
import { type ConnectTarget, senderOf } from './connect-target.ts'
import { type Ready, type Requirement, workflowRows } from './requirements.ts'

/**
 * The workflow that GitHub runs, and the rest of the list of requirements. Verification and filter are those of
 * the default branch; a warning says if its files differ from those of this folder.
 *
 * @param published `undefined` if the files of the default branch are not known
 */
export function agreedWorkflow(
  { target: local, forge }: Ready,
  published: PublishedWorkflow | undefined,
  named: Sender | undefined,
) {
  const files = published?.files ?? local.files.map((file) => readSource(process.cwd(), file))
  const different = published?.files.filter((source) => !isSameHere(source)) ?? []
  const absent = published ? absentSources(local, published) : []
  const isDifferent = different.length + absent.length > 0
  const declared = published && declaredWorkflow(local.workflow, published.files, process.env)
  const found = declared?.triggers.find(({ trigger }) => trigger === local.trigger)
  // The action may read its triggers from other files, which are not downloaded.
  const otherwise = isDifferent ? { signatures: [], filter: undefined } : {}
  const dispatch = declared?.modes[0] ?? local.dispatch
  const target = { ...local, ...(found ?? otherwise), dispatch }
  return {
    target,
    sender: named ?? senderOf(target.signatures),
    rows: [
      ...(published ? differenceRows(target, published, different, absent) : uncomparedRows(forge)),
      ...workflowRows({ target, named, forge, isPublished: found !== undefined }),
    ],
    texts: files.map(({ text }) => text),
  }
}

/** The sources of this folder that the action would read, and that the default branch does not have. */
function absentSources({ file: own, files }: ConnectTarget, published: PublishedWorkflow) {
  const [native] = published.files
  if (native && hasInlineTriggers(native)) return []
  const names = published.files.map(({ file }) => file)
  return files.filter((file) => file !== own && !names.includes(file))
}

function isSameHere({ file, text }: Source): boolean {
  return readOrUndefined(() => readSource(process.cwd(), file))?.text === text
}

function differenceRows(
  target: ConnectTarget,
  { branch }: PublishedWorkflow,
  different: readonly Source[],
  absent: readonly string[],
): Requirement[] {
  const names = different.map(({ file }) => file).join(' and ')
  const verb = different.length === 1 ? 'differs' : 'differ'
  const found = [
    ...(names ? [`${names} on the default branch ${branch} ${verb} from this folder`] : []),
    ...absent.map((file) => `${file} is not on the default branch ${branch}`),
  ]
  if (found.length === 0) return []
  const text = `workflow: ${found.join('; ')}, and GitHub runs that branch. To make them equal:\n${equalizeCommand(target, branch)}`
  return [{ state: 'warning', text }]
}

/** The note about another forge says the same. */
function uncomparedRows({ kind }: ForgeHere): Requirement[] {
  if (kind !== 'github') return []
  const text =
    'workflow: not compared with the default branch, because the token may not read it. To compare: a token with "Contents: Read"'
  return [{ state: 'warning', text }]
}
