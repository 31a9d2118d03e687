import { bodyBytes } from '../../wire/bytes.ts'
import { HEADER, RESERVED_HEADER_PREFIX, readClientPayload } from '../../wire/payload.ts'

/** A request that is about to be sent. */
export interface OutgoingRequest {
  /** Upper case. */
  readonly method: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBufferLike>
}

/** A request as it was saved, with the path that followed the repository, or `/webhook/`. */
export interface SavedRequest extends OutgoingRequest {
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
