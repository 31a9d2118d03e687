import { CLIENT_HEADERS } from '../../inspector/client-headers.ts'
import type { Outgoing, OutgoingRequest } from '../../triggers/sender.ts'
import { bodyBytes } from '../../wire/bytes.ts'
import { UserError } from '../../wire/errors.ts'
import { parseJson } from '../../wire/json.ts'
import { HEADER, RESERVED_HEADER_PREFIX, readClientPayload } from '../../wire/payload.ts'
import { readFile } from '../files.ts'
import { unknownName } from '../flag-values.ts'
import { EXAMPLES } from './example-events.ts'

export interface RequestOptions {
  readonly example?: string
  readonly file?: string
  readonly method?: string
  readonly header: readonly string[]
  readonly data?: string
}

export interface AddressedRequest extends Outgoing {
  /** Signature scheme of the sender, if it is known. */
  readonly scheme?: string | undefined
}

/** The request of --example, --file or --data, changed by --method, --header and --data. @throws UserError */
export async function outgoingRequest(
  url: URL,
  options: RequestOptions,
): Promise<AddressedRequest> {
  const source = await requestSource(url, options)
  const { method = source.request.method, header, data } = options
  const headers = { ...source.request.headers, ...Object.fromEntries(header.map(parseHeader)) }
  let { body } = source.request
  // `@file`, as in curl.
  if (data?.startsWith('@')) body = readFile(data.slice(1), '--data')
  else if (data !== undefined) body = new TextEncoder().encode(data)
  return { ...source, request: { method: method.toUpperCase(), headers, body } }
}

async function requestSource(
  url: URL,
  { example, file, data }: RequestOptions,
): Promise<AddressedRequest> {
  if (example !== undefined) {
    const known = EXAMPLES.get(example)
    if (!known) throw unknownName('example event', example, [...EXAMPLES.keys()])
    const { headers, body } = known.request({ id: crypto.randomUUID(), now: new Date() })
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const request = { method: 'POST', headers, body: new TextEncoder().encode(text) }
    return { url, request, scheme: known.scheme }
  }
  if (file === undefined) {
    const [method, headers] =
      data === undefined ? ['GET', {}] : ['POST', { 'content-type': 'application/json' }]
    return { url, request: { method, headers, body: new Uint8Array() } }
  }
  const text = new TextDecoder().decode(readFile(file, '--file'))
  try {
    const saved = await readSaved(parseJson(text))
    return { url: savedTarget(url, saved), request: saved }
  } catch (cause) {
    const message = `${file} is not a saved request`
    const hint = 'Write JSON with the keys method, path, headers and body.'
    throw new UserError({ message, hint }, { cause })
  }
}

function parseHeader(text: string): [name: string, value: string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*([\x20-\x7e\t]*)$/.exec(text) ?? []
  if (name !== undefined && value !== undefined) return [name.toLowerCase(), value]
  throw new UserError({ message: '--header is invalid', hint: 'Write --header "name: value".' })
}

/** A saved request. Its path begins after the repository, or after `/webhook/`. */
interface SavedRequest extends OutgoingRequest {
  /** `<workflow>/<trigger>[/<suffix>][?<query>]` */
  readonly path: string
}

/**
 * Reads a saved request, which has the four keys of a `client_payload`.
 *
 * @throws PayloadError for an invalid key
 * @throws RangeError or DOMException for a body that cannot be decoded
 */
export async function readSaved(value: unknown): Promise<SavedRequest> {
  const { path, method, headers, body } = readClientPayload(value)
  const text = typeof body === 'string' ? body : body === null ? '' : JSON.stringify(body)
  const sent = Object.entries(headers).filter(
    ([name]) =>
      !CLIENT_HEADERS.has(name) &&
      name !== 'transfer-encoding' &&
      !name.startsWith(RESERVED_HEADER_PREFIX),
  )
  return {
    path: path.replace(/^\//, ''),
    method: method.toUpperCase(),
    headers: Object.fromEntries(sent),
    body: await bodyBytes(text, headers[HEADER.bodyEncoding]),
  }
}

/**
 * The URL for a saved request. The saved path is appended to an address of at most two segments,
 * `https://relay/owner/name` or `http://localhost:3000/webhook`. A longer address is a webhook URL and
 * replaces the saved path.
 */
export function savedTarget(address: URL, { path }: SavedRequest): URL {
  const segments = address.pathname.split('/').filter(Boolean)
  if (segments.length > 2 || path === '') return address
  const base = address.href.slice(0, address.href.length - address.search.length).replace(/\/$/, '')
  const separator = path.includes('?') ? '&' : '?'
  const own = address.search.slice(1)
  return new URL(`${base}/${path}${own && `${separator}${own}`}`)
}
