import { fields, parseBody } from './body.ts'
import { bodyBytes } from './bytes.ts'
import { PayloadError } from './errors.ts'
import { type Json, type JsonObject, record } from './json.ts'
import { parseWebhookPath, type WebhookPath } from './path.ts'
import { type ClientPayload, HEADER, RESERVED_HEADER_PREFIX } from './payload.ts'

/** A forwarded request, with its parts parsed once, for every trigger to read. */
export interface WebhookRequest extends WebhookPath {
  /** Lower case. */
  readonly method: string
  /** All that travelled, lower-case names; the relay's metadata and the sender's credentials too. */
  readonly headers: Readonly<Record<string, string>>
  /** Decoded query parameters; a repeated one is an array. */
  readonly query: JsonObject
  /** Parsed by content type; see `parseBody`. */
  readonly body: Json
  /** True when the body is no text: `body` is its base64. */
  readonly binary: boolean
  /** The body as it was received, for signatures. */
  readonly bytes: Uint8Array
  /** The relay's id of this delivery. */
  readonly delivery: string | undefined
  /** When the relay received it: ISO 8601, UTC. */
  readonly receivedAt: string | undefined
}

/** @throws PayloadError when a body does not decode as its `x-hookline-body-encoding` says */
export async function readWebhookRequest(payload: ClientPayload): Promise<WebhookRequest> {
  const path = parseWebhookPath(payload.path)
  const { headers } = payload
  return {
    ...path,
    method: payload.method.toLowerCase(),
    headers,
    query: fields(new URLSearchParams(path.querystring)),
    ...(await readBody(payload)),
    delivery: headers[HEADER.delivery],
    receivedAt: headers[HEADER.receivedAt],
  }
}

type ReceivedBody = Pick<WebhookRequest, 'body' | 'binary' | 'bytes'>

async function readBody({ body, headers }: ClientPayload): Promise<ReceivedBody> {
  if (typeof body !== 'string') return { body, binary: false, bytes: jsonBytes(body) }
  const bytes = await receivedBytes(body, headers[HEADER.bodyEncoding])
  const isJson = 'x-amz-sns-message-type' in headers
  return { ...(await parseBody(bytes, headers['content-type'] ?? '', isJson)), bytes }
}

function jsonBytes(body: Json): Uint8Array {
  return new TextEncoder().encode(body === null ? '' : JSON.stringify(body))
}

async function receivedBytes(body: string, encoding: string | undefined): Promise<Uint8Array> {
  try {
    return await bodyBytes(body, encoding)
  } catch (cause) {
    throw new PayloadError(
      `client_payload.body is not ${encoding}, as its ${HEADER.bodyEncoding} says`,
      { cause },
    )
  }
}

/** They prove the sender. Never in the outputs: GitHub would not hand on one with a secret either. */
export const CREDENTIAL_HEADERS: ReadonlySet<string> = new Set([
  'authorization',
  'x-api-key',
  'x-auth-token',
  'x-gitlab-token',
  'x-telegram-bot-api-secret-token',
])

/**
 * The headers that a workflow sees: without credentials, and without the relay's metadata. Only
 * `x-hookline-body-encoding: base64` stays, since it tells that `body` is base64 of bytes.
 *
 * @param credentials names of what proved the sender, besides those that always do
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

/** The query that a workflow sees, in its three forms: without the parameters that are credentials. */
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
