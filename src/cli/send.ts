import { readFileSync } from 'node:fs'
import { Command, Option } from 'commander'
import { bodyBytes } from '../wire/bytes.ts'
import { UserError } from '../wire/errors.ts'
import { HttpFailure, type HttpReply } from '../wire/http.ts'
import { isObject, parseJson } from '../wire/json.ts'
import { HEADER, RESERVED_HEADER_PREFIX, readClientPayload } from '../wire/payload.ts'
import { didYouMean } from '../workflow/suggestion.ts'
import { fromEnvironment, httpCall, readSecret } from './http.ts'
import { FIXTURES } from './send/fixtures.ts'
import { SIGNATURE_NAMES, signed } from './send/signatures.ts'
import { EXIT, printable, withProgress } from './terminal.ts'

interface SendOptions extends RequestOptions {
  readonly sign?: string
  readonly secretStdin?: boolean
  readonly list?: boolean
  readonly json?: boolean
}

const HELP = `
A saved request is JSON with method, path, headers and body. For it <url> is the address before its
path, https://relay.example.com/owner/name or http://localhost:3000/webhook, or a webhook URL instead.

Secrets are read from the environment and never printed:
  HOOKLINE_TOKEN   sent as X-Platform-Authorization: the platform token, or a key of the relay
  HOOKLINE_SECRET  signs the request as its sender would; schemes: ${SIGNATURE_NAMES.join(', ')}

Examples:
  $ hookline send --list
  $ hookline send http://localhost:3000/webhook/hook/webhook --fixture github.push
  $ hookline send http://localhost:3000/webhook --file saved.json
  $ hookline send http://localhost:3000/webhook/hook/webhook --data '{"hello":"world"}'`

const TIMEOUT = 30_000

export function sendCommand(): Command {
  return new Command('send')
    .description('send a fixture, a saved request or one of your own to a relay, or to dev')
    .argument('[url]', 'webhook URL')
    .option('--fixture <name>', 'what a well-known sender sends')
    .option('--file <file>', 'a saved request')
    .option('--method <method>', 'by default POST with a body, else GET')
    .addOption(headerOption())
    .option('--data <text>', 'body, or @file')
    .option('--sign <scheme>', "how to sign, by default as the fixture's sender does")
    .option('--secret-stdin', 'read the secret that signs from standard input')
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
    await outgoingRequest(parseUrl(address), options),
    options,
  )
  const started = performance.now()
  const answer = await send(url, request)
  const milliseconds = Math.round(performance.now() - started)
  print(
    options.json
      ? JSON.stringify({ ...answer, milliseconds })
      : told(request, url, answer, milliseconds),
  )
  if (!answer.accepted) process.exitCode = EXIT.mend
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
  const { request, url } = addressed
  const secret = await readSecret('HOOKLINE_SECRET', options.secretStdin ?? false)
  const scheme = options.sign ?? addressed.scheme
  if (!secret && options.sign === undefined) return addressed
  if (!secret) {
    throw new UserError({
      message: '--sign needs the secret',
      hint: 'set HOOKLINE_SECRET, or give --secret-stdin',
    })
  }
  if (scheme === undefined) {
    throw new UserError({
      message: 'there is a secret, but nothing says how to sign',
      hint: 'give --sign, or unset HOOKLINE_SECRET',
    })
  }
  const moment = {
    timestamp: Math.floor(Date.now() / 1000),
    id: `msg_${crypto.randomUUID()}`,
    url: url.href,
  }
  return { ...addressed, request: await signed(request, scheme, secret, moment) }
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
  const { status, delivery, message, hint, body } = answer
  return [
    `${method} ${url.origin}${url.pathname}`,
    `${status}  ${milliseconds} ms${delivery ? `  delivery ${delivery}` : ''}`,
    ...(message === null ? [body] : [`${message}: ${hint ?? ''}`]),
  ]
    .map(printable)
    .join('\n')
}

function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol)) return url
  throw new UserError({
    message: 'the URL is no address',
    hint: 'it looks like http://localhost:3000/webhook/hook/webhook',
  })
}

function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

interface RequestOptions {
  readonly fixture?: string
  readonly file?: string
  readonly method?: string
  readonly header: readonly string[]
  readonly data?: string
}

/** A request with the place it goes to. */
interface Addressed {
  readonly request: OutgoingRequest
  readonly url: URL
  /** How its sender signs, where that is known. */
  readonly scheme?: string | undefined
}

/** Other options than the source of the request change it. @throws UserError for a wrong option */
async function outgoingRequest(url: URL, options: RequestOptions): Promise<Addressed> {
  const source = await sourceOf(url, options)
  const { method = source.request.method, header, data } = options
  const headers = { ...source.request.headers, ...Object.fromEntries(header.map(parseHeader)) }
  const body = data === undefined ? source.request.body : readData(data)
  return { ...source, request: { method: method.toUpperCase(), headers, body } }
}

async function sourceOf(url: URL, { fixture, file, data }: RequestOptions): Promise<Addressed> {
  if (fixture !== undefined) return { url, ...fromFixture(fixture) }
  if (file === undefined) return { url, request: ownRequest(data !== undefined) }
  const saved = await readSavedFile(file)
  return { url: savedTarget(url, saved), request: saved }
}

function ownRequest(hasBody: boolean): OutgoingRequest {
  const headers: Record<string, string> = hasBody ? { 'content-type': 'application/json' } : {}
  return { method: hasBody ? 'POST' : 'GET', headers, body: new Uint8Array() }
}

function fromFixture(name: string): Pick<Addressed, 'request' | 'scheme'> {
  const fixture = FIXTURES.get(name)
  if (!fixture) throw unknownFixture(name)
  const { headers, body } = fixture.request({ id: crypto.randomUUID(), now: new Date() })
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const request = { method: 'POST', headers, body: new TextEncoder().encode(text) }
  return { request, scheme: fixture.scheme }
}

function unknownFixture(name: string): UserError {
  const hint = didYouMean(name, [...FIXTURES.keys()])
  return new UserError({
    message: `unknown fixture ${JSON.stringify(name)}`,
    ...(hint && { hint }),
    notes: [`fixtures: ${[...FIXTURES.keys()].join(', ')}`],
  })
}

async function readSavedFile(file: string) {
  const text = new TextDecoder().decode(readBytes(file, '--file'))
  try {
    return await readSaved(parseJson(text))
  } catch (cause) {
    const message = `${file} is no saved request`
    const hint = 'it is JSON with the keys method, path, headers and body'
    throw new UserError({ message, hint }, { cause })
  }
}

/** Text, or `@file` as curl has it. */
function readData(data: string): Uint8Array {
  if (!data.startsWith('@')) return new TextEncoder().encode(data)
  return readBytes(data.slice(1), '--data')
}

function readBytes(file: string, option: string): Uint8Array {
  try {
    return new Uint8Array(readFileSync(file))
  } catch (cause) {
    throw new UserError({ message: `${option}: ${file} cannot be read` }, { cause })
  }
}

function parseHeader(text: string): [name: string, value: string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([\x20-\x7e\t]*)$/.exec(text) ?? []
  if (name !== undefined && value !== undefined) return [name.toLowerCase(), value]
  throw new UserError({ message: '--header is no header', hint: 'write it as "name: value"' })
}

/** A request that is about to be sent. */
export interface OutgoingRequest {
  /** Upper case. */
  readonly method: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBufferLike>
}

/** A request as it was saved, with the path that followed the repository, or `/webhook/`. */
interface SavedRequest extends OutgoingRequest {
  /** `<workflow>/<trigger>[/<suffix>][?<query>]` */
  readonly path: string
}

/** They belong to the connection that the request is sent on, or are the relay's to add. */
const NOT_REPEATED: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'connection',
  'transfer-encoding',
  'accept-encoding',
])

/**
 * Reads a saved request: the four keys of a `client_payload`, and the body as it travelled.
 *
 * @throws PayloadError naming what is wrong
 * @throws RangeError or DOMException for a body that does not decode
 */
export async function readSaved(value: unknown): Promise<SavedRequest> {
  const { path, method, headers, body } = readClientPayload(value)
  const text = typeof body === 'string' ? body : body === null ? '' : JSON.stringify(body)
  const repeated = Object.entries(headers).filter(
    ([name]) => !NOT_REPEATED.has(name) && !name.startsWith(RESERVED_HEADER_PREFIX),
  )
  return {
    path: path.replace(/^\//, ''),
    method: method.toUpperCase(),
    headers: Object.fromEntries(repeated),
    body: await bodyBytes(text, headers[HEADER.bodyEncoding]),
  }
}

/**
 * Where a saved request goes. An address of at most two segments, `https://relay/owner/name` or
 * `http://localhost:3000/webhook`, is what stood before its path; a longer one is a webhook URL that
 * takes its place.
 */
export function savedTarget(address: URL, { path }: SavedRequest): URL {
  const segments = address.pathname.split('/').filter(Boolean)
  if (segments.length > 2 || path === '') return address
  const base = address.href.slice(0, address.href.length - address.search.length).replace(/\/$/, '')
  const separator = path.includes('?') ? '&' : '?'
  const own = address.search.slice(1)
  return new URL(`${base}/${path}${own && `${separator}${own}`}`)
}

/** What a relay, or `hookline dev`, made of a request. */
export interface Answer {
  readonly accepted: boolean
  readonly status: number
  /** The relay's id; `null` from what is no relay. */
  readonly delivery: string | null
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
    delivery: headers['x-hookline-delivery'] ?? null,
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
