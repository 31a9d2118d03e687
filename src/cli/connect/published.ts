import { mayUseAction, readNativeWorkflow } from '../../compiler/native.ts'
import type { FoundTrigger } from '../../engine/all-workflows.ts'
import type { Sender } from '../../triggers/sender.ts'
import { type Source, UserError } from '../../wire/errors.ts'
import { fieldsOf, type GitHubResponse } from '../../wire/github-api.ts'
import { NATIVE_FOLDER, readSource } from '../files.ts'
import type { ForgeHere } from '../forge.ts'
import type { Asked, AskGitHub } from '../github-client.ts'
import { triggersIn } from '../workflows-here.ts'
import { type ConnectTarget, senderOf } from './connect-target.ts'
import { equalizeCommand, type Ready, type Requirement, workflowRows } from './requirements.ts'

/** A workflow of the default branch, which GitHub runs, whatever the branch of this folder is. */
export interface PublishedWorkflow {
  readonly branch: string
  /** The native file, and its source if the action reads the triggers there. */
  readonly files: readonly Source[]
}

const SOURCE_FOLDER = 'workflows'

/** @throws HttpFailure if GitHub is unreachable; UserError if GitHub is unavailable */
export async function defaultBranch(
  repository: string,
  ask: AskGitHub,
): Promise<string | undefined> {
  const answer = readable(await ask(`/repos/${repository}`))
  const branch = answer && answer !== 'missing' ? fieldsOf(answer).default_branch : undefined
  return typeof branch === 'string' ? branch : undefined
}

/**
 * A response with the content that was asked for.
 *
 * @returns `undefined` if the token may not read it
 * @throws UserError for every other refusal, because it says nothing about the content
 */
function readable({ answer, refusal }: Asked): GitHubResponse | 'missing' | undefined {
  if (!refusal) return answer
  if (refusal.kind === 'missing') return 'missing'
  if (refusal.kind === 'forbidden') return undefined
  throw new UserError({
    message: `the workflow of the default branch cannot be read: unexpected response from the GitHub API (status ${answer.status})`,
    hint: 'Run connect again later. See https://www.githubstatus.com.',
  })
}

/**
 * Downloads a workflow of the default branch.
 *
 * @returns `undefined` if the token may not read it
 * @throws HttpFailure if GitHub is unreachable; UserError if GitHub is unavailable
 */
export async function readPublished(
  { repository, workflow, file }: ConnectTarget,
  ask: AskGitHub,
): Promise<PublishedWorkflow | undefined> {
  const branch = await defaultBranch(repository, ask)
  if (branch === undefined) return undefined
  const download = async (paths: readonly string[]): Promise<Source | undefined> => {
    for (const path of paths) {
      const place = path.split('/').map(encodeURIComponent).join('/')
      const ref = encodeURIComponent(branch)
      const asked = await ask(`/repos/${repository}/contents/${place}?ref=${ref}`, { raw: true })
      const answer = readable(asked)
      if (!answer) return undefined
      if (answer !== 'missing') return { name: path, file: path, text: unixText(answer.text) }
    }
    return undefined
  }
  const native = await download([file, ...namesOf(NATIVE_FOLDER, workflow)])
  if (!native) return undefined
  const source = hasInlineTriggers(native)
    ? undefined
    : await download(namesOf(SOURCE_FOLDER, workflow))
  return { branch, files: source ? [native, source] : [native] }
}

function namesOf(folder: string, workflow: string): string[] {
  return ['yml', 'yaml'].map((end) => `${folder}/${workflow}.${end}`)
}

/** The form in which `readSource` reads the files of this folder. */
function unixText(text: string): string {
  return text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
}

function hasInlineTriggers(source: Source): boolean {
  if (!mayUseAction(source.text)) return false
  const native = readNativeWorkflow(source.name, source)
  return native?.uses.some(({ on = '' }) => on.trim() !== '') ?? false
}

/** The workflow that GitHub runs, as `connect` presents it. */
export interface Agreed extends Pick<Ready, 'target' | 'conditions'> {
  readonly sender: Sender | undefined
  /** The rest of the list of requirements. */
  readonly rows: readonly Requirement[]
  readonly texts: readonly string[]
}

/**
 * Takes verification and filter from the default branch, and warns if its files differ from those of this
 * folder.
 *
 * @param published `undefined` if the files of the default branch are not known
 */
export function agreedWorkflow(
  { target, conditions: local, forge }: Ready,
  published: PublishedWorkflow | undefined,
  named: Sender | undefined,
): Agreed {
  const files = published?.files ?? target.files.map((file) => readSource(process.cwd(), file))
  const different = published?.files.filter((source) => !isSameHere(source)) ?? []
  const absent = published ? absentSources(target, published) : []
  const isDifferent = different.length + absent.length > 0
  const found = published && declaredIn(published, local)
  // The action may read its triggers from other files, which are not downloaded.
  const otherwise = isDifferent ? { ...local, signatures: [], filter: undefined } : local
  const conditions = found ?? otherwise
  const sender = named ?? senderOf(conditions.signatures)
  const { repository } = target
  const isPublished = found !== undefined
  return {
    target: { ...target, ...conditions },
    conditions,
    sender,
    rows: [
      ...(published
        ? differenceRows(target, published, { different, absent })
        : uncomparedRows(forge)),
      ...workflowRows({ conditions, named, forge, repository, isPublished }),
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
  try {
    return readSource(process.cwd(), file).text === text
  } catch (error) {
    if (error instanceof UserError) return false
    throw error
  }
}

/** The trigger as the files declare it. */
function declaredIn(
  { files }: PublishedWorkflow,
  { workflow, trigger }: FoundTrigger,
): FoundTrigger | undefined {
  const declared = triggersIn(workflow, files, process.env)
  return declared.find((each) => each.trigger === trigger)
}

interface Differences {
  readonly different: readonly Source[]
  /** Files of this folder that are not on the default branch. */
  readonly absent: readonly string[]
}

function differenceRows(
  target: ConnectTarget,
  { branch }: PublishedWorkflow,
  { different, absent }: Differences,
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
