import { bodyBytes } from './bytes.ts'
import { decodeContent } from './content-encoding.ts'
import { PayloadError, UserError } from './errors.ts'
import { type Json, type JsonObject, record, type SentDigits } from './json.ts'
import { type Message, warning } from './messages.ts'
import { parseWebhookPath, type WebhookPath } from './path.ts'
import {
  type ClientPayload,
  type FetchedPayload,
  HEADER,
  RESERVED_HEADER_PREFIX,
} from './payload.ts'
import { type BodyContent, fields, readBody } from './read-body.ts'

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
  /** Read by content type; see `readBody`. */
  readonly body: Json
  /** True if the body is binary; `body` is then base64. */
  readonly binary: boolean
  /** Why the body is not what its content type or `content-encoding` says. */
  readonly faults: readonly Message[]
  /** Digits of numbers in the body that the outputs need. */
  readonly digits: SentDigits
  /** The body as received, for signatures. */
  readonly bytes: Uint8Array
  /** The body without its `content-encoding`, which some senders sign instead; absent without one. */
  readonly decodedBytes?: Uint8Array
  /** The relay's id of this delivery. */
  readonly delivery: string | undefined
  /** When the relay received the request: ISO 8601, UTC. */
  readonly receivedAt: string | undefined
}

/**
 * @throws UserError for an encoding that this version does not know
 * @throws PayloadError if a body cannot be decoded as its `x-hookline-body-encoding` says
 */
export async function readWebhookRequest(payload: FetchedPayload): Promise<WebhookRequest> {
  const path = parseWebhookPath(payload.path)
  const { headers, method, body, bytes } = payload
  checkEncoding(headers[HEADER.bodyEncoding])
  return {
    ...path,
    method: method.toLowerCase(),
    headers,
    query: fields(new URLSearchParams(path.querystring)),
    ...(bytes !== undefined || typeof body === 'string'
      ? await receivedBody(bytes ?? (await sentBytes(String(body), headers)), headers)
      : {
          body,
          binary: false,
          faults: [],
          digits: new Map(),
          bytes: new TextEncoder().encode(body === null ? '' : JSON.stringify(body)),
        }),
    delivery: headers[HEADER.delivery],
    receivedAt: headers[HEADER.receivedAt],
  }
}

/** @throws UserError for a body that this version cannot decode, because nothing of it may be lost silently */
function checkEncoding(encoding: string | undefined): void {
  if (encoding === undefined || encoding === 'base64' || encoding === 'gzip') return
  // Nothing of a payload is shown, but for a word.
  const shown = /^[\w-]{1,20}$/.test(encoding) ? JSON.stringify(encoding) : 'a value'
  throw new UserError(
    encoding === 'url'
      ? {
          message: 'the body of this event is stored at its relay, and only the action fetches it',
          hint: 'Open the run of the event on GitHub.',
        }
      : {
          message: `${HEADER.bodyEncoding} is ${shown}, which this version does not know`,
          hint: 'Update the action to the version of the relay.',
        },
  )
}

async function sentBytes(body: string, headers: ClientPayload['headers']): Promise<Uint8Array> {
  const encoding = headers[HEADER.bodyEncoding]
  try {
    return await bodyBytes(body, encoding)
  } catch (cause) {
    const message = `client_payload.body is not ${encoding}, as its ${HEADER.bodyEncoding} says`
    throw new PayloadError(message, { cause })
  }
}

async function receivedBody(bytes: Uint8Array, headers: ClientPayload['headers']) {
  const { read, ...decoded } = await openBody(bytes, headers)
  return { ...read(), ...decoded, bytes }
}

interface OpenBody extends Pick<WebhookRequest, 'decodedBytes'> {
  /** Parses the content, which takes time and memory for a large body. */
  read(): BodyContent
}

export async function openBody(
  bytes: Uint8Array,
  headers: ClientPayload['headers'],
): Promise<OpenBody> {
  const contentEncoding = headers['content-encoding']
  if (!contentEncoding || bytes.length === 0) return { read: () => readBody(bytes, headers) }
  const { bytes: decodedBytes, fault } = await decodeContent(bytes, contentEncoding)
  if (fault === undefined) return { decodedBytes, read: () => readBody(decodedBytes, headers) }
  return {
    read() {
      const content = readBody(bytes, headers, true)
      return { ...content, faults: [warning(UNDECODED_BODY, fault), ...content.faults] }
    },
  }
}

/** The code of the message about a body whose `content-encoding` cannot be decoded. */
export const UNDECODED_BODY = 'body-encoding'

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

/**
 * The fields of a request for a workflow.
 *
 * @param credentials headers and query parameters that authenticated the sender
 */
export function visibleFields(
  request: WebhookRequest,
  credentials: { readonly headers?: readonly string[]; readonly query?: readonly string[] } = {},
) {
  return {
    headers: visibleHeaders(request, credentials.headers),
    ...visibleQuery(request, credentials.query ?? []),
    body: request.body,
  }
}

/** The query for a workflow, in its three forms, without the parameters that are credentials. */
function visibleQuery(
  { querystring }: WebhookRequest,
  credentials: readonly string[],
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
