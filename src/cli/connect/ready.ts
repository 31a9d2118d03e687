import { UserError } from '../../wire/errors.ts'
import type { Secret } from '../../wire/secret.ts'
import { readSetting } from '../../wire/settings.ts'
import type { Finding } from '../doctor/findings.ts'
import { doctorPorts, runChecks } from '../doctor.ts'
import { shellHere } from '../terminal.ts'
import type { ConnectTarget } from './target.ts'

/** Milliseconds between two looks at the default branch. */
const PAUSE = 3000

/** What may pass by itself, once GitHub has answered before. */
const PASSING = new Set(['github_unreachable', 'github_unavailable', 'rate_limited'])

/**
 * Waits until GitHub would start the workflow: the token may, and the default branch has the file.
 *
 * @param tell is told once of each thing that is waited for
 * @throws UserError for what no push would mend
 */
export async function waitUntilReady(
  { repository, workflow, trigger, dispatch, files }: ConnectTarget,
  token: Secret,
  tell: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const nothing = { relayToken: undefined, relay: undefined, deliver: undefined }
  const target = { repository, workflow, trigger, dispatch, token, ...nothing }
  const ports = doctorPorts(readSetting(process.env, 'HOOKLINE_API_URL'), token)
  let told = ''
  for (;;) {
    const findings = await runChecks(target, ports)
    const failures = findings.filter(({ status }) => status === 'failed')
    const isWaiting = told !== ''
    const hopeless = failures.filter(
      ({ check, code }) => check !== 'workflow' && !(isWaiting && PASSING.has(code)),
    )
    if (hopeless.length > 0) throw new UserError(hopeless.map(problemOf))
    const [missing] = failures
    if (!missing) return
    const text = `${missing.message}\n${missing.mend ?? ''}`
    if (text !== told) tell(`waiting: ${text}\n${pushLine(files, workflow)}`)
    told = text
    await ports.sleep(PAUSE)
    if (signal.aborted) return
  }
}

function problemOf({ message, mend }: Finding) {
  return { message, ...(mend !== undefined && { hint: mend }) }
}

function pushLine(files: readonly string[], workflow: string): string {
  const commands = [
    `git add ${files.join(' ')}`,
    `git commit -m 'Start ${workflow} by webhooks'`,
    'git push',
  ]
  return `  ${shellHere().chained(commands)}`
}
