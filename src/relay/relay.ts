import { type BodyEncoding, gzip, toBase64, utf8Text } from '../wire/bytes.ts'
import { forwardedHeaders, type RawHeaders } from '../wire/headers.ts'
import { LIMITS } from '../wire/limits.ts'
import { HEADER, writeClientPayload } from '../wire/payload.ts'
import type { Reply } from '../wire/reply.ts'
import type { Secret } from '../wire/secret.ts'
import {
  ACCEPTED,
  customReply,
  errorReply,
  INERT_HEADERS,
  METHODS,
  type Pages,
  preflight,
  QUEUED,
  RELAY_PAGES,
  servePage,
  withStandardHeaders,
} from './answers.ts'
import { type Credential, type Credentials, presentedToken } from './credentials.ts'
import {
  type Attempts,
  badResponseOption,
  bodyTooLarge,
  brokenBody,
  internalError,
  methodNotAllowed,
  missingToken,
  payloadTooLarge,
  RelayError,
  tokenInBody,
} from './errors.ts'
import { handshake } from './handshake.ts'
import { type LogEntry, RequestLog } from './log.ts'
import { pathOf, type Repository, routeWebhook, type Webhook } from './route.ts'

/** One HTTP request as it came: no web `Request`, which would normalise its path. */
export interface RelayRequest {
  /** Upper case. */
  readonly method: string
  /** The raw request target, in origin or absolute form. */
  readonly target: string
  readonly headers: RawHeaders
  /**
   * Called once at most. A body that ends early rejects with the runtime's own error.
   *
   * @throws RangeError as soon as more than `limit` bytes have come
   */
  readBody(limit: number): Promise<Uint8Array>
}

/** An accepted request on its way to the platform, or to the local engine. */
export interface Dispatch {
  readonly repository: Repository
  /** The serialised `client_payload`. */
  readonly clientPayload: string
  readonly delivery: string
  readonly credential: Credential
}

/** Resolves when the event is accepted. @throws RelayError when it is not, or nobody can tell */
export type DispatchPort = (dispatch: Dispatch) => Promise<Attempts>

export interface RelayPorts {
  readonly dispatch: DispatchPort
  readonly credentials: Credentials
  /** Set for the self-hosted form, where the URL names no repository. */
  readonly repository?: Repository
  /** What is answered at other addresses than webhooks; help and health when absent. */
  readonly pages?: Pages
  /** Answers the operator's addresses, and no others. Never rejects. */
  readonly operator?: (request: RelayRequest, delivery: string) => Promise<Reply> | undefined
  now(): Date
  newDelivery(): string
  log(entry: LogEntry): void
  /** Is told of faults that are ours. */
  report(error: unknown): void
}

/** Answers one request: forwards it as one event, or says why not. Never throws. */
export async function relay(request: RelayRequest, ports: RelayPorts): Promise<Reply> {
  const journal = new RequestLog(ports.newDelivery(), ports.now())
  const operated = await ports.operator?.(request, journal.delivery)
  if (operated)
    return withStandardHeaders(operated, request.method, journal.delivery, INERT_HEADERS)
  const reply = await answerOrFault(request, ports, journal)
  const method = isRelayed(request.method) ? request.method : 'other'
  ports.log(journal.entry(method, reply.status, ports.now()))
  return withStandardHeaders(reply, request.method, journal.delivery)
}

async function answerOrFault(
  request: RelayRequest,
  ports: RelayPorts,
  journal: RequestLog,
): Promise<Reply> {
  try {
    return answerLocally(request, ports) ?? (await relayWebhook(request, ports, journal))
  } catch (error) {
    if (!(error instanceof RelayError)) ports.report(error)
    const fault = error instanceof RelayError ? error : internalError(error)
    journal.attempted(fault.attempts)
    return errorReply(fault, journal.delivery)
  }
}

/** The answer to what is no webhook. */
function answerLocally({ method, target, headers }: RelayRequest, { pages }: RelayPorts) {
  if (!isRelayed(method)) throw methodNotAllowed(METHODS)
  return preflight(method, headers) ?? servePage(pages ?? RELAY_PAGES, method, pathOf(target))
}

async function relayWebhook(
  request: RelayRequest,
  ports: RelayPorts,
  journal: RequestLog,
): Promise<Reply> {
  const webhook = routeWebhook(request.target, ports.repository)
  const custom = customReply(webhook.reserved)
  const presented = presentedToken(request.headers, webhook.reserved)
  if (!presented && ports.credentials.required) throw missingToken()
  // What the relay can judge by itself it refuses before it holds a stranger's body.
  const credential = await ports.credentials.open(presented, webhook)
  const { secrets, platformToken } = credential
  const body = await readBody(request)
  const challenge = handshake(request.method, webhook.path, body.bytes)
  if (challenge) return redactReply(challenge, secrets)
  const reply = custom ? redactReply(custom, secrets) : ACCEPTED
  const forwardable = toForwardable(request, webhook, body, journal)
  const received = redactRequest(forwardable, secrets, platformToken)
  const { repository } = webhook
  journal.addressed(repository, received.path, body.bytes.length)
  const clientPayload = await writePayload(received)
  const { delivery } = journal
  const attempts = await ports.dispatch({ repository, delivery, clientPayload, credential })
  journal.attempted(attempts)
  if (!attempts.queued) return reply
  return redactReply(customReply(webhook.reserved, QUEUED) ?? QUEUED, secrets)
}

function toForwardable(
  { method, headers }: RelayRequest,
  { path }: Webhook,
  body: ReceivedBody,
  { delivery, receivedAt }: RequestLog,
): Received {
  return { path, method, headers: forwardedHeaders(headers), body, delivery, receivedAt }
}

async function readBody(request: RelayRequest): Promise<ReceivedBody> {
  try {
    const bytes = await request.readBody(LIMITS.requestBodyBytes)
    return { bytes, text: utf8Text(bytes) }
  } catch (error) {
    throw error instanceof RangeError ? bodyTooLarge() : brokenBody(error)
  }
}

function isRelayed(method: string): boolean {
  return METHODS.some((relayed) => relayed === method)
}

interface ReceivedBody {
  readonly bytes: Uint8Array
  /** The bytes as UTF-8; `undefined` when they are not. */
  readonly text: string | undefined
}

/** A request as it is to travel, its body still as it came. */
interface Received {
  readonly path: string
  readonly method: string
  /** Only those that travel. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: ReceivedBody
  readonly delivery: string
  /** ISO 8601, UTC. */
  readonly receivedAt: string
}

/**
 * The serialised `client_payload`, at most `LIMITS.clientPayloadBytes` long. Text travels as it is,
 * other bytes as base64, and what is too large for GitHub gzipped.
 *
 * @throws RelayError 413 when it is too large even then
 */
export async function writePayload(received: Received): Promise<string> {
  const plain = written(received, plainBody(received.body))
  if (byteLength(plain) <= LIMITS.clientPayloadBytes) return plain
  const packed = written(received, await packedBody(received.body))
  const bytes = byteLength(packed)
  if (bytes > LIMITS.clientPayloadBytes) throw payloadTooLarge(bytes)
  return packed
}

interface ForwardableBody {
  readonly body: string | null
  readonly encoding?: BodyEncoding
}

function plainBody({ bytes, text }: ReceivedBody): ForwardableBody {
  if (bytes.length === 0) return { body: null }
  return text === undefined ? { body: toBase64(bytes), encoding: 'base64' } : { body: text }
}

async function packedBody({ bytes }: ReceivedBody): Promise<ForwardableBody> {
  if (bytes.length === 0) return { body: null }
  return { body: toBase64(await gzip(bytes)), encoding: 'gzip' }
}

function written(received: Received, { body, encoding }: ForwardableBody): string {
  const { path, method, delivery, receivedAt } = received
  const headers: Record<string, string> = Object.fromEntries(received.headers)
  headers[HEADER.delivery] = delivery
  headers[HEADER.receivedAt] = receivedAt
  if (encoding) headers[HEADER.bodyEncoding] = encoding
  return writeClientPayload({ path, method, headers, body })
}

function byteLength(text: string): number {
  // A UTF-16 unit takes at most 3 bytes of UTF-8, so most payloads need no encoding to be counted.
  if (text.length * 3 <= LIMITS.clientPayloadBytes) return text.length * 3
  return new TextEncoder().encode(text).length
}

/**
 * What travels, with every form of the tokens replaced. The body is never changed, since signatures
 * depend on it; a sealed token or a key of the relay may stand in it, as some senders (Trello)
 * repeat the URL that they call.
 *
 * @throws RelayError 400 when the body contains the platform token
 */
function redactRequest(
  received: Received,
  tokens: readonly Secret[],
  platformToken: Secret | undefined,
): Received {
  const body = received.body.text ?? new TextDecoder('latin1').decode(received.body.bytes)
  if (platformToken?.isIn(body)) throw tokenInBody()
  // Hardly any request has one left: one search through all of it is the usual cost.
  const others = [received.path, ...received.headers.values()].join('\n')
  return isAnyIn(tokens, others) ? redact(received, tokens) : received
}

function redact(received: Received, tokens: readonly Secret[]): Received {
  const scrub = (text: string) => tokens.reduce((rest, token) => token.scrub(rest), text)
  const headers = [...received.headers].map(([name, value]) => [name, scrub(value)] as const)
  return { ...received, path: scrub(received.path), headers: new Map(headers) }
}

/** @throws RelayError 400 for a reply, made of what the caller sent, that would show a token */
function redactReply(reply: Reply, tokens: readonly Secret[]): Reply {
  const shown = [reply.body, ...Object.values(reply.headers)].join('\n')
  if (!isAnyIn(tokens, shown)) return reply
  throw badResponseOption('an answer that contains the token', 'leave the token out of it')
}

function isAnyIn(tokens: readonly Secret[], text: string): boolean {
  return tokens.some((token) => token.isIn(text))
}
