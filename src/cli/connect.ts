import { Command } from 'commander'
import { systemClock } from '../relay/config.ts'
import type { Sender } from '../triggers/sender.ts'
import { baseOf, notAnAddress, readAddress } from '../wire/address.ts'
import { UsageError, UserError } from '../wire/errors.ts'
import { dispatchEvent } from '../wire/payload.ts'
import { printable, printableJson } from '../wire/printable.ts'
import { Secret } from '../wire/secret.ts'
import { parsePort, readSetting } from '../wire/settings.ts'
import { type ConnectEvent, connectEvent, followRequest, loggedRequest } from './connect/follow.ts'
import { askedBy, openLine, senderOf } from './connect/line.ts'
import { waitUntilReady } from './connect/ready.ts'
import { setUpLines, stayLines } from './connect/set-up.ts'
import { chosenTarget, type TargetOptions, tokenAtHand } from './connect/target.ts'
import { sendTrial } from './connect/trial.ts'
import { githubAt } from './github.ts'
import { knownSender } from './init/sender.ts'
import { keysOnTerminal } from './keyboard.ts'
import { print, reportError, shellHere, styled, warn } from './terminal.ts'
import { unusedProxyProblems } from './unused-proxy.ts'

interface ConnectOptions extends TargetOptions {
  readonly port?: string
  readonly publicUrl?: string
  readonly try?: boolean
  readonly secretEnv?: string
  readonly json?: boolean
}

const HELP = `
It needs a workflow here that waits for a webhook, and a token that may start it: HOOKLINE_GITHUB_TOKEN, or
the one of gh, asked for first. The relay runs in this process, behind a tunnel of cloudflared, and
ends with it, and so does the grant in the URL. On a terminal, t sends a trial and q ends it.

With --json, a line an event:
  {"event":"ready"|"request"|"run"|"end"|"bye","url","delivery","status","run","conclusion","reason"}

Examples:
  $ hookline connect
  $ hookline connect stripe --workflow pay --secret-env STRIPE_SECRET
  $ hookline connect --public-url https://hooks.example.com --port 8080`

export function connectCommand(): Command {
  return new Command('connect')
    .description('from nothing to a real run: a public URL for a workflow here, until Ctrl-C')
    .argument('[sender]', 'who is to call it, as init --sender names it')
    .option('--workflow <name>', 'file name of the workflow, without its extension')
    .option('--trigger <name>', 'where the workflow has several')
    .option('--port <port>', 'port of the relay on this machine, by default a free one')
    .option('--public-url <url>', 'an https address that leads to that port; by default a tunnel')
    .option('--try', 'send a trial at once')
    .option(
      '--secret-env <name>',
      "variable with the sender's secret: asked for at the relay, and signs the trial",
    )
    .option('--yes', 'ask nothing')
    .option('--json', 'print a JSON line an event')
    .addHelpText('after', HELP)
    .action(connect)
}

async function connect(name: string | undefined, options: ConnectOptions): Promise<void> {
  const named = name === undefined ? undefined : knownSender(name)
  const settings = readSettings(options)
  const tell = teller(options.json ?? false)

  // 1. What is here, and whether GitHub would start it.
  const target = await chosenTarget(options, named, () => writeFirst(named))
  const { token, from } = await tokenAtHand(target, options.yes)
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  process.once('SIGINT', stop).once('SIGTERM', stop)
  tell.note(
    `${target.repository}, ${target.file}: started by ${dispatchEvent(target.dispatch)}, with ${from}`,
  )
  warn(unusedProxyProblems(process.env))
  await unlessStopped(stopping.signal, waitUntilReady(target, token, tell.note, stopping.signal))
  if (stopping.signal.aborted) return tell.bye('stopped')

  // 2. A relay that holds the token, an address for it, and a grant for this one path.
  const following = new Set<Promise<void>>()
  const github = { repository: target.repository, ...systemClock }
  const ask = githubAt(readSetting(process.env, 'HOOKLINE_API_URL'), token)
  const asked = askedBy(target)
  const sender = named ?? senderOf(asked.proofs)
  const line = await openLine({ target, asked, token, ...settings }, (written) => {
    const entry = loggedRequest(written)
    if (!entry) return
    const followed = followRequest(entry, { ...github, ask }, tell.event)
      .catch((error: unknown) => void reportError(error))
      .finally(() => following.delete(followed))
    following.add(followed)
  })
  const trial = () =>
    void sendTrial({ line, target, sender, secret: settings.secret }).catch((error: unknown) => {
      reportError(error)
    })
  const keys = options.json
    ? undefined
    : keysOnTerminal(
        [
          { key: 't', does: 'send a trial', press: trial },
          { key: 'q', does: 'quit', press: stop },
        ],
        stop,
      )
  try {
    tell.event(connectEvent('ready', { url: line.url }))
    tell.note(setUpLines({ target, asked, sender, line, shell: shellHere() }).join('\n'))
    if (keys?.hint) tell.note(styled(process.stdout, 'dim', keys.hint))
    if (options.try) trial()

    // 3. Until somebody ends it, or the tunnel does.
    const lost = await Promise.race([line.ended.then(() => true), aborted(stopping.signal)])
    if (lost)
      throw new UserError({
        message: 'the tunnel ended',
        hint: 'start it again: the URL is a new one then',
      })
    tell.bye('stopped')
    tell.note(stayLines(target).join('\n'))
  } catch (error) {
    tell.bye('the tunnel ended')
    throw error
  } finally {
    keys?.stop()
    await line.close()
    // What is still being followed needs no process.
    process.exitCode ??= 0
    setImmediate(() => process.exit())
  }
}

const PUBLIC_URL = {
  name: '--public-url',
  of: 'a relay, by https',
  example: 'https://hooks.example.com',
}

interface Settings {
  readonly port: number
  readonly publicUrl: string | undefined
  readonly secret: Secret | undefined
}

/** @throws UserError for a flag that is wrong, before anything is asked or started */
function readSettings({ port, publicUrl, secretEnv }: ConnectOptions): Settings {
  if (publicUrl !== undefined && port === undefined) {
    throw new UsageError({
      message: '--public-url needs --port: the address must lead to the relay of this command',
      hint: `for example: --public-url ${publicUrl} --port 8080`,
    })
  }
  const address = publicUrl === undefined ? undefined : readAddress(publicUrl, PUBLIC_URL)
  if (address !== undefined && address.protocol !== 'https:')
    throw notAnAddress(publicUrl ?? '', PUBLIC_URL)
  const secret = secretEnv === undefined ? undefined : process.env[secretEnv]
  if (secretEnv !== undefined && !secret) {
    throw new UserError({
      message: `--secret-env: the variable ${secretEnv} is not set, or empty`,
      hint: `set it unseen: read -rs ${secretEnv} && export ${secretEnv}`,
    })
  }
  return {
    port: port === undefined ? 0 : parsePort(port),
    publicUrl: address && baseOf(address),
    secret: secret ? new Secret(secret) : undefined,
  }
}

async function writeFirst(sender: Sender | undefined): Promise<void> {
  const { initCommand } = await import('./init.ts')
  const flags = ['--yes', ...(sender ? ['--sender', sender.name] : [])]
  await initCommand().parseAsync(flags, { from: 'user' })
}

interface Teller {
  event(event: ConnectEvent): void
  /** For a person. */
  note(text: string): void
  bye(reason: string): void
}

function teller(json: boolean): Teller {
  const event = (told: ConnectEvent) => {
    if (json) print(printableJson(JSON.stringify(told)))
    else if (told.event !== 'ready' && told.event !== 'bye') print(printable(eventLine(told)))
  }
  // Standard output is for the program that reads the events.
  const note = (text: string) =>
    void (json ? process.stderr : process.stdout).write(`${printable(text)}\n`)
  return { event, note, bye: (reason) => event(connectEvent('bye', { reason })) }
}

function eventLine({ event, delivery, status, run, conclusion, reason }: ConnectEvent): string {
  const why = reason === null ? '' : `  ${reason}`
  if (event === 'request') return `${status}  delivery ${delivery}${why}`
  if (event === 'run') return `     run ${run ?? 'not known'}${why}`
  return `     ended: ${conclusion}${why}`
}

function aborted(signal: AbortSignal): Promise<false> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(false)
    signal.addEventListener('abort', () => resolve(false), { once: true })
  })
}

async function unlessStopped(signal: AbortSignal, work: Promise<void>): Promise<void> {
  await Promise.race([work, aborted(signal)])
}
