import { utf8Text } from '../wire/bytes.ts'
import { forwardedHeaders, headerValue, type RawHeaders } from '../wire/headers.ts'
import type { Reply } from '../wire/http.ts'
import { LIMITS } from '../wire/limits.ts'
import { isWorkflowName, namesNoTrigger, parseWebhookPath, type WebhookPath } from '../wire/path.ts'
import { type DispatchEvent, HEADER } from '../wire/payload.ts'
import type { Secret } from '../wire/secret.ts'
import {
  ACCEPTED,
  customReply,
  echoedHeaders,
  errorReply,
  handshake,
  INERT_HEADERS,
  METHODS,
  type Pages,
  preflight,
  QUEUED,
  RELAY_PAGES,
  servePage,
  withStandardHeaders,
} from './answers.ts'
import type { Scope } from './claims.ts'
import { type Credential, type Credentials, presentedToken } from './credentials.ts'
import type { DispatchPort, DispatchTarget } from './dispatch.ts'
import {
  type Attempts,
  badResponseOption,
  badWorkflow,
  bodyTooLarge,
  brokenBody,
  internalError,
  methodNotAllowed,
  missingToken,
  noTrigger,
  overloaded,
  RelayError,
} from './errors.ts'
import type { RelayMetrics } from './metrics.ts'
import {
  isAnyIn,
  LIMIT_OF,
  type Packer,
  type ReceivedBody,
  redactRequest,
  scrub,
  writePayload,
} from './payload.ts'
import { formOf, pathOf, type Repository, routeWebhook, type Webhook } from './route.ts'

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
  /** Answers the operator's addresses. Never rejects. */
  readonly operator?: (
    request: RelayRequest,
    address: RegExpExecArray,
    delivery: string,
  ) => Promise<Reply>
  /** Counts what an operator may want to see. */
  readonly metrics?: RelayMetrics
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

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'

/** With the delivery it is about, and whether that is to be replayed. */
const OPERATOR_ADDRESS = new RegExp(`^/(?:metrics|outbox(?:/(${UUID})(/replay)?)?)$`, 'i')

/** Answers one request: forwards it as one event, or says why not. Never throws. */
export async function relay(request: RelayRequest, ports: RelayPorts): Promise<Reply> {
  const log = new RequestLog(ports.newDelivery(), ports.now())
  const path = pathOf(request.target)
  const address = ports.operator && OPERATOR_ADDRESS.exec(path)
  if (ports.operator && address) {
    const operated = await ports.operator(request, address, log.delivery)
    return withStandardHeaders(operated, request.method, log.delivery, INERT_HEADERS)
  }
  let reply: Reply
  try {
    reply = answerLocally(request, path, ports) ?? (await relayWebhook(request, ports, log))
  } catch (error) {
    if (!(error instanceof RelayError)) ports.report(error)
    const fault = error instanceof RelayError ? error : internalError(error)
    log.refused(fault)
    reply = errorReply(fault, log.delivery)
  }
  const method = isRelayed(request.method) ? request.method : 'other'
  ports.metrics?.answered(reply.status)
  ports.log(log.entry(method, reply.status, ports.now()))
  return withStandardHeaders(reply, request.method, log.delivery)
}

/** The answer to what is not a webhook. */
function answerLocally({ method, headers }: RelayRequest, path: string, { pages }: RelayPorts) {
  if (!isRelayed(method)) throw methodNotAllowed(METHODS)
  return preflight(method, headers) ?? servePage(pages ?? RELAY_PAGES, method, path)
}

async function relayWebhook(
  request: RelayRequest,
  ports: RelayPorts,
  log: RequestLog,
): Promise<Reply> {
  const webhook = routeWebhook(request.target, ports.repository)
  const custom = customReply(webhook.reserved)
  const presented = presentedToken(request.headers, webhook.reserved)
  if (!presented && ports.credentials.required) {
    throw missingToken(headerValue(request.headers, 'authorization') !== undefined)
  }
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
  const { repository } = webhook
  // Before the body, so that one that cannot be taken is told with its address too.
  log.addressed(repository, scrub(webhook.path, secrets))
  const held = ports.bodies?.hold()
  try {
    const body = await readBody(request, held)
    log.received(body.bytes.length)
    const { method } = request
    const asking = { method, headers: request.headers, path: webhook.path, body: body.text }
    const challenge = handshake(asking)
    if (challenge) return redactReply(challenge, secrets)
    const target = targetOf(webhook, scope, ports)
    const hint = namesNoTrigger(webhook.path) ? NO_TRIGGER : undefined
    log.hinted(hint)
    const echoed = { ...echoedHeaders(asking), ...(hint && { [HEADER.hint]: hint }) }
    const reply = redactReply(withHeaders(custom ?? ACCEPTED, echoed), secrets)
    const headers = forwardedHeaders(request.headers)
    const { delivery, receivedAt } = log
    const received = { path: webhook.path, method, headers, body, delivery, receivedAt }
    const forwardable = redactRequest(received, secrets, platformToken)
    const clientPayload = await writePayload(forwardable, LIMIT_OF[target.event], ports.packers)
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

/** The event starts nothing but what reads the path by itself. */
const NO_TRIGGER = 'no_trigger'

const REPOSITORY_DISPATCH: DispatchTarget = { event: 'repository_dispatch' }

/** @throws RelayError 400 where the first part of the path must name a file, and cannot */
function targetOf({ path }: Webhook, scope: Scope | undefined, ports: RelayPorts): DispatchTarget {
  if ((scope?.event ?? ports.event) !== 'workflow_dispatch') return REPOSITORY_DISPATCH
  const [workflow = ''] = path.split(/[/?]/, 1)
  if (!isWorkflowName(workflow)) throw badWorkflow()
  // Of GitHub it would be asked as hook.yml.yml, or with a trigger that nobody has.
  if (namesNoTrigger(path)) throw noTrigger(formOf(ports.repository))
  return { event: 'workflow_dispatch', workflow, ref: scope?.ref ?? ports.ref }
}

function announcesBody(headers: RawHeaders): boolean {
  const length = headerValue(headers, 'content-length') ?? '0'
  return length.trim() !== '0' || headerValue(headers, 'transfer-encoding') !== undefined
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

/** One line of the log. Nothing but these fields: no URL, no header, no body. */
export interface LogEntry {
  /** When the request came: ISO 8601, UTC. */
  readonly time: string
  readonly delivery: string
  readonly method: string
  readonly owner: string | undefined
  readonly repo: string | undefined
  readonly workflow: string | undefined
  readonly trigger: string | undefined
  readonly status: number
  /** Of the error that was answered: `missing_token`. */
  readonly code?: string | undefined
  /** Why what was accepted may start nothing: `no_trigger`. */
  readonly hint?: string | undefined
  readonly platformStatus: number | undefined
  readonly tries: number | undefined
  /** Page of the run that was started. */
  readonly run?: string | undefined
  readonly ms: number
  /** Of the received body. */
  readonly bytes: number | undefined
}

/** Other names could be anything, a mistaken token too. */
const PLAIN_NAME = /^[\w.-]{1,100}$/

/** Gathers, while a request is handled, what its line in the log will say. */
class RequestLog {
  readonly delivery: string
  /** ISO 8601, UTC. */
  readonly receivedAt: string
  readonly #start: number
  #repository: Repository | undefined
  #path: WebhookPath | undefined
  #bytes: number | undefined
  #attempts: Attempts | undefined
  #code: string | undefined
  #hint: string | undefined

  constructor(delivery: string, now: Date) {
    this.delivery = delivery
    this.receivedAt = now.toISOString()
    this.#start = now.getTime()
  }

  /** @param path only after the tokens are scrubbed from it */
  addressed(repository: Repository, path: string): void {
    this.#repository = repository
    this.#path = parseWebhookPath(path)
  }

  received(bytes: number): void {
    this.#bytes = bytes
  }

  hinted(hint: string | undefined): void {
    this.#hint = hint
  }

  attempted(attempts: Attempts | undefined): void {
    this.#attempts = attempts
  }

  refused({ code, attempts }: RelayError): void {
    this.#code = code
    this.#attempts = attempts
  }

  /** What is not known is `undefined`, which no line of JSON shows. */
  entry(method: string, status: number, now: Date): LogEntry {
    return {
      time: this.receivedAt,
      delivery: this.delivery,
      method,
      owner: this.#repository?.owner,
      repo: this.#repository?.name,
      workflow: plainName(this.#path?.workflow),
      trigger: plainName(this.#path?.trigger),
      bytes: this.#bytes,
      tries: this.#attempts?.tries,
      platformStatus: this.#attempts?.platformStatus,
      run: this.#attempts?.run,
      status,
      code: this.#code,
      hint: this.#hint,
      ms: now.getTime() - this.#start,
    }
  }
}

function plainName(name: string | undefined): string | undefined {
  return name !== undefined && PLAIN_NAME.test(name) ? name : undefined
}

/**
 * Bounds what strangers can make a relay hold: the bytes of all bodies that came and are not yet
 * answered for. A slow body counts by what came of it, so a few of them shut nobody out.
 */
export class BodyMemory {
  readonly #most: number
  #held = 0

  /** @param most bytes of all bodies together */
  constructor(most: number) {
    this.#most = most
  }

  /** A place for one body; to be released when its request is answered. */
  hold(): HeldBody {
    let own = 0
    return {
      add: (bytes) => {
        own += bytes
        this.#held += bytes
        if (this.#held > this.#most) throw overloaded()
      },
      release: () => {
        this.#held -= own
        own = 0
      },
    }
  }
}

interface HeldBody {
  /** @throws RelayError 503 when all bodies together are more than may be held */
  add(bytes: number): void
  release(): void
}
