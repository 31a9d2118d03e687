import { UserError } from '../../wire/errors.ts'
import type { Secret } from '../../wire/secret.ts'
import type { DoctorFinding } from '../doctor/findings.ts'
import { doctorPorts, runChecks } from '../doctor.ts'
import type { ForgeHere } from '../forge.ts'
import type { ConnectTarget } from './connect-target.ts'
import { pushCommand } from './requirements.ts'

/** Milliseconds between two checks of the default branch. */
const PAUSE = 3000

/** Failures that pass by themselves, once GitHub has responded before. */
const TEMPORARY = new Set(['github_unreachable', 'github_unavailable', 'rate_limited'])

/**
 * Waits until GitHub would start the workflow: the token has the permission, and the default branch has
 * the file.
 *
 * @param note is called once for each thing that is waited for
 * @throws UserError for a problem that no push would fix
 */
export async function waitUntilReady(
  { repository, workflow, trigger, dispatch, files }: ConnectTarget,
  { token, forge }: { readonly token: Secret; readonly forge: ForgeHere },
  note: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const nothing = { relayToken: undefined, relay: undefined, testEventTimeout: undefined }
  const target = { repository, workflow, trigger, dispatch, token, ...nothing }
  if (forge.kind !== 'github') {
    note(
      `not checked, because ${forge.host} is not GitHub: whether the token may start ${workflow}`,
    )
    return
  }
  const ports = doctorPorts(forge.apiUrl, token)
  let noted = ''
  for (;;) {
    const findings = await runChecks(target, ports)
    const failures = findings.filter(({ status }) => status === 'failed')
    const isWaiting = noted !== ''
    const lasting = failures.filter(
      ({ check, code }) => check !== 'workflow' && !(isWaiting && TEMPORARY.has(code)),
    )
    if (lasting.length > 0) throw new UserError(lasting.map(problemOf))
    const [missing] = failures
    if (!missing) return
    const text = `${missing.message}\n${missing.hint ?? ''}`
    if (text !== noted) note(`waiting: ${text}\n  ${pushCommand(files, workflow)}`)
    noted = text
    await ports.sleep(PAUSE)
    if (signal.aborted) return
  }
}

function problemOf({ message, hint }: DoctorFinding) {
  return { message, ...(hint !== undefined && { hint }) }
}
