import { type BodyEncoding, gzip, toBase64, utf8Text } from '../wire/bytes.ts'
import { forwardedHeaders, headerValue, type RawHeaders } from '../wire/headers.ts'
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
import type { BodyMemory, HeldBody } from './body-memory.ts'
import type { DispatchEvent, Scope } from './claims.ts'
import { type Credential, type Credentials, presentedToken } from './credentials.ts'
import type { DispatchPort, DispatchTarget } from './dispatch.ts'
import {
  badResponseOption,
  badWorkflow,
  bodyTooLarge,
  brokenBody,
  internalError,
  methodNotAllowed,
  missingToken,
  payloadTooLarge,
  RelayError,
  tokenInBody,
} from './errors.ts'
import { echoedHeaders, handshake } from './handshake.ts'
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
   * @param arrived is told how many bytes came, as they come; what it throws ends the reading
   * @throws RangeError as soon as more than `limit` bytes have come
   */
  readBody(limit: number, arrived?: (bytes: number) => void): Promise<Uint8Array>
}

export interface RelayPorts {
  readonly dispatch: DispatchPort
  readonly credentials: Credentials
  /** Set for the self-hosted form, where the URL names no repository. */
  readonly repository?: Repository
  /** What is answered at other addresses than webhooks; help and health when absent. */
  readonly pages?: Pages
  /** Answers the operator's addresses, and no others. Never rejects. */
  readonly operator?: (request: RelayRequest, delivery: string) => Promise<Reply> | undefined
  /** Which event starts the workflow, where the credential does not say. */
  readonly event?: DispatchEvent
  /** Branch or tag that a workflow is started on, where the credential does not say. */
  readonly ref?: string | undefined
  /** Where bodies may be held without bound, as for one's own machine, there is none. */
  readonly bodies?: BodyMemory
  /** Ways to gzip, the next of them for what the one before packs too little. */
  readonly packers?: readonly Packer[]
  now(): Date
  newDelivery(): string
  log(entry: LogEntry): void
  /** Is told of faults that are ours. */
  report(error: unknown): void
}

/** Packs bytes by gzip. */
export type Packer = (bytes: Uint8Array) => Promise<Uint8Array>

/** Answers one request: forwards it as one event, or says why not. Never throws. */
export async function relay(request: RelayRequest, ports: RelayPorts): Promise<Reply> {
  const log = new RequestLog(ports.newDelivery(), ports.now())
  const operated = ports.operator?.(request, log.delivery)
  if (operated) {
    return withStandardHeaders(await operated, request.method, log.delivery, INERT_HEADERS)
  }
  let reply: Reply
  try {
    reply = answerLocally(request, ports) ?? (await relayWebhook(request, ports, log))
  } catch (error) {
    if (!(error instanceof RelayError)) ports.report(error)
    const fault = error instanceof RelayError ? error : internalError(error)
    log.attempted(fault.attempts)
    reply = errorReply(fault, log.delivery)
  }
  const method = isRelayed(request.method) ? request.method : 'other'
  ports.log(log.entry(method, reply.status, ports.now()))
  return withStandardHeaders(reply, request.method, log.delivery)
}

/** The answer to what is no webhook. */
function answerLocally({ method, target, headers }: RelayRequest, { pages }: RelayPorts) {
  if (!isRelayed(method)) throw methodNotAllowed(METHODS)
  return preflight(method, headers) ?? servePage(pages ?? RELAY_PAGES, method, pathOf(target))
}

async function relayWebhook(
  request: RelayRequest,
  ports: RelayPorts,
  log: RequestLog,
): Promise<Reply> {
  const webhook = routeWebhook(request.target, ports.repository)
  const custom = customReply(webhook.reserved)
  const presented = presentedToken(request.headers, webhook.reserved)
  if (!presented && ports.credentials.required) throw missingToken()
  // What the relay can judge by itself it refuses before it holds a stranger's body.
  let credential: Credential
  try {
    credential = await ports.credentials.open(presented, webhook)
  } catch (error) {
    if (!(error instanceof RelayError)) throw error
    // In a handshake no token is checked; but for one that stands in a body, that would be read.
    const body = announcesBody(request.headers) ? undefined : ''
    const bodiless = handshake({ ...request, path: webhook.path, body })
    if (bodiless && presented) return redactReply(bodiless, [presented])
    throw error
  }
  const { secrets, platformToken, scope } = credential
  const held = ports.bodies?.hold()
  try {
    const body = await readBody(request, held)
    const challenge = handshake({
      method: request.method,
      headers: request.headers,
      path: webhook.path,
      body: body.text,
    })
    if (challenge) return redactReply(challenge, secrets)
    const target = targetOf(webhook, scope, ports)
    const echoed = echoedHeaders(request)
    const reply = redactReply(withHeaders(custom ?? ACCEPTED, echoed), secrets)
    const forwardable = toForwardable(request, webhook, body, log)
    const received = redactRequest(forwardable, secrets, platformToken)
    const { repository } = webhook
    log.addressed(repository, received.path, body.bytes.length)
    const clientPayload = await writePayload(received, LIMIT_OF[target.event], ports.packers)
    const { delivery } = log
    const dispatch = { repository, target, delivery, clientPayload, credential }
    const attempts = await ports.dispatch(dispatch)
    log.attempted(attempts)
    if (attempts.queued) {
      return withHeaders(customReply(webhook.reserved, QUEUED) ?? QUEUED, echoed)
    }
    return withHeaders(
      reply,
      attempts.run === undefined ? undefined : { [HEADER.run]: attempts.run },
    )
  } finally {
    held?.release()
  }
}

const REPOSITORY_DISPATCH: DispatchTarget = { event: 'repository_dispatch' }

const WORKFLOW = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/

/** @throws RelayError 400 where the first part of the path must name a file, and cannot */
function targetOf({ path }: Webhook, scope: Scope | undefined, ports: RelayPorts): DispatchTarget {
  if ((scope?.event ?? ports.event) !== 'workflow_dispatch') return REPOSITORY_DISPATCH
  const [workflow = ''] = path.split(/[/?]/, 1)
  if (!WORKFLOW.test(workflow)) throw badWorkflow()
  return { event: 'workflow_dispatch', workflow, ref: scope?.ref ?? ports.ref }
}

function announcesBody(headers: RawHeaders): boolean {
  const length = headerValue(headers, 'content-length') ?? '0'
  return length.trim() !== '0' || headerValue(headers, 'transfer-encoding') !== undefined
}

function toForwardable(
  { method, headers }: RelayRequest,
  { path }: Webhook,
  body: ReceivedBody,
  { delivery, receivedAt }: RequestLog,
): Received {
  return { path, method, headers: forwardedHeaders(headers), body, delivery, receivedAt }
}

async function readBody(request: RelayRequest, held?: HeldBody): Promise<ReceivedBody> {
  try {
    const bytes = await request.readBody(LIMITS.requestBodyBytes, (count) => held?.add(count))
    return { bytes, text: utf8Text(bytes) }
  } catch (error) {
    if (error instanceof RelayError) throw error
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

/** How GitHub measures what an event brings. */
export interface PayloadLimit {
  readonly most: number
  readonly unit: 'bytes' | 'characters'
  /** An upper bound is enough where it is within the limit. */
  readonly sizeOf: (text: string) => number
}

/** Of the inputs of a workflow GitHub counts characters, of a `client_payload` perhaps bytes. */
export const LIMIT_OF: Readonly<Record<DispatchEvent, PayloadLimit>> = {
  repository_dispatch: { most: LIMITS.clientPayloadBytes, unit: 'bytes', sizeOf: byteLength },
  workflow_dispatch: {
    most: LIMITS.workflowInputLength,
    unit: 'characters',
    sizeOf: ({ length }) => length,
  },
}

/**
 * The serialised `client_payload`, within GitHub's limit. Text travels as it is, other bytes as
 * base64, and what is too large for GitHub gzipped: quickly, and where that is not enough thoroughly.
 *
 * @throws RelayError 413 when it is too large even then
 */
export async function writePayload(
  received: Received,
  limit: PayloadLimit,
  packers: readonly Packer[] = [gzip],
): Promise<string> {
  const { bytes, text } = received.body
  // JSON is never shorter than what it holds, so a large body is not written in vain.
  const least = text === undefined ? base64Length(bytes.length) : limit.sizeOf(text)
  if (least <= limit.most) {
    const plain = written(received, plainBody(received.body))
    if (limit.sizeOf(plain) <= limit.most) return plain
  }
  const around = limit.sizeOf(written(received, { body: '', encoding: 'gzip' }))
  let size = around
  for (const pack of packers) {
    const packed = await pack(bytes)
    size = around + base64Length(packed.length)
    if (size > limit.most) continue
    return written(received, { body: toBase64(packed), encoding: 'gzip' })
  }
  throw payloadTooLarge(size, limit.unit)
}

function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4
}

interface ForwardableBody {
  readonly body: string | null
  readonly encoding?: BodyEncoding
}

function plainBody({ bytes, text }: ReceivedBody): ForwardableBody {
  if (bytes.length === 0) return { body: null }
  return text === undefined ? { body: toBase64(bytes), encoding: 'base64' } : { body: text }
}

function written(received: Received, { body, encoding }: ForwardableBody): string {
  const { path, method, delivery, receivedAt } = received
  const headers: Record<string, string> = {}
  // Set one by one, which `Object.fromEntries` would make slow to write; but for the name that a
  // plain assignment would lose.
  for (const [header, value] of received.headers) {
    if (header !== '__proto__') headers[header] = value
    else Object.defineProperty(headers, header, { value, enumerable: true })
  }
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

function withHeaders(reply: Reply, headers: Reply['headers'] | undefined): Reply {
  return headers ? { ...reply, headers: { ...reply.headers, ...headers } } : reply
}

/** @throws RelayError 400 for a reply, made of what the caller sent, that would show a token */
function redactReply(reply: Reply, tokens: readonly Secret[]): Reply {
  if (reply === ACCEPTED) return reply
  const shown = [reply.body, ...Object.values(reply.headers)].join('\n')
  if (!isAnyIn(tokens, shown)) return reply
  throw badResponseOption('an answer that contains the token', 'leave the token out of it')
}

function isAnyIn(tokens: readonly Secret[], text: string): boolean {
  return tokens.some((token) => token.isIn(text))
}
