import { utf8Text } from '../wire/bytes.ts'
import { forwardedHeaders, type RawHeaders } from '../wire/headers.ts'
import { LIMITS } from '../wire/limits.ts'
import type { Reply } from '../wire/reply.ts'
import type { Secret } from '../wire/secret.ts'
import { completed, errorReply } from './answers.ts'
import { METHODS, preflight } from './cors.ts'
import { type Credentials, presentedToken } from './credentials.ts'
import { ACCEPTED, customReply } from './custom-reply.ts'
import { type Attempts, RelayError } from './errors.ts'
import { handshake } from './handshake.ts'
import { Journal, type LogEntry } from './journal.ts'
import { type Pages, RELAY_PAGES, visited } from './pages.ts'
import { type Received, type ReceivedBody, writePayload } from './payload.ts'
import {
  bodyTooLarge,
  brokenBody,
  internalError,
  methodNotAllowed,
  missingToken,
} from './refusals.ts'
import { pathOf, type Repository, routeWebhook, type Webhook } from './route.ts'
import { withoutEcho, withoutTokens } from './scrub.ts'

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
  /** `undefined` where the credentials give none. */
  readonly token: Secret | undefined
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
  now(): Date
  newDelivery(): string
  log(entry: LogEntry): void
  /** Is told of faults that are ours. */
  report(error: unknown): void
}

/** Answers one request: forwards it as one event, or says why not. Never throws. */
export async function relay(request: RelayRequest, ports: RelayPorts): Promise<Reply> {
  const journal = new Journal(ports.newDelivery(), ports.now())
  const reply = await answerOrFault(request, ports, journal)
  const method = isRelayed(request.method) ? request.method : 'other'
  ports.log(journal.entry(method, reply.status, ports.now()))
  return completed(reply, request.method, journal.delivery)
}

async function answerOrFault(
  request: RelayRequest,
  ports: RelayPorts,
  journal: Journal,
): Promise<Reply> {
  try {
    return atOnce(request, ports) ?? (await relayWebhook(request, ports, journal))
  } catch (error) {
    if (!(error instanceof RelayError)) ports.report(error)
    const fault = error instanceof RelayError ? error : internalError(error)
    journal.attempted(fault.attempts)
    return errorReply(fault, journal.delivery)
  }
}

/** The answer to what is no webhook. */
function atOnce({ method, target, headers }: RelayRequest, { pages }: RelayPorts) {
  if (!isRelayed(method)) throw methodNotAllowed(METHODS)
  return preflight(method, headers) ?? visited(pages ?? RELAY_PAGES, method, pathOf(target))
}

async function relayWebhook(
  request: RelayRequest,
  ports: RelayPorts,
  journal: Journal,
): Promise<Reply> {
  const webhook = routeWebhook(request.target, ports.repository)
  const custom = customReply(webhook.reserved)
  const presented = presentedToken(request.headers, webhook.reserved)
  if (!presented && ports.credentials.required) throw missingToken()
  const body = await readBody(request)
  const challenge = handshake(request.method, webhook.path, body.bytes)
  if (challenge) return withoutEcho(challenge, tokensOf(presented))
  const token = presented && (await ports.credentials.platformToken(presented, webhook))
  const tokens = tokensOf(presented, token)
  const reply = custom ? withoutEcho(custom, tokens) : ACCEPTED
  const received = withoutTokens(travelling(request, webhook, body, journal), tokens, token)
  const { repository } = webhook
  journal.addressed(repository, received.path, body.bytes.length)
  const clientPayload = await writePayload(received)
  const { delivery } = journal
  journal.attempted(await ports.dispatch({ repository, delivery, clientPayload, token }))
  return reply
}

function travelling(
  { method, headers }: RelayRequest,
  { path }: Webhook,
  body: ReceivedBody,
  { delivery, receivedAt }: Journal,
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

/** What the request brought, and what the platform is asked with: often the same. */
function tokensOf(...tokens: readonly (Secret | undefined)[]): readonly Secret[] {
  return [...new Set(tokens)].filter((token) => token !== undefined)
}

function isRelayed(method: string): boolean {
  return METHODS.some((relayed) => relayed === method)
}
