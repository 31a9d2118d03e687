import { Command, Option } from 'commander'
import { systemClock } from '../relay/config.ts'
import { SENDERS, senderNamed } from '../triggers/verify/senders.ts'
import { UserError } from '../wire/errors.ts'
import { HttpFailure, type HttpReply } from '../wire/http.ts'
import { isObject } from '../wire/json.ts'
import { HEADER } from '../wire/payload.ts'
import { printable, printableJson } from '../wire/printable.ts'
import { didYouMean } from '../workflow/suggestion.ts'
import { githubOf } from './github.ts'
import { fromEnvironment, httpCall, readSecret } from './http.ts'
import type { Run } from './runs.ts'
import { FIXTURES, fixtureOf } from './send/fixtures.ts'
import {
  type Addressed,
  type OutgoingRequest,
  outgoingRequest,
  type RequestOptions,
} from './send/request.ts'
import { SIGNATURE_NAMES, signed } from './send/signatures.ts'
import { EXIT, print, withProgress, wrapped } from './terminal.ts'

interface SendOptions extends RequestOptions {
  readonly as?: string
  readonly sign?: string
  readonly secretStdin?: boolean
  readonly list?: boolean
  readonly wait?: boolean
  readonly json?: boolean
}

const HELP = `
A saved request is JSON with method, path, headers and body. For it <url> is the address before its
path, https://relay.example.com/owner/name or http://localhost:3000/webhook, or a webhook URL instead.

Secrets are read from the environment and never printed:
  HOOKLINE_TOKEN   sent as X-Platform-Authorization: the platform token, or a key of the relay
  GH_TOKEN         with --wait, asks GitHub for the run; HOOKLINE_TOKEN where it is not set
  HOOKLINE_SECRET  signs the request as its sender would; where the workflow holds a public key, it is
                   the private one

Senders: ${wrapped(
  SENDERS.map(({ name }) => name),
  9,
)}
Schemes: ${wrapped(SIGNATURE_NAMES, 9)}

Examples:
  $ hookline send --list
  $ hookline send http://localhost:3000/webhook/hook/webhook --as stripe
  $ hookline send http://localhost:3000/webhook/hook/webhook --fixture github.push
  $ hookline send http://localhost:3000/webhook --file saved.json
  $ hookline send http://localhost:3000/webhook/hook/webhook --data '{"hello":"world"}'`

const TIMEOUT = 30_000

export function sendCommand(): Command {
  return new Command('send')
    .description('send a fixture, a saved request or one of your own to a relay, or to dev')
    .argument('[url]', 'webhook URL')
    .option('--as <sender>', 'what that sender sends, signed as it signs')
    .option('--fixture <name>', 'what a well-known sender sends')
    .option('--file <file>', 'a saved request')
    .option('--method <method>', 'by default POST with a body, else GET')
    .addOption(headerOption())
    .option('--data <text>', 'body, or @file')
    .option('--sign <scheme>', "how to sign, by default as the fixture's sender does")
    .option('--secret-stdin', 'read the secret that signs from standard input')
    .option('--wait', 'follow the run to its end; exits with 1 when it failed')
    .option('--list', 'list the fixtures')
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(run)
}

async function run(
  address: string | undefined,
  options: SendOptions,
  command: Command,
): Promise<void> {
  if (options.list) return print(fixtureList(options.json))
  if (address === undefined) command.error("error: missing required argument 'url'")
  if (options.fixture !== undefined && options.file !== undefined) {
    command.error('error: --fixture and --file exclude each other')
  }
  const { request, url } = await signedRequest(
    await outgoingRequest(parseUrl(address), asSender(options)),
    options,
  )
  const started = performance.now()
  const answer = await send(url, request)
  const milliseconds = Math.round(performance.now() - started)
  print(
    options.json
      ? printableJson(JSON.stringify({ ...answer, milliseconds }))
      : told(request, url, answer, milliseconds),
  )
  if (!answer.accepted) process.exitCode = EXIT.failure
  else if (options.wait) await waitForRun(url, answer)
}

/** The run by its page, or else by the delivery id in its name; each change goes to standard error. */
async function waitForRun(url: URL, { delivery, run }: Answer): Promise<void> {
  const { awaitRun, followRun, isWell, repositoryOfUrl, runAt, runLine } = await import('./runs.ts')
  const github = { repository: repositoryOfUrl(url), ask: githubOf(process.env), ...systemClock }
  if (run === null && delivery === null) {
    throw new UserError({
      message: 'there is no run to wait for: what answered is no relay',
      hint: 'hookline dev answers so too: it starts none',
    })
  }
  const found = run === null ? await awaitRun(delivery ?? '', github) : await runAt(run, github)
  const tell = (each: Run) => process.stderr.write(`${runLine(each)}\n`)
  if (!isWell(await followRun(found, github, tell))) process.exitCode = EXIT.failure
}

/** As its sender: with what it sends, unless something else is to be sent. @throws UserError */
function asSender(options: SendOptions): SendOptions {
  const { as, fixture, file, data } = options
  if (as === undefined) return options
  const sender = senderNamed(as)
  if (!sender && !SIGNATURE_NAMES.includes(as)) {
    const names = [...new Set([...SENDERS.map(({ name }) => name), ...SIGNATURE_NAMES])]
    const hint = didYouMean(as, names)
    throw new UserError({
      message: `unknown sender ${JSON.stringify(as)}`,
      ...(hint && { hint }),
      notes: [`senders: ${names.join(', ')}`],
    })
  }
  const isOther = (fixture ?? file ?? data) !== undefined
  const own = isOther ? undefined : fixtureOf(as)?.name
  return { ...options, ...(own !== undefined && { fixture: own }) }
}

function headerOption(): Option {
  return new Option('--header <header>', 'another header, as "name: value"; may be repeated')
    .argParser((header: string, others: readonly string[]) => [...others, header])
    .default([], 'none')
}

function fixtureList(json = false): string {
  const all = [...FIXTURES.values()].map(({ name, scheme }) => ({ name, sign: scheme ?? null }))
  if (json) return JSON.stringify(all)
  return all.map(({ name, sign }) => `${name.padEnd(36)}${sign ?? ''}`.trimEnd()).join('\n')
}

/** @throws UserError when one of scheme and secret is there without the other */
async function signedRequest(addressed: Addressed, options: SendOptions): Promise<Addressed> {
  const secret = await readSecret('HOOKLINE_SECRET', options.secretStdin ?? false)
  const sender = senderNamed(options.as ?? '')
  const asked = options.sign ?? (sender ? (sender.scheme ?? sender.name) : options.as)
  const scheme = asked ?? addressed.scheme
  const isUnsigned = asked === undefined || (sender !== undefined && sender.secret === undefined)
  if (!secret && isUnsigned) return addressed
  if (!secret) {
    throw new UserError({
      message: `${options.sign === undefined ? '--as' : '--sign'} needs the secret`,
      hint: 'set HOOKLINE_SECRET, or give --secret-stdin',
    })
  }
  if (scheme === undefined) {
    throw new UserError({
      message: 'there is a secret, but nothing says how to sign',
      hint: 'give --as or --sign, or unset HOOKLINE_SECRET',
    })
  }
  const moment = {
    timestamp: Math.floor(Date.now() / 1000),
    id: `msg_${crypto.randomUUID()}`,
  }
  return signed(addressed, scheme, secret, { ...moment, place: sender?.options ?? {} })
}

async function send(url: URL, { method, headers, body }: OutgoingRequest): Promise<Answer> {
  const token = fromEnvironment('HOOKLINE_TOKEN')
  const authorized = token ? { ...headers, 'x-platform-authorization': token.reveal() } : headers
  try {
    const call = httpCall({ method, url, headers: authorized, body, timeout: TIMEOUT })
    return readAnswer(await withProgress(`waiting for ${url.host}`, call))
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    const hint = 'is the relay, or hookline dev, running there?'
    throw new UserError({ message: `${url.host}: ${error.message}`, hint }, { cause: error })
  }
}

/** The query is left out: it may hold a token. */
function told({ method }: OutgoingRequest, url: URL, answer: Answer, milliseconds: number): string {
  const { status, delivery, run, message, hint, body } = answer
  return [
    `${method} ${url.origin}${url.pathname}`,
    `${status}  ${milliseconds} ms${delivery ? `  delivery ${delivery}` : ''}`,
    ...(run === null ? [] : [run]),
    ...(message === null ? [body] : [`${message}: ${hint ?? ''}`]),
  ]
    .map(printable)
    .join('\n')
}

/** This machine, as a person writes it. */
const WITHOUT_SCHEME = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?\//

function parseUrl(text: string): URL {
  const whole = WITHOUT_SCHEME.test(text) ? `http://${text}` : text
  const url = URL.canParse(whole) ? new URL(whole) : undefined
  if (url && /^https?:$/.test(url.protocol)) return url
  throw new UserError({
    message: 'the URL is no address',
    hint: 'it looks like http://localhost:3000/webhook/hook/webhook',
  })
}

/** What a relay, or `hookline dev`, made of a request. */
export interface Answer {
  readonly accepted: boolean
  readonly status: number
  /** The relay's id; `null` from what is no relay. */
  readonly delivery: string | null
  /** Page of the run that was started, where the relay tells it. */
  readonly run: string | null
  /** The relay's error code: `missing_token`. */
  readonly code: string | null
  /** What is wrong, and what would do; absent in an answer that is not the relay's. */
  readonly message: string | null
  readonly hint: string | null
  readonly body: string
}

export function readAnswer({ status, headers, text }: HttpReply): Answer {
  const error = relayError(text)
  return {
    accepted: status >= 200 && status < 300,
    status,
    delivery: headers[HEADER.delivery] ?? null,
    run: headers[HEADER.run] ?? null,
    code: textOf(error.code),
    message: textOf(error.message),
    hint: textOf(error.hint),
    body: text,
  }
}

function relayError(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) && isObject(value.error) ? value.error : {}
  } catch {
    return {}
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
