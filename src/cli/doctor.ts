import { Command, Option } from 'commander'
import { http } from '../action/http.ts'
import { systemClock } from '../relay/config.ts'
import { baseOf, RELAY_ADDRESS, readAddress } from '../wire/address.ts'
import { UserError } from '../wire/errors.ts'
import { HttpFailure } from '../wire/http.ts'
import { webhookUrl } from '../wire/path.ts'
import { DISPATCH_MODES, type DispatchMode } from '../wire/payload.ts'
import { printable, printableJson } from '../wire/printable.ts'
import { Secret } from '../wire/secret.ts'
import { readSetting } from '../wire/settings.ts'
import { environmentHelp } from '../wire/settings-help.ts'
import { checkDelivery, checkRelay } from './doctor/delivery.ts'
import { type DoctorPorts, type Finding, failed, type Target, warning } from './doctor/findings.ts'
import { judgeRepository, noToken } from './doctor/repository.ts'
import { checkWorkflows, type WorkflowsCheck } from './doctor/workflows.ts'
import { originRepository } from './files.ts'
import { githubAt } from './github.ts'
import { unreachableHint } from './http.ts'
import { EXIT, print, styled, withProgress } from './terminal.ts'

interface DoctorOptions {
  readonly repository?: string
  readonly workflow?: string
  readonly trigger: string
  readonly dispatch?: DispatchMode
  readonly relay?: string
  readonly deliver?: boolean
  readonly wait: string
  readonly json?: boolean
}

const HELP = `
${environmentHelp(
  'HOOKLINE_GITHUB_TOKEN',
  'HOOKLINE_APP_ID',
  'HOOKLINE_APP_KEY',
  ['HOOKLINE_SIGNING_KEYS', 'keys that sign grants: --deliver sends one to the relay'],
  ['HOOKLINE_ACCESS_KEYS', 'of a relay that holds the token itself: the first one is sent to it'],
  'HOOKLINE_DISPATCH',
  ['HOOKLINE_SCHEDULE', 'of a relay: whether what it starts is there, and can be started'],
  'HOOKLINE_API_URL',
)}

It exits with 1 when something failed. What cannot be told from outside is shown, and is not a failure.

Examples:
  $ hookline doctor --workflow hook
  $ hookline doctor --repository octo/repo --relay https://relay.example.com
  $ hookline doctor --workflow hook --relay https://relay.example.com --deliver`

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('find what is missing between a sender and a run, and how to mend it')
    .option('--repository <owner/name>', 'by default the git remote origin')
    .option('--workflow <name>', 'one workflow; without it all that listen')
    .option('--trigger <name>', 'trigger that --deliver addresses', 'webhook')
    .addOption(
      new Option('--dispatch <mode>', 'what the relay starts workflows by').choices(DISPATCH_MODES),
    )
    .option('--relay <url>', 'address of the relay')
    .option('--deliver', 'send a real event, and wait for the run that it starts')
    .option('--wait <seconds>', 'how long to wait for that run', '60')
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(examine)
}

async function examine(options: DoctorOptions, command: Command): Promise<void> {
  if (options.deliver && options.workflow === undefined) {
    command.error('error: --deliver needs --workflow, the one that the event is for')
  }
  const target = await withTimers(await withApp(await withGrant(readTarget(options))))
  const findings = await runChecks(
    target,
    doctorPorts(readSetting(process.env, 'HOOKLINE_API_URL'), target.token),
  )
  const ok = findings.every(({ status }) => status !== 'failed')
  const column = Math.max(10, ...findings.map(({ check }) => check.length))
  const lines = findings.flatMap(({ check, status, message, mend }) => {
    const [colour, mark] = MARKS[status]
    const marked = styled(process.stdout, colour, mark)
    const line = `${marked}  ${check.padEnd(column)}  ${printable(message)}`
    return mend === undefined ? [line] : [line, `${' '.repeat(column + 11)}${printable(mend)}`]
  })
  print(options.json ? printableJson(JSON.stringify({ ok, findings })) : lines.join('\n'))
  if (!ok) process.exitCode = EXIT.failure
}

/** @throws UserError naming the option that is wrong */
function readTarget(options: DoctorOptions): Target {
  const { workflow, trigger, deliver, wait } = options
  const repository = options.repository ?? originRepository()
  const relay = options.relay && baseOf(readAddress(options.relay, RELAY_ADDRESS))
  if (repository === '') {
    throw new UserError({ message: 'which repository?', hint: 'give --repository owner/name' })
  }
  // Whatever part cannot stand in a webhook URL is refused here.
  webhookUrl({
    relay: relay ?? 'http://localhost',
    repository,
    workflow: workflow ?? 'any',
    trigger,
  })
  if (deliver && !/^\d{1,4}$/.test(wait)) {
    throw new UserError({ message: '--wait is not a number of seconds', hint: 'the default is 60' })
  }
  const token = readSetting(process.env, 'HOOKLINE_GITHUB_TOKEN')
  const [key] = readSetting(process.env, 'HOOKLINE_ACCESS_KEYS') ?? []
  return {
    repository,
    workflow: workflow?.replace(/\.ya?ml$/, ''),
    trigger,
    token,
    dispatch: options.dispatch ?? readSetting(process.env, 'HOOKLINE_DISPATCH'),
    relayToken: key ?? token,
    relay,
    deliver: deliver ? Number(wait) : undefined,
  }
}

/** With what the environment's App makes of it, and its token where there is no other. */
async function withApp(target: Target): Promise<Target> {
  const id = readSetting(process.env, 'HOOKLINE_APP_ID')
  const pem = readSetting(process.env, 'HOOKLINE_APP_KEY')?.reveal()
  if (id === undefined || pem === undefined) return target
  // Loaded only here: most who ask have no App.
  const { checkApp } = await import('./doctor/app.ts')
  const { repository, dispatch = 'repository' } = target
  const check = checkApp({
    id,
    pem,
    repository,
    dispatch,
    apiUrl: readSetting(process.env, 'HOOKLINE_API_URL'),
  })
  const { findings, token } = await withProgress('asking GitHub', check)
  return { ...target, app: findings, token: target.token ?? token }
}

/** With the timers that a relay has for the repository. @throws UsageError for a line that cannot be read */
async function withTimers(target: Target): Promise<Target> {
  const text = readSetting(process.env, 'HOOKLINE_SCHEDULE')
  if (text === undefined) return target
  const [{ readTimers }, { timersFor }] = await Promise.all([
    import('../relay/clock.ts'),
    import('./doctor/clock.ts'),
  ])
  return { ...target, timers: timersFor(target.repository, readTimers(text)) }
}

/** With a grant for the relay, where the keys that sign one are at hand. */
async function withGrant(target: Target): Promise<Target> {
  const { repository, workflow, trigger, relay, deliver } = target
  const keys = readSetting(process.env, 'HOOKLINE_SIGNING_KEYS')
  if (!keys || deliver === undefined || relay === undefined) return target
  const { makeGrant } = await import('./grant.ts')
  const path = `${workflow}/${trigger}`
  const { text } = await makeGrant(
    { repository, path, expires: '1h' },
    { HOOKLINE_SIGNING_KEYS: keys },
  )
  return { ...target, relayToken: new Secret(text) }
}

const MARKS = {
  ok: ['green', 'ok     '],
  warning: ['yellow', 'warning'],
  failed: ['red', 'failed '],
  unknown: ['yellow', 'unknown'],
} as const

/** Looks at everything between a sender and a run, in the order in which an event passes it. */
export async function runChecks(target: Target, ports: DoctorPorts): Promise<readonly Finding[]> {
  const relay = target.relay === undefined ? undefined : await checkRelay(target.relay, ports)
  const known = { ...target, dispatch: target.dispatch ?? relay?.dispatch }
  const { findings, file } = await checkGitHub(known, ports)
  const found = [...findings, ...(relay?.findings ?? []), ...otherDispatch(target, relay?.dispatch)]
  const hasFailed = found.some(({ status }) => status === 'failed')
  if (target.deliver === undefined || hasFailed) return found
  return [...found, await checkDelivery(known, file, ports)]
}

/** Who named an event looks at workflows by it; the relay goes by its own, unless a credential says it. */
function otherDispatch(
  { dispatch }: Target,
  ofRelay: DispatchMode | undefined,
): readonly Finding[] {
  if (dispatch === undefined || ofRelay === undefined || dispatch === ofRelay) return []
  const message = `the relay starts workflows by ${ofRelay}, and you asked for ${dispatch}`
  const mend = `set HOOKLINE_DISPATCH=${dispatch} where it runs, or give senders a grant or sealed token with --dispatch ${dispatch}`
  return [warning('relay', 'relay_other_event', message, mend)]
}

async function checkGitHub(target: Target, ports: DoctorPorts): Promise<WorkflowsCheck> {
  const { app = [] } = target
  if (!target.token) return { findings: app.length > 0 ? app : [noToken(target.dispatch)] }
  try {
    const answer = await ports.askGitHub(`/repos/${target.repository}`)
    const { findings, known } = judgeRepository(target, answer, ports.now())
    if (!known) return { findings: [...app, ...findings] }
    // What an App's token may do is known already.
    const others = findings.filter(({ check }) => app.length === 0 || check !== 'token')
    const workflows = await checkWorkflows(target, known, ports)
    return { ...workflows, findings: [...app, ...others, ...workflows.findings] }
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    const mend = unreachableHint(error, 'check the network and HOOKLINE_API_URL')
    return { findings: [failed('token', 'github_unreachable', `GitHub: ${error.message}`, mend)] }
  }
}

const TIMEOUT = 15_000

/** GitHub and the relay as they really are. */
export function doctorPorts(apiUrl: URL, token: Secret | undefined): DoctorPorts {
  return {
    ...systemClock,
    askGitHub: githubAt(apiUrl, token),
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
