import type { BodyEncoding } from './bytes.ts'
import { PayloadError } from './errors.ts'
import { isObject, type Json, parseJson, record, typeName } from './json.ts'

/** `event_type` of every dispatch that carries a webhook. */
export const EVENT_TYPE = 'webhook'

/**
 * How the relay starts a workflow: `repository` creates a `repository_dispatch` event, which starts every
 * workflow that listens; `workflow` creates a `workflow_dispatch` event, which starts one workflow by name.
 */
export const DISPATCH_MODES = ['repository', 'workflow'] as const

export type DispatchMode = (typeof DISPATCH_MODES)[number]

export type DispatchEvent = `${DispatchMode}_dispatch`

export const DISPATCH_EVENTS = DISPATCH_MODES.map(dispatchEvent)

export function isDispatchMode(value: unknown): value is DispatchMode {
  return DISPATCH_MODES.some((mode) => mode === value)
}

export function dispatchEvent(mode: DispatchMode): DispatchEvent {
  return `${mode}_dispatch`
}

/** The input of a `workflow_dispatch` that carries a webhook, as the JSON text of its payload. */
export const WORKFLOW_INPUT = 'hookline'

/**
 * The payload from the relay to the action: exactly these four keys.
 *
 * - `path`: the part after `<owner>/<repo>/`, undecoded, with the query string, without reserved
 * parameters
 * - `method`: upper case
 * - `headers`: lower-case names; the relay's own metadata in `x-hookline-*`
 * - `body`: the received string, or encoded as `x-hookline-body-encoding` says; `null` if there was
 * none, or if the relay stores it (`x-hookline-body-encoding: url`). A dispatch without the relay may contain any JSON value.
 */
export interface ClientPayload {
  readonly path: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Json
}

/**
 * A payload whose body the relay stores, with the bytes of the body after they are fetched; `body` is `null`
 * then, because a large string takes several times their memory.
 */
export interface FetchedPayload extends ClientPayload {
  readonly bytes?: Uint8Array
}

/** Names of the relay's own headers, in payloads and in responses to the sender. */
export const HEADER = {
  delivery: 'x-hookline-delivery',
  receivedAt: 'x-hookline-received-at',
  bodyEncoding: 'x-hookline-body-encoding',
  /** In a payload whose body the relay stores: the address of the body, its SHA-256 and its length. */
  bodyUrl: 'x-hookline-body-url',
  bodySha256: 'x-hookline-body-sha256',
  bodyLength: 'x-hookline-body-length',
  /** In a payload: the number of events of the batch. */
  batch: 'x-hookline-batch',
  /** In a payload: the id of the delivery that this one replays. */
  replayOf: 'x-hookline-replay-of',
  /** In a response: the address of the run that was started. */
  run: 'x-hookline-run',
  /** In a response: `true` if the relay stored the event. */
  queued: 'x-hookline-queued',
  /** In a response: why an accepted event may start nothing: `no_trigger`, or in `dev` `nothing_fired`. */
  hint: 'x-hookline-hint',
  /** In a response: `true` if the condition of the endpoint dropped the event, `error` if it failed. */
  filtered: 'x-hookline-filtered',
  /** In a response: why the relay stored the event: an error code, `queued`, `stored` or `batch`. */
  reason: 'x-hookline-reason',
} as const

/** The facts that the relay adds to an event. Each is one header of the payload, which the output `headers` omits. */
export interface EventMetadata {
  /** The delivery id, a UUID. */
  readonly delivery: string
  /** ISO 8601, UTC. */
  readonly receivedAt: string
  /** Absent for a body that is sent as it is; `url` for one that the relay stores. */
  readonly bodyEncoding?: BodyEncoding | 'url' | undefined
  /** Address of a stored body. Anyone with the address can read it. */
  readonly bodyUrl?: string | undefined
  /** SHA-256 of a stored body, in hexadecimal digits. */
  readonly bodySha256?: string | undefined
  /** Bytes of a stored body. */
  readonly bodyLength?: number | undefined
  readonly batch?: number | undefined
}

/** The facts in the order in which their headers are written. A fact that is missing here is not written. */
const METADATA: readonly (keyof EventMetadata)[] = [
  ...(['batch', 'delivery', 'receivedAt'] as const),
  ...(['bodyEncoding', 'bodyUrl', 'bodySha256', 'bodyLength'] as const),
]

const NOTHING = Object.freeze(Object.create(null))

/**
 * The headers of a payload: those of the request, and one for each fact that the relay adds.
 *
 * @param forwarded by lower-case name, without `x-hookline-*`
 */
export function payloadHeaders(
  forwarded: Iterable<readonly [name: string, value: string]>,
  metadata: EventMetadata,
): Record<string, string> {
  // Inherits nothing, because a header may have the name `__proto__`. JSON.stringify is slow for `Object.create(null)`.
  const headers: Record<string, string> = Object.create(NOTHING)
  for (const [name, value] of forwarded) headers[name] = value
  for (const fact of METADATA) {
    const value = metadata[fact]
    if (value !== undefined) headers[HEADER[fact]] = String(value)
  }
  return headers
}

/** The prefix of the relay's own headers; the relay drops such headers of a request. */
export const RESERVED_HEADER_PREFIX = 'x-hookline-'

/** The `client_payload` as JSON, for the size check and the dispatch. */
export function writeClientPayload({ path, method, headers, body }: ClientPayload): string {
  return JSON.stringify({ path, method, headers, body })
}

/** The body of `POST /repos/{owner}/{repo}/dispatches` with a written `client_payload`. */
export function writeDispatch(clientPayload: string): string {
  return `{"event_type":"${EVENT_TYPE}","client_payload":${clientPayload}}`
}

/**
 * The body of `POST …/actions/workflows/{file}/dispatches`, with a written `client_payload` as its
 * only input `hookline`.
 *
 * @param flags further fields, which request the run in the response
 */
export function writeWorkflowDispatch(
  clientPayload: string,
  ref: string,
  flags: Readonly<Record<string, true>>,
): string {
  const inputs = `{"${WORKFLOW_INPUT}":${JSON.stringify(clientPayload)}}`
  const further = Object.keys(flags).map((name) => `,"${name}":true`)
  return `{"ref":${JSON.stringify(ref)},"inputs":${inputs}${further.join('')}}`
}

/** A GitHub event: its name (`GITHUB_EVENT_NAME`) and payload (the file at `GITHUB_EVENT_PATH`). */
export interface GitHubEvent {
  readonly name: string
  readonly payload: Json
}

/**
 * The `client_payload` of a webhook; `undefined` for any other event. A `workflow_dispatch`
 * contains it as JSON in its input `hookline`; if that is empty, a person started the workflow
 * manually.
 *
 * @throws PayloadError if the input is not JSON
 */
export function webhookPayload({ name, payload }: GitHubEvent): Json | undefined {
  if (!isObject(payload)) return undefined
  if (name === 'repository_dispatch' && payload.action === EVENT_TYPE) {
    return (payload.client_payload ?? null) as Json // parsed from JSON
  }
  if (name !== 'workflow_dispatch' || !isObject(payload.inputs)) return undefined
  const { [WORKFLOW_INPUT]: hookline } = payload.inputs
  if (typeof hookline !== 'string' || hookline.trim() === '') return undefined
  try {
    return parseJson(hookline)
  } catch {
    throw new PayloadError('the input hookline of this workflow_dispatch is not JSON')
  }
}

/**
 * Parses a `client_payload`. It accepts the relay's own form and a dispatch without the relay: a
 * missing method is `POST` with a body, else `GET`; missing headers are none; headers may be a JSON
 * string.
 *
 * @throws PayloadError that names the property with the wrong type
 */
export function readClientPayload(value: unknown): ClientPayload {
  if (!isObject(value)) throw new PayloadError('client_payload is not an object')
  const body = (value.body ?? null) as Json // parsed from JSON
  return {
    path: requiredString(value.path, 'path'),
    method: requiredString(
      value.method ?? (body === null || body === '' ? 'GET' : 'POST'),
      'method',
    ),
    headers: headersFrom(value.headers ?? {}),
    body,
  }
}

function requiredString(value: unknown, name: string): string {
  if (typeof value === 'string') return value
  throw new PayloadError(`client_payload.${name} is ${typeName(value)}, not a string`)
}

function headersFrom(value: unknown): Record<string, string> {
  const headers = typeof value === 'string' ? parsedHeaders(value) : value
  if (!isObject(headers))
    throw new PayloadError(`client_payload.headers is ${typeName(headers)}, not an object`)
  const entries = Object.entries(headers).map(
    ([name, content]) => [name.toLowerCase(), headerText(content)] as const,
  )
  return record(entries)
}

function parsedHeaders(value: string): unknown {
  try {
    return parseJson(value)
  } catch {
    throw new PayloadError('client_payload.headers is a string that is not JSON')
  }
}

function headerText(content: unknown): string {
  if (Array.isArray(content)) return content.map(headerText).join(', ')
  return typeof content === 'string' ? content : JSON.stringify(content)
}
