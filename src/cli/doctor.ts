import { Command } from 'commander'
import { http } from '../action/http-client.ts'
import { systemClock } from '../relay/config.ts'
import { baseAddress, RELAY_ADDRESS, readAddress } from '../wire/address.ts'
import { UserError } from '../wire/errors.ts'
import { HttpFailure } from '../wire/http.ts'
import { webhookUrl } from '../wire/path.ts'
import { printable } from '../wire/printable.ts'
import type { Secret } from '../wire/secret.ts'
import { readSetting } from '../wire/settings.ts'
import { environmentHelp } from '../wire/settings-help.ts'
import {
  type DoctorFinding,
  type DoctorPorts,
  type DoctorTarget,
  failedFinding,
} from './doctor/findings.ts'
import { checkRelay, checkStatus, readCheckedEndpoint } from './doctor/relay-checks.ts'
import { checkRepository, noTokenFinding } from './doctor/repository.ts'
import { checkRepositoryWorkflows } from './doctor/workflows.ts'
import { findRelay } from './find-relay.ts'
import { repositoryHere } from './flag-values.ts'
import { type ForgeHere, forgeHere, onlyGitHub } from './forge.ts'
import { chooseToken, trustedForge, warnOfPlainText } from './forge-tokens.ts'
import { githubAt } from './github-client.ts'
import { unreachableHint } from './request-faults.ts'
import { EXIT, print, printJson, styled, withProgress } from './terminal.ts'

interface DoctorOptions {
  readonly repository?: string
  readonly workflow?: string
  readonly relay?: string
  readonly endpoint?: string
  readonly json?: boolean
}

const HELP = `
${environmentHelp(
  'HOOKLINE_GITHUB_TOKEN',
  'HOOKLINE_APP_ID',
  'HOOKLINE_APP_KEY',
  'HOOKLINE_API_URL',
  ['HOOKLINE_RELAY_KEY', 'relay key, for --endpoint and the status of a relay'],
)}

Exits with 1 if a check failed. A check that cannot be made from outside is
shown as unknown, and is no failure.

Examples:
  $ hookline doctor --workflow hook
  $ hookline doctor --repository octo/repo --relay https://relay.example.com
  $ hookline doctor --endpoint orders`

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check token, workflows and relay, and print the cure of each fault')
    .option('--repository <owner/name>', 'repository (default: the git remote origin)')
    .option('--workflow <name>', 'check one workflow (default: all that receive webhooks)')
    .option('--endpoint <name>', 'endpoint of a relay; its workflow is checked')
    .option('--relay <url>', 'address of the relay (with --endpoint: the relay on this machine)')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(examine)
}

async function examine(options: DoctorOptions, command: Command): Promise<void> {
  if (options.endpoint !== undefined && options.workflow !== undefined) {
    command.error('error: --endpoint cannot be combined with --workflow')
  }
  const forge = trustedForge(onlyGitHub(await forgeHere(), 'doctor'))
  const managed = await readManaged(options)
  const { chosen } = chooseToken(forge, 'start')
  if (chosen) warnOfPlainText(forge)
  const given = { ...readTarget({ ...options, ...managed.target }), token: chosen?.token }
  const target = await withApp({ ...given, ...managed.target }, forge.apiUrl)
  const checked = await runChecks(target, doctorPorts(forge, target.token))
  const findings = [...managed.findings, ...checked]
  const ok = findings.every(({ status }) => status !== 'failed')
  const column = Math.max(10, ...findings.map(({ check }) => check.length))
  const lines = findings.flatMap(({ check, status, message, hint }) => {
    const [colour, mark] = MARKS[status]
    const marked = styled(process.stdout, colour, mark)
    const line = `${marked}  ${check.padEnd(column)}  ${printable(message)}`
    return hint === undefined ? [line] : [line, `${' '.repeat(column + 11)}${printable(hint)}`]
  })
  if (options.json) printJson({ ok, findings })
  else print(lines.join('\n'))
  if (!ok) process.exitCode = EXIT.failure
}

/** The part of the checks that needs the relay's key. */
interface Managed {
  readonly target: Partial<DoctorTarget>
  readonly findings: readonly DoctorFinding[]
}

/**
 * Reads the endpoint and the status of the relay.
 *
 * @throws UserError if the endpoint is named, and cannot be read
 */
async function readManaged({ endpoint: name, relay, repository }: DoctorOptions): Promise<Managed> {
  if (name !== undefined) {
    const client = await findRelay({ relay })
    const { target, finding } = await readCheckedEndpoint(client, name, repository)
    return {
      target: { ...target, relay: client.address },
      findings: [finding, ...(await checkStatus(client))],
    }
  }
  if (relay === undefined) return { target: {}, findings: [] }
  try {
    const client = await findRelay({ relay })
    // A GitHub token is not sent to a relay that may not accept tokens.
    return { target: {}, findings: client.access.isToken ? [] : await checkStatus(client) }
  } catch (error) {
    // Without a key, the public part is checked, which says too why a relay does not respond.
    if (error instanceof UserError) return { target: {}, findings: [] }
    throw error
  }
}

/** @throws UserError naming the option that is wrong */
function readTarget(
  options: Partial<DoctorTarget>,
): Pick<DoctorTarget, 'repository' | 'workflow' | 'relay'> {
  const { workflow } = options
  const repository = options.repository ?? repositoryHere()
  const relay =
    options.relay === undefined ? undefined : baseAddress(readAddress(options.relay, RELAY_ADDRESS))
  // Throws for a part that no webhook URL can contain.
  webhookUrl({
    relay: relay ?? 'http://localhost',
    repository,
    workflow: workflow ?? 'any',
    trigger: 'webhook',
  })
  return { repository, workflow: workflow?.replace(/\.ya?ml$/, ''), relay }
}

/** Adds the findings about the App of the environment, and its token if there is no other token. */
async function withApp(target: DoctorTarget, apiUrl: URL): Promise<DoctorTarget> {
  const id = readSetting(process.env, 'HOOKLINE_APP_ID')
  const pem = readSetting(process.env, 'HOOKLINE_APP_KEY')?.reveal()
  if (id === undefined || pem === undefined) return target
  // Imported here, because most users have no App.
  const { checkApp } = await import('./doctor/app-checks.ts')
  const { repository, dispatch = 'repository' } = target
  const check = checkApp({ id, pem, repository, dispatch, apiUrl })
  const { findings, token } = await withProgress('asking GitHub', check)
  return { ...target, app: findings, token: target.token ?? token }
}

const MARKS = {
  ok: ['green', 'ok     '],
  warning: ['yellow', 'warning'],
  failed: ['red', 'failed '],
  unknown: ['yellow', 'unknown'],
} as const

/** Checks everything between a sender and a run, in the order in which an event passes it. */
export async function runChecks(
  target: DoctorTarget,
  ports: DoctorPorts,
): Promise<readonly DoctorFinding[]> {
  const relay = target.relay === undefined ? [] : [await checkRelay(target.relay, ports)]
  return [...(await checkGitHub(target, ports)).findings, ...relay]
}

/** The part of the checks that GitHub answers, with the default branch if GitHub names it. */
export async function checkGitHub(
  target: DoctorTarget,
  ports: DoctorPorts,
): Promise<{ readonly findings: readonly DoctorFinding[]; readonly branch?: string | undefined }> {
  const { app = [] } = target
  if (!target.token) {
    return { findings: app.length > 0 ? app : [noTokenFinding(target, ports.forge)] }
  }
  try {
    const answer = await ports.askGitHub(`/repos/${target.repository}`)
    const { findings, branch } = checkRepository(target, answer, ports)
    if (branch === undefined) return { findings: [...app, ...findings] }
    const workflows = await checkRepositoryWorkflows(target, branch, ports)
    const startsNothing = workflows.onlyPolls && target.relay === undefined
    // The permissions of an App's token were checked before.
    const others = findings.filter(
      ({ check, code }) =>
        (app.length === 0 || check !== 'token') && !(startsNothing && STARTING.has(code)),
    )
    return { findings: [...app, ...others, ...workflows.findings], branch }
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    const hint = unreachableHint(error, 'Check the network and HOOKLINE_API_URL.')
    const message = `GitHub: ${error.message}`
    return { findings: [failedFinding('token', 'github_unreachable', message, hint)] }
  }
}

/** Findings about the permission to start workflows, which a bot that polls does not need. */
const STARTING = new Set([
  'token_permission_unknown',
  'token_scope_missing',
  'token_cannot_write',
  'token_ends_soon',
])

const TIMEOUT = 15_000

/** Calls GitHub, the relay and the Bot API over HTTP. */
export function doctorPorts(forge: ForgeHere, token: Secret | undefined): DoctorPorts {
  return {
    ...systemClock,
    forge,
    askGitHub: githubAt(forge.apiUrl, token),
    callRelay(url) {
      return withProgress('calling the relay', http({ method: 'GET', url, timeout: TIMEOUT }))
    },
  }
}
