import { readFileSync } from 'node:fs'
import type { Outgoing, OutgoingRequest } from '../../triggers/sender.ts'
import { bodyBytes } from '../../wire/bytes.ts'
import { UserError } from '../../wire/errors.ts'
import { parseJson } from '../../wire/json.ts'
import { HEADER, RESERVED_HEADER_PREFIX, readClientPayload } from '../../wire/payload.ts'
import { didYouMean } from '../../workflow/suggestion.ts'
import { FIXTURES } from './fixtures.ts'

export interface RequestOptions {
  readonly fixture?: string
  readonly file?: string
  readonly method?: string
  readonly header: readonly string[]
  readonly data?: string
}

/** A request with the place it goes to. */
export interface Addressed extends Outgoing {
  /** How its sender signs, where that is known. */
  readonly scheme?: string | undefined
}

/** Other options than the source of the request change it. @throws UserError for a wrong option */
export async function outgoingRequest(url: URL, options: RequestOptions): Promise<Addressed> {
  const source = await sourceOf(url, options)
  const { method = source.request.method, header, data } = options
  const headers = { ...source.request.headers, ...Object.fromEntries(header.map(parseHeader)) }
  let { body } = source.request
  // Text, or `@file` as curl has it.
  if (data?.startsWith('@')) body = readBytes(data.slice(1), '--data')
  else if (data !== undefined) body = new TextEncoder().encode(data)
  return { ...source, request: { method: method.toUpperCase(), headers, body } }
}

async function sourceOf(url: URL, { fixture, file, data }: RequestOptions): Promise<Addressed> {
  if (fixture !== undefined) {
    const known = FIXTURES.get(fixture)
    if (!known) {
      const names = [...FIXTURES.keys()]
      const hint = didYouMean(fixture, names)
      throw new UserError({
        message: `unknown fixture ${JSON.stringify(fixture)}`,
        ...(hint && { hint }),
        notes: [`fixtures: ${names.join(', ')}`],
      })
    }
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
  const text = new TextDecoder().decode(readBytes(file, '--file'))
  try {
    const saved = await readSaved(parseJson(text))
    return { url: savedTarget(url, saved), request: saved }
  } catch (cause) {
    const message = `${file} is not a saved request`
    const hint = 'it is JSON with the keys method, path, headers and body'
    throw new UserError({ message, hint }, { cause })
  }
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
  throw new UserError({ message: '--header is not a header', hint: 'write it as "name: value"' })
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
