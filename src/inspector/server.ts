import type { IncomingMessage, ServerResponse } from 'node:http'
import { collectBody } from '../relay/node/server.ts'
import { UserError } from '../wire/errors.ts'
import { DEV_HEADER } from '../wire/headers.ts'
import type { RelayResponse } from '../wire/http.ts'
import { splitOnce } from '../wire/path.ts'
import { sameText } from '../wire/secret.ts'
import type { ListChange, Summary } from './api.ts'

/** The source of the page: the events of `hookline dev` or of a relay, and the actions on them. */
export interface InspectorSource {
  /** The command that printed the address: `hookline dev`. */
  readonly command: string
  /** Files of the page, by name. */
  readonly files: ReadonlyMap<string, string>
  /** The key of this run: in the printed address, and then in a cookie of the browser. */
  readonly key: string
  readonly run: string
  /** The data that the page loads at the start, with addresses below `base`. */
  welcome(base: string): object
  summaries(): readonly Summary[]
  /** @returns a function that removes the listener */
  listen(send: (event: StreamedEvent) => void): () => void
  /** A `Detail` as JSON; `undefined` if the event is no longer stored. @throws UserError */
  find(id: string): Promise<string | Uint8Array | undefined>
  /** Ids of the events that match a filter; absent if the page has everything that a filter reads. */
  search?(filter: string): readonly string[]
  /** Actions, by the first part of their path. */
  readonly actions: ReadonlyMap<string, (body: string) => Promise<InspectorAnswer>>
}

interface InspectorServer {
  /** Responds to paths of the inspector; returns false for all others. */
  route(request: IncomingMessage, response: ServerResponse): boolean
  /** Ends the event streams, because a stopping server would wait for them. */
  close(): void
}

/** Size of an order: the largest body, escaped as JSON. */
const ORDER_MEGABYTES = 2
const ORDER_BYTES = ORDER_MEGABYTES * 1024 * 1024

/** The inspector behind node:http. */
export function inspectorServer(
  source: InspectorSource,
  report: (error: unknown) => void,
): InspectorServer {
  const stream = new EventStream()
  const unlisten = source.listen((event) => stream.send(event))
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const answered = await inspect(visitOf(request), source)
    if ('reply' in answered) return write(response, answered.reply, request.method)
    // A page that reconnects gets the whole list, because every line may have changed.
    const hello = { name: 'hello', data: JSON.stringify({ run: source.run }) }
    const whole = listChanged({ summaries: source.summaries(), gone: [] })
    stream.open(response, answered.stream, [hello, whole])
  }
  const fail = (response: ServerResponse, error: unknown) => {
    report(error)
    if (!response.headersSent) response.writeHead(500)
    response.end()
  }
  return {
    route(request, response) {
      if (!isInspectors(visitTarget(request).path)) return false
      serve(request, response).catch((error: unknown) => fail(response, error))
      return true
    },
    close() {
      unlisten()
      stream.close()
    },
  }
}

function visitOf(request: IncomingMessage): Visit {
  return {
    address: request.socket.remoteAddress,
    method: request.method ?? 'GET',
    ...visitTarget(request),
    headers: request.headers,
    body: async () => new TextDecoder().decode(await collectBody(request, ORDER_BYTES)),
  }
}

function visitTarget({ url = '/' }: IncomingMessage): Pick<Visit, 'path' | 'query'> {
  const [path, query] = splitOnce(url, '?')
  return { path, query }
}

function write(
  response: ServerResponse,
  { status, headers, body }: RelayResponse | BinaryResponse,
  method: string | undefined,
): void {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) })
  response.end(method === 'HEAD' ? '' : body)
}

/** A request to the inspector. */
export interface Visit {
  /** Address of the other end of the connection. */
  readonly address: string | undefined
  readonly method: string
  /** Lower-case names, as Node gives them. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Without its query. */
  readonly path: string
  /** Without its `?`. */
  readonly query: string
  /** @throws RangeError when it is larger than any order */
  body(): Promise<string>
}

/** A response, or the headers of the event stream. */
export type InspectorAnswer =
  | { readonly reply: RelayResponse | BinaryResponse }
  | { readonly stream: Readonly<Record<string, string>> }

interface BinaryResponse extends Omit<RelayResponse, 'body'> {
  readonly body: string | Uint8Array
}

const FOLDER = '/inspector/'

/** The key of a run: 128 random bits as 22 characters of base64url. */
export function randomKey(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64url')
}

/** The path at which a browser exchanges the key of a run for a cookie. */
export function inspectorPath(key: string): string {
  return `${FOLDER}?key=${key}`
}

export function isInspectors(path: string): boolean {
  return path === '/' || path.startsWith(FOLDER)
}

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  // No text can become HTML: a browser refuses innerHTML and the like.
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const EVERY_ANSWER = {
  [DEV_HEADER]: 'true',
  'content-security-policy': POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['html', 'text/html; charset=utf-8'],
  ['css', 'text/css; charset=utf-8'],
  ['js', 'text/javascript; charset=utf-8'],
  ['svg', 'image/svg+xml'],
])

/** Responds to one request to the inspector. */
export async function inspect(visit: Visit, source: InspectorSource): Promise<InspectorAnswer> {
  const refusal = accessRefusal(visit)
  if (refusal)
    return inspectorText(403, `access to the inspector of ${source.command} denied: ${refusal}`)
  if (visit.path === '/') {
    const location = `${FOLDER}${visit.query && `?${visit.query}`}`
    return inspectorResponse(303, 'text/plain; charset=utf-8', '', { location })
  }
  const key = new URLSearchParams(visit.query).get('key')
  if (visit.path === FOLDER && key !== null) return exchangeKey(key, visit, source)
  if (!(await sameText(cookieOf(visit), source.key))) {
    return inspectorText(403, keyMissing(source))
  }
  const [resource = '', name = ''] = visit.path.slice(FOLDER.length).split('/')
  const act = source.actions.get(resource)
  if (act) return acted(visit, act)
  if (visit.method !== 'GET' && visit.method !== 'HEAD') return inspectorText(405, 'GET only')
  switch (resource) {
    case 'run':
      // The host was checked: it is a name of this machine, with the port that the visitor uses.
      return inspectorJson({ run: source.run, ...source.welcome(`http://${visit.headers.host}`) })
    case 'events':
      return { stream: { ...EVERY_ANSWER, 'content-type': 'text/event-stream; charset=utf-8' } }
    case 'requests':
      return foundEvent(source, name)
    case 'search':
      return inspectorJson(source.search?.(new URLSearchParams(visit.query).get('q') ?? '') ?? [])
  }
  const file = resource || 'index.html'
  const found = source.files.get(file)
  const type = TYPES.get(file.slice(file.lastIndexOf('.') + 1))
  return found === undefined || !type
    ? inspectorText(404, 'page not found')
    : inspectorResponse(200, type, found)
}

async function foundEvent(source: InspectorSource, id: string): Promise<InspectorAnswer> {
  try {
    const json = await source.find(id)
    return json === undefined
      ? inspectorText(404, 'this event is no longer stored')
      : inspectorResponse(200, 'application/json', json)
  } catch (error) {
    // The relay does not respond.
    if (error instanceof UserError) return inspectorText(502, error.message)
    throw error
  }
}

async function acted(
  visit: Visit,
  act: (body: string) => Promise<InspectorAnswer>,
): Promise<InspectorAnswer> {
  if (visit.method !== 'POST') return inspectorText(405, 'POST only')
  // A form of another page cannot send this type, and a script that does sends its origin.
  if (visit.headers['content-type'] !== 'application/json')
    return inspectorText(415, 'send JSON, with "content-type: application/json"')
  const body = await visit.body().catch((error: unknown) => {
    if (error instanceof RangeError) return undefined
    throw error
  })
  if (body === undefined)
    return inspectorText(413, `the request is larger than ${ORDER_MEGABYTES} MB`)
  try {
    return await act(body)
  } catch (error) {
    // The request cannot be signed or sent.
    if (error instanceof UserError) return inspectorText(422, error.message)
    throw error
  }
}

function keyMissing({ command }: InspectorSource): string {
  return `the key of this run is missing: open the address that ${command} printed in its terminal`
}

/**
 * The cookie of this port, because all ports of a host share one set of cookies. Its path keeps it out
 * of the headers of webhooks.
 */
function cookieName({ headers }: Pick<Visit, 'headers'>): string {
  return `hookline-dev-${/:(\d+)$/.exec(String(headers.host))?.[1] ?? '80'}`
}

function cookieOf(visit: Visit): string {
  const cookies = String(visit.headers.cookie).split(/; */)
  const prefix = `${cookieName(visit)}=`
  return cookies.find((cookie) => cookie.startsWith(prefix))?.slice(prefix.length) ?? ''
}

/**
 * Sets the cookie and opens the page. After a click on another site, a browser would not send a strict
 * cookie on a redirect; so this page loads the next one.
 */
async function exchangeKey(
  given: string,
  visit: Visit,
  source: InspectorSource,
): Promise<InspectorAnswer> {
  const { key } = source
  if (!(await sameText(given, key))) return inspectorText(403, keyMissing(source))
  // Without the icon a browser would ask for /favicon.ico, which dev would record as a request.
  const html = `<!doctype html>
<meta http-equiv="refresh" content="0; url=${FOLDER}">
<link rel="icon" href="${FOLDER}icon.svg">
<title>Hookline</title>
<a href="${FOLDER}">Open the inspector</a>
`
  const cookie = `${cookieName(visit)}=${key}; Path=${FOLDER}; HttpOnly; SameSite=Strict`
  return inspectorResponse(200, 'text/html; charset=utf-8', html, { 'set-cookie': cookie })
}

export function inspectorText(status: number, body: string): InspectorAnswer {
  return inspectorResponse(status, 'text/plain; charset=utf-8', `${body}\n`)
}

export function inspectorJson(value: object): InspectorAnswer {
  return inspectorResponse(200, 'application/json', JSON.stringify(value))
}

function inspectorResponse(
  status: number,
  type: string,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): InspectorAnswer {
  return { reply: { status, headers: { ...EVERY_ANSWER, 'content-type': type, ...headers }, body } }
}

const LOOPBACK_ADDRESS = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/
/** Any port, because it may be forwarded. No other name, because a foreign DNS server could point it here. */
const LOOPBACK_HOST = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i
/** A tunnel ends on this machine, but its clients are elsewhere. */
const FORWARDED = /^(forwarded|via|x-real-ip|x-forwarded-.+|cf-.+|ngrok-.+)$/

/**
 * The reason to refuse a visitor; `undefined` for a browser of this machine.
 *
 * - Address and forwarding headers keep other machines out.
 * - `Host` keeps out a foreign page whose own name was pointed at this machine (DNS rebinding).
 * - `Origin` and `Sec-Fetch-Site` keep out every other page of this browser.
 */
export function accessRefusal({
  address,
  headers,
}: Pick<Visit, 'address' | 'headers'>): string | undefined {
  const { origin, 'sec-fetch-site': site = 'none', 'sec-fetch-mode': mode } = headers
  const host = String(headers.host)
  if (!LOOPBACK_ADDRESS.test(address ?? '')) return 'only this machine has access'
  if (Object.keys(headers).some((name) => FORWARDED.test(name))) {
    return 'forwarded requests are refused'
  }
  if (!LOOPBACK_HOST.test(host)) return 'open it as http://localhost'
  const isOwnOrigin = origin === undefined || origin === `http://${host}`
  // Browsers send this header since 2023. A link on another page may open the page, and nothing else.
  const isOwnPage = site === 'same-origin' || site === 'none' || mode === 'navigate'
  return isOwnOrigin && isOwnPage ? undefined : 'the request comes from another page'
}

export interface StreamedEvent {
  readonly name: string
  /** One line. */
  readonly data: string
}

/** Readers at a time; a browser opens at most six connections to one host. */
const MOST_READERS = 32
/** Bytes that wait for a slow reader; a disconnected reader may reconnect. */
const MOST_WAITING = 16 * 1024 * 1024
/** Milliseconds until a browser that lost the connection tries again. */
const RETRY = 1000
const HEARTBEAT = 15_000

/** Open responses, to which every event is written. */
class EventStream {
  readonly #readers = new Set<ServerResponse>()
  readonly #heartbeat = setInterval(() => this.#write(': still here\n\n'), HEARTBEAT).unref()

  /** Adds a response whose head is not written yet, and writes its first events. */
  open(
    response: ServerResponse,
    headers: Readonly<Record<string, string>>,
    first: readonly StreamedEvent[],
  ): void {
    if (this.#readers.size >= MOST_READERS) {
      response.writeHead(503, headers).end()
      return
    }
    response.writeHead(200, headers)
    response.write(`retry: ${RETRY}\n\n${first.map(eventText).join('')}`)
    this.#readers.add(response)
    response.on('close', () => this.#readers.delete(response))
  }

  send(event: StreamedEvent): void {
    this.#write(eventText(event))
  }

  close(): void {
    clearInterval(this.#heartbeat)
    for (const reader of this.#readers) reader.end()
  }

  #write(text: string): void {
    for (const reader of this.#readers) {
      if (reader.writableLength > MOST_WAITING) reader.destroy()
      else reader.write(text)
    }
  }
}

function eventText({ name, data }: StreamedEvent): string {
  return `event: ${name}\ndata: ${data}\n\n`
}

export function listChanged(change: ListChange): StreamedEvent {
  return { name: 'requests', data: JSON.stringify(change) }
}
