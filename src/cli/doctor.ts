import { Command, Option } from 'commander'
import { http } from '../action/http-client.ts'
import { systemClock } from '../relay/config.ts'
import { baseAddress, RELAY_ADDRESS, readAddress, refuseInsecureAddress } from '../wire/address.ts'
import { UserError } from '../wire/errors.ts'
import { HttpFailure } from '../wire/http.ts'
import { webhookUrl } from '../wire/path.ts'
import { DISPATCH_MODES, type DispatchMode } from '../wire/payload.ts'
import { printable, printableJson } from '../wire/printable.ts'
import type { Secret } from '../wire/secret.ts'
import { readSetting } from '../wire/settings.ts'
import { environmentHelp } from '../wire/settings-help.ts'
import { botFrom } from './bot-here.ts'
import { checkDelivery, checkRelay } from './doctor/delivery.ts'
import {
  type DoctorFinding,
  type DoctorPorts,
  type DoctorTarget,
  failedFinding,
  warningFinding,
} from './doctor/findings.ts'
import { checkBotsHere } from './doctor/polled-bots.ts'
import { checkRepository, noTokenFinding } from './doctor/repository.ts'
import { checkRepositoryWorkflows, type WorkflowsCheck } from './doctor/workflows.ts'
import { originRepository } from './files.ts'
import { type ForgeHere, forgeHere, onlyGitHub } from './forge.ts'
import { chooseToken, trustedForge, warnOfPlainText } from './forge-tokens.ts'
import { githubAt } from './github-client.ts'
import { unreachableHint } from './request-faults.ts'
import { EXIT, print, styled, withProgress } from './terminal.ts'
import { polledHere, triggersHere } from './workflows-here.ts'

interface DoctorOptions {
  readonly repository?: string
  readonly workflow?: string
  readonly trigger: string
  readonly dispatch?: DispatchMode
  readonly relay?: string
  readonly data?: string
  readonly endpoint?: string
  readonly sendTest?: boolean
  readonly timeout: string
  readonly json?: boolean
}

const HELP = `
${environmentHelp(
  'HOOKLINE_GITHUB_TOKEN',
  'HOOKLINE_APP_ID',
  'HOOKLINE_APP_KEY',
  'HOOKLINE_API_URL',
  ['HOOKLINE_RELAY_KEY', 'relay key, for --endpoint and the status of a relay'],
  ['BOT_TOKEN', 'token of a bot that is polled: asks Telegram whether it is valid'],
)}

Without a GitHub token, it checks only bots that the workflows here poll.
Exits with 1 if a check failed. A check that cannot be made from outside is
shown as unknown, and is no failure.

Examples:
  $ hookline doctor --workflow hook
  $ hookline doctor --repository octo/repo --relay https://relay.example.com
  $ hookline doctor --endpoint orders
  $ hookline doctor --workflow hook --send-test`

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('check token, workflows and relay, and print the cure of each fault')
    .option('--repository <owner/name>', 'repository (default: the git remote origin)')
    .option('--workflow <name>', 'check one workflow (default: all that receive webhooks)')
    .option('--trigger <name>', 'trigger of the test event', 'webhook')
    .addOption(
      new Option('--dispatch <mode>', 'dispatch mode of the relay').choices(DISPATCH_MODES),
    )
    .option('--endpoint <name>', 'endpoint of a relay; its workflow is checked')
    .option('--relay <url>', 'address of the relay (with --endpoint: the relay on this machine)')
    .option('--data <folder>', 'folder of the relay on this machine, with its address and key')
    .option('--send-test', 'send a test event, and wait for its run')
    .option('--timeout <seconds>', 'longest wait for that run', '60')
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(examine)
}

async function examine(options: DoctorOptions, command: Command): Promise<void> {
  const { endpoint: named, sendTest } = options
  if (sendTest && options.workflow === undefined && named === undefined) {
    command.error('error: --send-test needs --workflow or --endpoint, which receives the event')
  }
  if (named !== undefined && (options.workflow ?? options.dispatch) !== undefined) {
    command.error('error: --endpoint cannot be combined with --workflow or --dispatch')
  }
  const forge = trustedForge(onlyGitHub(await forgeHere(), 'doctor'))
  const managed = await readManaged(options)
  const { chosen } = chooseToken(forge, 'start')
  if (chosen) warnOfPlainText(forge)
  const given = readTarget({ ...options, ...managed.options }, chosen?.token)
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
  print(options.json ? printableJson(JSON.stringify({ ok, findings })) : lines.join('\n'))
  if (!ok) process.exitCode = EXIT.failure
}

/** The part of the checks that needs the relay's key. */
interface Managed {
  readonly options: Partial<DoctorOptions>
  readonly target: Pick<DoctorTarget, 'endpointUrl'>
  readonly findings: readonly DoctorFinding[]
}

/**
 * Reads the endpoint and the status of the relay.
 *
 * @throws UserError if the endpoint is named, and cannot be read
 */
async function readManaged(options: DoctorOptions): Promise<Managed> {
  const { endpoint: name, relay, sendTest } = options
  if (name === undefined && relay === undefined) return { options: {}, target: {}, findings: [] }
  const { findRelay } = await import('./find-relay.ts')
  const { checkStatus, readCheckedEndpoint } = await import('./doctor/endpoint-checks.ts')
  const client = await findRelay(options).catch((error: unknown) => {
    // Without a key, the public part of the relay is checked.
    if (name === undefined && error instanceof UserError) return undefined
    throw error
  })
  // A GitHub token is not sent to a relay that may not accept tokens.
  if (!client || (name === undefined && client.access.isToken)) {
    return { options: {}, target: {}, findings: [] }
  }
  if (name === undefined) {
    const found = await checkStatus(client).catch((error: unknown) => {
      // The public checks say why the relay does not respond.
      if (error instanceof UserError) return []
      throw error
    })
    return { options: {}, target: {}, findings: found }
  }
  const endpoint = await readCheckedEndpoint(client, name, options.repository)
  if (sendTest && endpoint.isVerified) {
    throw new UserError({
      message: `the endpoint ${name} verifies signatures, so doctor cannot send a test event`,
      hint: `Send a signed event: hookline send --endpoint ${name} --sender <name> --wait`,
    })
  }
  const { repository, workflow, trigger, dispatch } = endpoint.target ?? {}
  return {
    options: {
      relay: client.address,
      ...(repository !== undefined && { repository }),
      ...(workflow !== undefined && { workflow }),
      ...(trigger !== undefined && { trigger }),
      ...(dispatch !== undefined && { dispatch }),
    },
    target: { endpointUrl: endpoint.url },
    findings: [endpoint.finding, ...(await checkStatus(client))],
  }
}

/** @throws UserError naming the option that is wrong */
function readTarget(options: DoctorOptions, token: Secret | undefined): DoctorTarget {
  const { workflow, trigger, sendTest, timeout } = options
  const repository = options.repository ?? originRepository()
  const address =
    options.relay === undefined ? undefined : readAddress(options.relay, RELAY_ADDRESS)
  // The test event carries the token, unless an endpoint has one.
  if (address && token && sendTest && !options.endpoint) refuseInsecureAddress(address, '--relay')
  const relay = address && baseAddress(address)
  if (repository === '') {
    throw new UserError({
      message: 'there is no git remote "origin" that names the repository',
      hint: 'Run the command in a clone, or add: --repository <owner>/<name>',
    })
  }
  // Throws for a part that no webhook URL can contain.
  webhookUrl({
    relay: relay ?? 'http://localhost',
    repository,
    workflow: workflow ?? 'any',
    trigger,
  })
  if (sendTest && !/^\d{1,4}$/.test(timeout)) {
    throw new UserError({
      message: `--timeout is not a number of seconds: ${timeout}`,
      hint: 'Use up to four digits: --timeout 60',
    })
  }
  return {
    repository,
    workflow: workflow?.replace(/\.ya?ml$/, ''),
    trigger,
    token,
    dispatch: options.dispatch,
    relayToken: token,
    relay,
    testEventTimeout: sendTest ? Number(timeout) : undefined,
  }
}

/** Adds the findings about the App of the environment, and its token if there is no other token. */
async function withApp(target: DoctorTarget, apiUrl: URL): Promise<DoctorTarget> {
  const id = readSetting(process.env, 'HOOKLINE_APP_ID')
  const pem = readSetting(process.env, 'HOOKLINE_APP_KEY')?.reveal()
  if (id === undefined || pem === undefined) return target
  // Imported here, because most users have no App.
  const { checkApp } = await import('./doctor/app-checks.ts')
  const { repository, dispatch = 'repository' } = target
  const check = checkApp({
    id,
    pem,
    repository,
    dispatch,
    apiUrl,
  })
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
  const relay = target.relay === undefined ? undefined : await checkRelay(target.relay, ports)
  const known = { ...target, dispatch: target.dispatch ?? relay?.dispatch }
  const { findings, file } = await checkGitHub(known, ports)
  const found = [...findings, ...(relay?.findings ?? []), ...otherDispatch(target, relay?.dispatch)]
  const hasFailed = found.some(({ status }) => status === 'failed')
  if (target.testEventTimeout === undefined || hasFailed) return found
  return [...found, await checkDelivery(known, file, ports)]
}

/** A flag sets the mode of the checks only; token URLs use the relay's mode, unless an endpoint names one. */
function otherDispatch(
  { dispatch, endpointUrl }: DoctorTarget,
  ofRelay: DispatchMode | undefined,
): readonly DoctorFinding[] {
  // An endpoint has a mode of its own.
  if (endpointUrl !== undefined) return []
  if (dispatch === undefined || ofRelay === undefined || dispatch === ofRelay) return []
  const message = `the relay uses the dispatch mode ${ofRelay}, but you asked for ${dispatch}`
  const hint = `Create the endpoint with --dispatch ${dispatch}.`
  return [warningFinding('relay', 'relay_other_dispatch', message, hint)]
}

async function checkGitHub(target: DoctorTarget, ports: DoctorPorts): Promise<WorkflowsCheck> {
  const { app = [] } = target
  if (!target.token) return { findings: app.length > 0 ? app : await withoutToken(target, ports) }
  try {
    const answer = await ports.askGitHub(`/repos/${target.repository}`)
    const { findings, known } = checkRepository(target, answer, ports)
    if (!known) return { findings: [...app, ...findings] }
    const workflows = await checkRepositoryWorkflows(target, known, ports)
    const startsNothing = workflows.onlyPolls && isWithoutRelay(target)
    // The permissions of an App's token were checked before.
    const others = findings.filter(
      ({ check, code }) =>
        (app.length === 0 || check !== 'token') && !(startsNothing && STARTING.has(code)),
    )
    return { ...workflows, findings: [...app, ...others, ...workflows.findings] }
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    const hint = unreachableHint(error, 'Check the network and HOOKLINE_API_URL.')
    return {
      findings: [failedFinding('token', 'github_unreachable', `GitHub: ${error.message}`, hint)],
    }
  }
}

/** Findings about the permission to start workflows, which a bot that polls does not need. */
const STARTING = new Set([
  'token_permission_unknown',
  'token_scope_missing',
  'token_cannot_write',
  'token_ends_soon',
])

function isWithoutRelay({ relay, testEventTimeout }: DoctorTarget): boolean {
  return relay === undefined && testEventTimeout === undefined
}

/** The bots that the workflows of this folder poll; all other checks need a token. */
async function withoutToken(
  target: DoctorTarget,
  ports: DoctorPorts,
): Promise<readonly DoctorFinding[]> {
  const { workflow, repository } = target
  const isWanted = (name: string) => workflow === undefined || name === workflow
  const isHere = repository.toLowerCase() === originRepository().toLowerCase()
  // Without the environment, because a wrong BOT_TOKEN would be a mistake of the file.
  const polled = isHere ? polledHere({}) : []
  const bots = new Set(polled.map((path) => path.split('/')[0] ?? '').filter(isWanted))
  const receives = triggersHere().some((found) => isWanted(found.workflow))
  if (bots.size === 0) return [noTokenFinding(target, ports.forge)]
  const findings = await checkBotsHere([...bots], ports)
  return receives || !isWithoutRelay(target)
    ? [noTokenFinding(target, ports.forge), ...findings]
    : findings
}

const TIMEOUT = 15_000

/** Calls GitHub, the relay and the Bot API over HTTP. */
export function doctorPorts(forge: ForgeHere, token: Secret | undefined): DoctorPorts {
  return {
    ...systemClock,
    forge,
    askGitHub: githubAt(forge.apiUrl, token),
    botHere() {
      const { BOT_TOKEN: own } = process.env
      return own ? botFrom(process.env, own) : undefined
    },
    callRelay(url, post) {
      const call = { url, timeout: TIMEOUT }
      const reply = post
        ? http({
            ...call,
            method: 'POST',
            headers: {
              'content-type': 'application/json',
              ...(post.token && { 'x-platform-authorization': post.token.reveal() }),
            },
            body: post.json,
          })
        : http({ ...call, method: 'GET' })
      return withProgress('calling the relay', reply)
    },
  }
}
