import { bodyBytes, toBase64, utf8Text } from './bytes.ts'
import { decodeContent } from './content-encoding.ts'
import { PayloadError, UserError } from './errors.ts'
import { type Json, type JsonObject, parseJson, record } from './json.ts'
import { parseWebhookPath, splitOnce, type WebhookPath } from './path.ts'
import { type ClientPayload, HEADER, RESERVED_HEADER_PREFIX } from './payload.ts'

/** A forwarded request, parsed once for every trigger. */
export interface WebhookRequest extends WebhookPath {
  /** Lower case. */
  readonly method: string
  /**
   * All forwarded headers by lower-case name, including the relay's metadata and the sender's
   * credentials.
   */
  readonly headers: Readonly<Record<string, string>>
  /** Decoded query parameters; a repeated parameter is an array. */
  readonly query: JsonObject
  /** Parsed by content type; see `parseBody`. */
  readonly body: Json
  /** True if the body is binary; `body` is then base64. */
  readonly binary: boolean
  /** Why the body is not what its content type says. */
  readonly fault?: string | undefined
  /** The body as received, for signatures. */
  readonly bytes: Uint8Array
  /** The relay's id of this delivery. */
  readonly delivery: string | undefined
  /** When the relay received the request: ISO 8601, UTC. */
  readonly receivedAt: string | undefined
}

/**
 * @throws UserError for an encoding that this version does not know
 * @throws PayloadError if a body cannot be decoded as its `x-hookline-body-encoding` says
 */
export async function readWebhookRequest(payload: ClientPayload): Promise<WebhookRequest> {
  const path = parseWebhookPath(payload.path)
  const { headers, method, body } = payload
  checkEncoding(headers[HEADER.bodyEncoding])
  return {
    ...path,
    method: method.toLowerCase(),
    headers,
    query: fields(new URLSearchParams(path.querystring)),
    ...(typeof body === 'string'
      ? await receivedBody(body, headers)
      : { body, binary: false, bytes: jsonBytes(body) }),
    delivery: headers[HEADER.delivery],
    receivedAt: headers[HEADER.receivedAt],
  }
}

/** @throws UserError for a body that this version cannot decode, because nothing of it may be lost silently */
function checkEncoding(encoding: string | undefined): void {
  if (encoding === undefined || encoding === 'base64' || encoding === 'gzip') return
  throw new UserError(
    encoding === 'url'
      ? {
          message: 'the body of this event is stored at its relay, and only the action fetches it',
          hint: 'Open the run of the event on GitHub.',
        }
      : {
          message: `${HEADER.bodyEncoding} is ${nameOf(encoding)}, which this version does not know`,
          hint: 'Update the action to the version of the relay.',
        },
  )
}

/** Nothing of a payload is shown, but for a word. */
function nameOf(encoding: string): string {
  return /^[\w-]{1,20}$/.test(encoding) ? JSON.stringify(encoding) : 'a value'
}

function jsonBytes(body: Json): Uint8Array {
  return new TextEncoder().encode(body === null ? '' : JSON.stringify(body))
}

async function receivedBody(body: string, headers: ClientPayload['headers']) {
  const encoding = headers[HEADER.bodyEncoding]
  const bytes = await bodyBytes(body, encoding).catch((cause: unknown) => {
    const message = `client_payload.body is not ${encoding}, as its ${HEADER.bodyEncoding} says`
    throw new PayloadError(message, { cause })
  })
  const isJson = 'x-amz-sns-message-type' in headers
  const contentEncoding = headers['content-encoding']
  const contentType = headers['content-type'] ?? ''
  if (!contentEncoding || bytes.length === 0) {
    return { ...(await parseBody(bytes, contentType, isJson)), bytes }
  }
  const decoded = await decodeContent(bytes, contentEncoding)
  const parsed = await parseBody(decoded.bytes, contentType, isJson)
  // Signatures cover the received bytes, before `content-encoding` is decoded.
  return { ...parsed, ...(decoded.fault && { fault: `body: ${decoded.fault}` }), bytes }
}

interface ParsedBody {
  /**
   * The trigger's `body`: an object for JSON and forms, else a string; `null` for an empty body.
   */
  readonly body: Json
  /** True if the bytes are no valid text; `body` is then their base64. */
  readonly binary: boolean
  /** Why the body is not what its content type says. */
  readonly fault?: string
}

/**
 * Parses a body by its content type: JSON, urlencoded and multipart forms. Without one of these, a
 * body that begins with `{` or `[` is parsed as JSON. If parsing fails, the body remains a string.
 */
export async function parseBody(
  bytes: Uint8Array,
  contentType: string,
  isJson: boolean,
): Promise<ParsedBody> {
  if (bytes.length === 0) return { body: null, binary: false }
  const form =
    mediaType(contentType) === 'multipart/form-data'
      ? await multipart(bytes, contentType)
      : undefined
  if (form) return { body: form, binary: false }
  const encodedForm = decodeForm(bytes, contentType)
  if (encodedForm) return { body: encodedForm, binary: false }
  const text = decodeText(bytes, contentType)
  if (text === undefined) return { body: toBase64(bytes), binary: true }
  return { ...parseText(text, contentType, isJson), binary: false }
}

function parseText(
  text: string,
  contentType: string,
  isJson: boolean,
): Pick<ParsedBody, 'body' | 'fault'> {
  const content = text.replace(/^\uFEFF/, '')
  const type = mediaType(contentType)
  if (type === 'application/x-www-form-urlencoded') {
    return { body: fields(new URLSearchParams(content)) }
  }
  const isDeclared = /^application\/json$|\+json$/.test(type)
  if (!isDeclared && !isJson && !/^[[{]/.test(content)) return { body: text }
  try {
    return { body: parseJson(content) }
  } catch {
    if (!isDeclared) return { body: text }
    return {
      body: text,
      fault: `body: is no JSON, though its content type is ${type}; it stays text`,
    }
  }
}

/**
 * The fields of a urlencoded form in a charset other than UTF-8; `undefined` for any other body,
 * and for bytes that are invalid in the charset.
 */
function decodeForm(bytes: Uint8Array, contentType: string): JsonObject | undefined {
  const charset = charsetOf(contentType)
  const isForm = mediaType(contentType) === 'application/x-www-form-urlencoded'
  if (!isForm || !charset || /^utf-?8$/i.test(charset)) return undefined
  // One character for each byte, so that percent-encoded and plain bytes are decoded in the same
  // way.
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
  const decode = (encoded: string) => decodeCharset(percentDecoded(encoded), charset)
  const entries: (readonly [string, string])[] = []
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const [name, value] = splitOnce(pair, '=').map(decode)
    if (name === undefined || value === undefined) return undefined
    entries.push([name, value])
  }
  return fields(entries)
}

/** @param text one character for each byte */
function percentDecoded(text: string): Uint8Array {
  const raw = text
    .replaceAll('+', ' ')
    .replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Uint8Array.from(raw, (character) => character.charCodeAt(0))
}

function charsetOf(contentType: string): string | undefined {
  return /;\s*charset="?([\w.:-]+)/i.exec(contentType)?.[1]
}

function decodeText(bytes: Uint8Array, contentType: string): string | undefined {
  const charset = charsetOf(contentType)
  return utf8Text(bytes) ?? (charset ? decodeCharset(bytes, charset) : undefined)
}

/**
 * Decodes the charset that the sender declared; `undefined` for an unknown charset or invalid
 * bytes.
 */
function decodeCharset(bytes: Uint8Array, charset: string): string | undefined {
  try {
    const decoder = new TextDecoder(charset, { fatal: true })
    const text = decoder.decode(bytes)
    return decoder.encoding === 'windows-1252' ? withSigns(text) : text
  } catch {
    return undefined
  }
}

/** Characters of windows-1252 from 0x80 on, where ISO 8859-1 has control characters. */
const SIGNS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

/**
 * Many versions of Node from 20.18.3, and workerd, decode windows-1252 as ISO 8859-1:
 * https://github.com/nodejs/node/issues/60888, https://github.com/cloudflare/workerd/issues/6027
 */
function withSigns(text: string): string {
  return text.replaceAll(/[\u0080-\u009f]/g, (sign) => SIGNS[sign.charCodeAt(0) - 0x80] ?? sign)
}

/** The media type without its parameters, in lower case: `application/json`. */
export function mediaType(contentType: string): string {
  return (contentType.split(';')[0] ?? '').trim().toLowerCase()
}

/** Fields by name, repeated fields as arrays: the shape of `query` and of form bodies. */
function fields<Value extends Json>(entries: Iterable<readonly [string, Value]>): JsonObject {
  const values = new Map<string, Value[]>()
  for (const [name, value] of entries) {
    const earlier = values.get(name)
    if (earlier) earlier.push(value)
    else values.set(name, [value])
  }
  return record([...values].map(([name, all]) => [name, all.length === 1 ? (all[0] ?? null) : all]))
}

/** The fields of a multipart form; `undefined` if the bytes are not one. */
async function multipart(bytes: Uint8Array, contentType: string): Promise<JsonObject | undefined> {
  try {
    const response = new Response(new Uint8Array(bytes), {
      headers: { 'content-type': contentType },
    })
    const form = await response.formData()
    const entries = [...form].map(async ([name, value]) => [name, await formValue(value)] as const)
    return fields(await Promise.all(entries))
  } catch {
    return undefined
  }
}

async function formValue(value: string | File): Promise<Json> {
  if (typeof value === 'string') return value
  const content = toBase64(new Uint8Array(await value.arrayBuffer()))
  return { filename: value.name, type: value.type, size: value.size, content }
}

/**
 * Headers that authenticate the sender. They are never in the outputs, also because GitHub drops
 * outputs that contain a secret.
 */
export const CREDENTIAL_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'x-api-key',
  'x-auth-token',
  'x-gitlab-token',
  'x-telegram-bot-api-secret-token',
])

/**
 * The headers for a workflow: without credentials and without the relay's metadata. Only
 * `x-hookline-body-encoding: base64` remains, because it says that `body` is base64.
 *
 * @param credentials further headers that authenticated the sender
 */
export function visibleHeaders(
  { headers, binary }: WebhookRequest,
  credentials: readonly string[] = [],
): Record<string, string> {
  const visible = Object.entries(headers).filter(
    ([name]) =>
      !CREDENTIAL_HEADERS.has(name) &&
      !credentials.includes(name) &&
      !name.startsWith(RESERVED_HEADER_PREFIX),
  )
  return record(binary ? [...visible, [HEADER.bodyEncoding, 'base64']] : visible)
}

/** The query for a workflow, in its three forms, without the parameters that are credentials. */
export function visibleQuery(
  { querystring }: WebhookRequest,
  credentials: readonly string[] = [],
): { readonly query: JsonObject; readonly querystring: string; readonly search: string } {
  const visible = querystring
    .split('&')
    .filter(
      (pair) => ![...new URLSearchParams(pair).keys()].some((name) => credentials.includes(name)),
    )
    .join('&')
  return {
    query: fields(new URLSearchParams(visible)),
    querystring: visible,
    search: visible && `?${visible}`,
  }
}
