import { collect, utf8Text } from '../protocol/bytes.ts'
import { forwardedHeaders, type RawHeaders } from '../protocol/headers.ts'
import { LIMITS } from '../protocol/limits.ts'
import type { Reply } from '../protocol/reply.ts'
import type { Secret } from '../protocol/secret.ts'
import { completed, errorReply } from './answers.ts'
import { METHODS, preflight } from './cors.ts'
import { type Credentials, presentedToken } from './credentials.ts'
import { acceptedReply } from './custom-reply.ts'
import { type Attempts, RelayError } from './errors.ts'
import { handshake } from './handshake.ts'
import { Journal, type LogEntry } from './journal.ts'
import { type Pages, RELAY_PAGES, visited } from './pages.ts'
import { type ReceivedBody, writePayload } from './payload.ts'
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
  readonly body: AsyncIterable<Uint8Array>
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
    return await answer(request, ports, journal)
  } catch (error) {
    if (!(error instanceof RelayError)) ports.report(error)
    const fault = error instanceof RelayError ? error : internalError(error)
    journal.attempted(fault.attempts)
    return errorReply(fault, journal.delivery)
  }
}

async function answer(request: RelayRequest, ports: RelayPorts, journal: Journal): Promise<Reply> {
  const { method, target, headers } = request
  if (!isRelayed(method)) throw methodNotAllowed(METHODS)
  return (
    preflight(method, headers) ??
    visited(ports.pages ?? RELAY_PAGES, method, pathOf(target)) ??
    (await relayWebhook(request, ports, journal))
  )
}

async function relayWebhook(
  request: RelayRequest,
  ports: RelayPorts,
  journal: Journal,
): Promise<Reply> {
  const webhook = routeWebhook(request.target, ports.repository)
  const accepted = acceptedReply(webhook.reserved)
  const presented = presentedToken(request.headers, webhook.reserved)
  if (!presented && ports.credentials.required) throw missingToken()
  const body = await readBody(request.body)
  const challenge = handshake(request.method, webhook.path, body.bytes)
  if (challenge) return withoutEcho(challenge, present(presented))
  const token = presented && (await ports.credentials.platformToken(presented, webhook))
  const reply = withoutEcho(accepted, present(presented, token))
  const tokens = { presented, token }
  const dispatch = await prepare(request, webhook, body, journal, tokens)
  journal.attempted(await ports.dispatch({ ...dispatch, token }))
  return reply
}

/** What the request brought, and what the platform is asked with: often the same. */
interface Tokens {
  readonly presented: Secret | undefined
  readonly token: Secret | undefined
}

async function prepare(
  { method, headers }: RelayRequest,
  { repository, path }: Webhook,
  body: ReceivedBody,
  journal: Journal,
  { presented, token }: Tokens,
): Promise<Omit<Dispatch, 'token'>> {
  const { delivery, receivedAt } = journal
  const travelling = {
    path,
    method,
    headers: forwardedHeaders(headers),
    body,
    delivery,
    receivedAt,
  }
  const received = withoutTokens(travelling, present(presented, token), token)
  journal.addressed(repository, received.path, body.bytes.length)
  return { repository, delivery, clientPayload: await writePayload(received) }
}

async function readBody(body: AsyncIterable<Uint8Array>): Promise<ReceivedBody> {
  try {
    const bytes = await collect(body, LIMITS.requestBodyBytes)
    return { bytes, text: utf8Text(bytes) }
  } catch (error) {
    throw error instanceof RangeError ? bodyTooLarge() : brokenBody(error)
  }
}

function present(...tokens: readonly (Secret | undefined)[]): readonly Secret[] {
  return [...new Set(tokens)].filter((token) => token !== undefined)
}

function isRelayed(method: string): boolean {
  return METHODS.some((relayed) => relayed === method)
}
