import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { systemClock } from '../relay/config.ts'
import type { Sender } from '../triggers/sender.ts'
import { baseAddress, readAddress } from '../wire/address.ts'
import { UsageError, UserError } from '../wire/errors.ts'
import { printable } from '../wire/printable.ts'
import { Secret } from '../wire/secret.ts'
import { parsePort } from '../wire/settings.ts'
import { agreedWorkflow } from './connect/agreed-workflow.ts'
import { verifies } from './connect/connect-target.ts'
import {
  type ConnectEvent,
  connectEvent,
  followFirstRun,
  LogFollower,
  NO_RUN,
} from './connect/follow.ts'
import { openAtRelay, openPublicRelay } from './connect/public-relay.ts'
import { askYesNo } from './connect/question.ts'
import { waitUntilReady } from './connect/ready.ts'
import {
  meetRequirements,
  type RequirementOptions,
  requirementText,
  secretCommand,
} from './connect/requirements.ts'
import { setUpLines, stayLines } from './connect/set-up.ts'
import { storeSecretKeys } from './connect/store-secret.ts'
import { sendTestEvent } from './connect/test-event.ts'
import { findRelay } from './find-relay.ts'
import { variableNamed } from './flag-values.ts'
import { githubAt } from './github-client.ts'
import { knownSender, secretsOf } from './init/sender-workflow.ts'
import { keysOnTerminal } from './keyboard.ts'
import { unusedProxyProblems } from './programs.ts'
import {
  EXIT,
  print,
  printJson,
  reportError,
  shellHere,
  stopOnSignal,
  styled,
  warn,
} from './terminal.ts'
import type { TunnelChange } from './tunnel.ts'

interface ConnectOptions extends RequirementOptions {
  readonly sendTest?: boolean
  readonly secretEnv?: string
  readonly json?: boolean
}

const HELP = `
Needs a git remote, a workflow that receives webhooks, a GitHub token
(HOOKLINE_GITHUB_TOKEN, or the token of gh after you agree), and cloudflared or
--public-url. Lists what is missing before it asks or changes anything.
The relay runs in this process. Its URL ends with the tunnel; with --public-url
and Node 22.13 or newer, it is the same at the next start. On a terminal, t
sends a test event, s stores the sender's secret by gh, and q quits.
With --relay, the URL is an endpoint of a relay that runs elsewhere, and stays.
The command ends with the first run, and exits with 1 if that run failed.

With --json, each line has these fields:
  event         ready, request, run, end, tunnel or bye
  url, delivery, status, run, outcome, reason

Examples:
  $ hookline connect
  $ hookline connect stripe --secret-env STRIPE_SECRET --send-test
  $ hookline connect --public-url https://hooks.example.com --port 8080
  $ hookline connect stripe --relay https://relay.example.com`

export function connectCommand(): Command {
  return new Command('connect')
    .description('give a workflow a public URL, and follow each request to its run')
    .argument('[sender]', 'sender of the requests, such as stripe')
    .option('--workflow <name>', 'file name of the workflow, without its extension')
    .option('--trigger <name>', 'trigger, if the workflow has several')
    .option('--port <port>', 'port of the relay on this machine (default: a free port)')
    .option('--public-url <url>', 'https address of that port (default: a tunnel)')
    .option('--relay <url>', 'create the endpoint on this relay, and follow its first run')
    .option('--send-test', 'send a test event immediately')
    .option('--secret-env <name>', "variable with the sender's secret")
    .option('--yes', 'ask nothing')
    .option('--json', 'print one JSON line per event')
    .addHelpText('after', HELP)
    .action(connect)
}

/** Milliseconds. */
const SIGNAL_DELAY = 20

async function connect(word: string | undefined, options: ConnectOptions): Promise<void> {
  const named = word === undefined ? undefined : knownSender(word)
  const settings = connectSettings(options)
  const report = reporter(options.json ?? false)
  const stopping = new AbortController()
  const stop = stopOnSignal({ close: async () => stopping.abort() })
  try {
    await untilAborted({ options, named, settings, report, signal: stopping.signal, stop })
  } catch (error) {
    // Ctrl-C also ends a git or gh that this process waits for, and its own signal comes after that call.
    await sleep(SIGNAL_DELAY)
    if (!stopping.signal.aborted) throw error
    if (error !== stopping.signal.reason && !(error instanceof UserError)) throw error
    report.bye('stopped')
    endProcess()
  }
}

interface Connecting {
  readonly options: ConnectOptions
  readonly named: Sender | undefined
  readonly settings: ConnectSettings
  readonly report: Reporter
  readonly signal: AbortSignal
  /** Aborts the signal. */
  readonly stop: () => void
}

/** @throws the reason of an abort before the URL works */
async function untilAborted(connecting: Connecting): Promise<void> {
  const { options, settings, report, signal, stop } = connecting

  // 1. Everything that is needed is there, and GitHub would start the workflow.
  const client = options.relay === undefined ? undefined : await findRelay(options)
  const { token, forge, agreed } = await meetAll(connecting)
  const { target, sender, texts } = agreed
  const secret = settings.secret ?? exportedSecret(sender)

  // 2. A relay with the token, a public address, and a URL for this one path.
  const ask = githubAt(forge.apiUrl, token)
  const { repository, workflow } = target
  const secrets = sender && verifies(sender, target.signatures) ? secretsOf(sender) : []
  const [storeAgain] = secrets.map((name) => secretCommand(forge, target.repository, name))
  const ports = {
    ...systemClock,
    repository,
    workflow,
    ask,
    isFollowed: forge.kind === 'github',
    secretCommand: storeAgain,
  }
  const follower = new LogFollower(ports, report.event)
  const elsewhere = client && (await openAtRelay({ client, target, secret }))
  const relay =
    elsewhere ??
    (await openPublicRelay({
      target,
      token,
      forge,
      ...settings,
      secret,
      onLog: (line) => {
        follower.read(line).catch(reportError)
      },
      onTunnel: report.tunnel,
      signal,
    }))
  const sendTest = () => {
    sendTestEvent({ relay, target, sender, secret }).catch(reportError)
  }
  const storing = storeSecretKeys({ forge, repository, secrets, signal, note: report.note })
  const keys = options.json
    ? undefined
    : keysOnTerminal(
        [
          ...storing,
          { key: 't', does: 'send a test event', press: sendTest },
          { key: 'q', does: 'quit', press: stop },
        ],
        stop,
      )
  try {
    report.event(connectEvent('ready', { url: relay.url }))
    const shell = shellHere()
    const fetchesBodies = texts.some((text) => /^\s*relay-url:/m.test(text))
    const storesByKey = storing.length > 0 && keys !== undefined && keys.hint !== ''
    const setUp = { target, sender, relay, shell, forge, fetchesBodies, storesByKey }
    report.note(setUpLines(setUp).join('\n'))
    report.note(
      styled(process.stdout, 'dim', `Waiting for requests. ${keys?.hint || 'Ctrl-C stops.'}`),
    )
    if (options.sendTest) sendTest()

    // 3. Requests are followed until Ctrl-C; at a relay elsewhere, the first one.
    if (client && elsewhere) {
      const { name } = elsewhere
      const first = { client, name, ports, signal, report: report.event }
      // After an abort, the command does not wait for the run.
      const stopped = aborted(signal).then(() => undefined)
      const isSuccess = await Promise.race([followFirstRun(first), stopped])
      if (isSuccess === false) process.exitCode = EXIT.failure
      report.bye(isSuccess === undefined ? 'stopped' : 'first run')
    } else {
      await aborted(signal)
      report.bye('stopped')
    }
    report.note(stayLines(relay).join('\n'))
  } finally {
    keys?.stop()
    await relay.close()
    endProcess()
  }
}

/** Everything that is needed, after the user agreed, with the workflow that GitHub runs. */
async function meetAll({ options, named, report, signal, stop }: Connecting) {
  const ports = {
    note: report.note,
    ask: (question: string) => askYesNo(question, signal, stop),
    writeWorkflow: () => writeWorkflow(named, report.note),
  }
  const ready = await unlessAborted(meetRequirements(options, named, ports), signal)
  const { token, forge } = ready
  warn(unusedProxyProblems(process.env))
  const published = await unlessAborted(
    waitUntilReady(ready.target, { token, forge }, report.note, signal),
    signal,
  )
  const agreed = agreedWorkflow(ready, published, named)
  report.note(requirementText(agreed.rows))
  return { token, forge, agreed }
}

/** Ends the process after its output: runs that are still followed would keep it alive, and calls too. */
function endProcess(): void {
  process.exitCode ??= EXIT.done
  setImmediate(() => process.exit())
}

/** The sender's secret in the variable that `init --sender` names, such as STRIPE_SIGNING_SECRET. */
function exportedSecret(sender: Sender | undefined): Secret | undefined {
  const text = sender?.secret === undefined ? undefined : process.env[sender.secret]
  return text ? new Secret(text) : undefined
}

const PUBLIC_URL = {
  name: '--public-url',
  of: 'a relay, by https',
  example: 'https://hooks.example.com',
}

interface ConnectSettings {
  readonly port: number
  readonly publicUrl: string | undefined
  readonly secret: Secret | undefined
}

/** @throws UserError for an invalid flag, before anything is asked or started */
function connectSettings({ port, publicUrl, relay, secretEnv }: ConnectOptions): ConnectSettings {
  const address = publicUrl === undefined ? undefined : readAddress(publicUrl, PUBLIC_URL)
  if (address !== undefined && address.protocol !== 'https:') {
    throw new UsageError({
      message: `--public-url ${publicUrl} is not an https address`,
      hint: 'Senders need TLS. Use the https address of your proxy: --public-url https://hooks.example.com --port 8080',
    })
  }
  if (relay !== undefined && (publicUrl ?? port) !== undefined) {
    throw new UsageError({
      message: `--relay cannot be combined with ${publicUrl === undefined ? '--port' : '--public-url'}`,
      hint: 'With --relay, events go to that relay, and no relay runs in this process. Omit one of them.',
    })
  }
  if (publicUrl !== undefined && port === undefined) {
    throw new UsageError({
      message: '--public-url needs --port, the local port that the address leads to',
      hint: `Run: hookline connect --public-url ${publicUrl} --port 8080`,
    })
  }
  const secret =
    secretEnv === undefined ? undefined : variableNamed('--secret-env', secretEnv, process.env)
  return {
    port: port === undefined ? 0 : parsePort(port),
    publicUrl: address && baseAddress(address),
    secret: secret ? new Secret(secret) : undefined,
  }
}

async function writeWorkflow(
  sender: Sender | undefined,
  note: (text: string) => void,
): Promise<void> {
  const { initCommand } = await import('./init.ts')
  const flags = sender ? ['--sender', sender.name] : []
  await initCommand(note).parseAsync(flags, { from: 'user' })
}

interface Reporter {
  event(event: ConnectEvent): void
  /** Text for a person. */
  note(text: string): void
  tunnel(change: TunnelChange): void
  bye(reason: string): void
}

function reporter(json: boolean): Reporter {
  let lastDelivery: string | null = null
  const event = (reported: ConnectEvent) => {
    if (json) printJson(reported)
    else if (['request', 'run', 'end'].includes(reported.event)) {
      print(printable(eventLine(reported, lastDelivery)))
      lastDelivery = reported.delivery
    }
  }
  // With --json, standard output is for the program that reads the events.
  const note = (text: string) =>
    void (json ? process.stderr : process.stdout).write(`${printable(text)}\n`)
  const tunnel = (change: TunnelChange) => {
    if (change.kind === 'ended') {
      const text = `the tunnel ended; opening another one in ${change.retryIn / 1000} s`
      event(connectEvent('tunnel', { reason: text }))
      note(text)
      return
    }
    event(connectEvent('tunnel', { url: change.url }))
    note(
      change.isSame
        ? 'The tunnel is open again. The webhook URL is the same.'
        : `The tunnel is open again. The webhook URL has changed; update it at the sender:\n  ${change.url}`,
    )
  }
  return { event, note, tunnel, bye: (reason) => event(connectEvent('bye', { reason })) }
}

/** @param lastDelivery the delivery of the line above */
function eventLine(reported: ConnectEvent, lastDelivery: string | null): string {
  const { event, delivery, status, run, outcome, reason } = reported
  const why = reason === null ? '' : `  ${reason}`
  if (event === 'request') {
    // A stored event has no response.
    return `${status ?? '   '}  delivery ${delivery}${why}`
  }
  const of = delivery === lastDelivery ? '' : `delivery ${delivery} `
  if (event === 'run' && run === null && reason?.startsWith(NO_RUN)) return `     ${of}${reason}`
  if (event === 'run') return `     ${of}run ${run ?? 'unknown'}${why}`
  return `     ${of}ended: ${outcome}${why}`
}

/** The result of some work. @throws the reason of an abort, which does not wait for the work */
function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const abort = aborted(signal).then(() => Promise.reject(signal.reason))
  return Promise.race([work, abort])
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
