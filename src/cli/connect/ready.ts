import { UserError } from '../../wire/errors.ts'
import type { Secret } from '../../wire/secret.ts'
import type { DoctorFinding, DoctorPorts } from '../doctor/findings.ts'
import { checkGitHub, doctorPorts } from '../doctor.ts'
import type { ForgeHere } from '../forge.ts'
import { indented } from '../init/kinds.ts'
import { arePublished, commitAndPush, pushCommand } from '../publish.ts'
import { unreachableGitHub } from '../request-faults.ts'
import { type PublishedWorkflow, readPublished } from '../target/published.ts'
import type { ConnectTarget } from './connect-target.ts'

/** Milliseconds between two checks of the default branch. */
const PAUSE = 3000

/** Failures that pass by themselves, once GitHub has responded before. */
const TEMPORARY = new Set(['github_unreachable', 'github_unavailable', 'rate_limited'])

/**
 * Waits until GitHub would start the workflow: the token has the permission, and the default branch has
 * the file.
 *
 * @param note is called once for each thing that is waited for
 * @returns the workflow of the default branch; `undefined` if it cannot be read
 * @throws UserError for a problem that no push would fix
 */
export async function waitUntilReady(
  wanted: ConnectTarget,
  { token, forge }: { readonly token: Secret; readonly forge: ForgeHere },
  note: (text: string) => void,
  signal: AbortSignal,
): Promise<PublishedWorkflow | undefined> {
  const { repository, workflow, dispatch } = wanted
  const target = { repository, workflow, dispatch, token, relay: undefined }
  if (forge.kind !== 'github') {
    note(
      `not checked, because ${forge.host} is not GitHub: whether the token may start ${workflow}, and whether the default branch has the file of this folder`,
    )
    return undefined
  }
  const ports = doctorPorts(forge, token)
  let noted = ''
  for (;;) {
    const { findings, branch } = await checkGitHub(target, ports)
    const failures = findings.filter(({ status }) => status === 'failed')
    const isWaiting = noted !== ''
    const lasting = failures.filter(
      ({ check, code }) => check !== 'workflow' && !(isWaiting && TEMPORARY.has(code)),
    )
    if (lasting.length > 0) {
      throw new UserError(
        lasting.map(({ message, hint = '' }) => ({ message, ...(hint && { hint }) })),
      )
    }
    const [missing] = failures
    if (!missing) return readAgain(wanted, ports)
    const { message, hint } = missing
    const text = [message, ...(hint === undefined ? [] : [hint])].join('\n')
    if (text !== noted) {
      const commands = commandsFor(missing, wanted, branch)
      note(`waiting: ${[text, ...commands].join('\n')}`)
    }
    noted = text
    await ports.sleep(PAUSE)
    if (signal.aborted) return undefined
  }
}

/** The commands of git that are missing, indented. */
function commandsFor(
  { code }: DoctorFinding,
  target: ConnectTarget,
  branch: string | undefined,
): string[] {
  if (code === 'workflow_disabled') return []
  // A push of the same file again would change nothing.
  const isSame = code !== 'workflow_missing' && arePublished(target.files, branch)
  const lines = isSame
    ? `# Correct the file, then:\n${commitAndPush(target, branch)}`
    : pushCommand(target, branch)
  return [indented(lines, 2)]
}

/** Milliseconds. */
const PATIENCE = { budget: 60_000, retryTime: 30_000, pause: { first: 1000, longest: 5000 } }

/** Reads the workflow, because the checks return findings only. @throws UserError if GitHub is unavailable */
async function readAgain(
  target: ConnectTarget,
  { askGitHub }: Pick<DoctorPorts, 'askGitHub'>,
): Promise<PublishedWorkflow | undefined> {
  try {
    const result = await readPublished(target, (path, options) =>
      askGitHub(path, { ...options, patience: PATIENCE }),
    )
    return 'found' in result ? result.found : undefined
  } catch (error) {
    throw unreachableGitHub(error)
  }
}
