import { byteString, collect } from '../../wire/bytes.ts'
import { UserError } from '../../wire/errors.ts'
import { type GitHubCall, GitHubCallError, RESPONSE_BYTES } from '../../wire/github-api.ts'
import { headerValue, type RawHeaders } from '../../wire/headers.ts'
import type { RelayRequest, RelayResponse } from '../../wire/http.ts'
import { type ForgeAccess, readRelayConfig, sharedGitHub, statelessRelay } from '../config.ts'
import { internalError } from '../errors.ts'
import { PACK } from '../github/payload-limit.ts'
import { countingRefusals, type DispatchOptions, dispatchTo } from '../github/send.ts'
import { type Relay, respond } from '../relay.ts'
import type { LoadChecks } from '../webhook/checks.ts'
import { errorResponse, withStandardHeaders } from '../webhook/responses.ts'
import { type Bindings, environmentOf, namespaceOf } from './bindings.ts'
import type { ObjectState } from './object-database.ts'
import type { QueueObject } from './queue-object.ts'

/** The runtime's context of a request: https://developers.cloudflare.com/workers/runtime-apis/context/ */
interface Context {
  waitUntil(work: Promise<unknown>): void
}

/** The relay as a module worker: https://developers.cloudflare.com/workers/runtime-apis/handlers/fetch/ */
export default {
  async fetch(request: Request, env: Bindings, context?: Context): Promise<Response> {
    const background = (work: Promise<unknown>) => context?.waitUntil(work)
    const opened = await openedFor(env).catch(misconfigured)
    if (opened instanceof UserError) return response(unusableRelay(request.method))
    const relay = opened.relayOf(background)
    // A sender that hangs up must end nothing that has begun.
    const responding = respond(relayRequest(request), relay)
    background(responding)
    return response(await responding)
  },
}

/** An error in the settings goes to the log, as on Node at the start. */
function misconfigured(error: unknown): UserError {
  if (!(error instanceof UserError)) throw error
  const problems = error.problems.map(({ message, hint }) => ({ message, hint }))
  console.log(JSON.stringify({ error: { name: error.name, problems } }))
  return error
}

function unusableRelay(method: string): RelayResponse {
  const delivery = crypto.randomUUID()
  return withStandardHeaders(errorResponse(internalError(undefined), delivery), method, delivery)
}

/** The Durable Objects of the relay: the class behind the binding `RELAY`. */
export class RelayObject {
  /** Of a queue or of the index; other objects never open one. */
  #queue: Promise<QueueObject> | undefined
  readonly #state: ObjectState
  readonly #env: Bindings

  constructor(state: ObjectState, env: Bindings) {
    this.#state = state
    this.#env = env
  }

  async fetch(request: Request): Promise<Response> {
    const { answerOtherCall } = await loadObject()
    const answer = await answerOtherCall(this.#state.storage, request, this.#env)
    return answer ?? (await this.#openQueue()).fetch(request)
  }

  async alarm(): Promise<void> {
    const { sweepBodiesIn } = await loadObject()
    if (await sweepBodiesIn(this.#state.storage, this.#env)) return
    await (await this.#openQueue()).alarm()
  }

  #openQueue(): Promise<QueueObject> {
    this.#queue ??= this.#state.blockConcurrencyWhile(async () => {
      const env = this.#env
      const write = (line: string) => console.log(line)
      const settings = environmentOf(env)
      const config = await readRelayConfig(settings)
      const access = sharedGitHub(settings, config, githubFetch(config.apiUrl))
      const relay = statelessRelay(config, access, write, { ...RUNTIME, isStateless: false })
      const parts = { relay, access, dispatchTo: countingDispatch(access), write }
      return (await loadObject()).openQueueObject(this.#state, env, config, parts)
    })
    return this.#queue
  }
}

/** Records refusals of the relay's own GitHub credential in the metrics. */
function countingDispatch({ metrics }: ForgeAccess) {
  return (options: DispatchOptions) => countingRefusals(dispatchTo(options), metrics)
}

/** A relay as one environment sets it up. */
interface OpenRelay {
  readonly relayOf: (background: (work: Promise<unknown>) => void) => Relay
}

/** An isolate has one environment, and serves many requests with it. */
const openedByEnvironment = new WeakMap<Bindings, Promise<OpenRelay>>()

function openedFor(env: Bindings): Promise<OpenRelay> {
  const opened = openedByEnvironment.get(env) ?? openRelay(env)
  openedByEnvironment.set(env, opened)
  return opened
}

/** Files beside this one, which are loaded only if a setting needs them. */
const loadChecks: LoadChecks = () => import(/* webpackIgnore: true */ '../webhook/verification.ts')
const loadObject = () => import(/* webpackIgnore: true */ './relay-object.ts')

const RUNTIME = { packers: [PACK], loadChecks }

async function openRelay(env: Bindings): Promise<OpenRelay> {
  const settings = environmentOf(env)
  const config = await readRelayConfig(settings)
  const write = (line: string) => console.log(line)
  const access = sharedGitHub(settings, config, githubFetch(config.apiUrl))
  const namespace = namespaceOf(env)
  const isStateless = namespace === undefined
  const relay = statelessRelay(config, access, write, { ...RUNTIME, isStateless })
  if (!namespace) return { relayOf: () => relay }
  const { databaseRelay } = await loadObject()
  const parts = { relay, access, dispatchTo: countingDispatch(access), write }
  return { relayOf: await databaseRelay(env, namespace, config, parts) }
}

function relayRequest(request: Request): RelayRequest {
  const headers: string[] = []
  // The runtime has decoded a value as UTF-8; the relay wants a character for each byte.
  for (const [name, value] of request.headers) headers.push(name, byteString(value))
  return {
    method: request.method,
    target: request.url,
    headers,
    readBody: (limit, arrived) => readBody(request, headers, limit, arrived),
    readLargeBody: async (limit, sink, arrived) => {
      // A small body is read whole, as it is without a store for large bodies.
      const declared = headerValue(headers, 'content-length')
      if (declared !== undefined && Number(declared) <= limit) {
        return readBody(request, headers, limit, arrived)
      }
      const { readLargeBody } = await loadObject()
      return readLargeBody(request.body, headers, limit, sink, arrived)
    },
    // https://developers.cloudflare.com/workers/configuration/compatibility-flags/#enable-requestsignal-for-incoming-requests
    whenGone: (back) => request.signal.addEventListener('abort', back),
  }
}

/**
 * A body is framed by the length it declares; one that declares none is counted as it comes. To ask
 * for `body` costs, so it is asked for only then.
 */
async function readBody(
  request: Request,
  headers: RawHeaders,
  limit: number,
  arrived: ((bytes: number) => void) | undefined,
): Promise<Uint8Array> {
  const declared = headerValue(headers, 'content-length')
  if (declared === undefined || !/^\d+$/.test(declared)) {
    return request.body ? collect(request.body, limit, arrived) : new Uint8Array()
  }
  if (Number(declared) > limit) throw new RangeError(`more than ${limit} bytes`)
  const bytes = new Uint8Array(await request.arrayBuffer())
  if (bytes.length > limit) throw new RangeError(`more than ${limit} bytes`)
  arrived?.(bytes.length)
  return bytes
}

async function response({ status, headers, body, stream }: RelayResponse): Promise<Response> {
  if (stream) return new Response((await loadObject()).readable(stream), { status, headers })
  return new Response(body === '' ? null : body, { status, headers })
}

/** Calls GitHub by the runtime's own fetch, which pools connections by itself. */
export function githubFetch(apiUrl: URL): GitHubCall {
  return async ({ method = 'POST', path, headers, body, timeout, reads, responseBytes }) => {
    const signal = AbortSignal.timeout(timeout)
    const init = { method, headers, signal, redirect: 'manual', ...(body && { body }) } as const
    const response = await fetch(`${apiUrl.origin}${path}`, init).catch((cause) => {
      throw new GitHubCallError('no answer', { sent: !neverLeft(cause), cause })
    })
    const { status, ok } = response
    const text = ok && !reads ? '' : await beginning(response, responseBytes)
    return { status, header: (name) => response.headers.get(name) ?? undefined, text }
  }
}

/**
 * True for a name that is not found, and for TLS that fails: the runtime calls these, and nothing that
 * comes later, an internal error. A connection that is refused it calls lost, as one that is cut when
 * the request has arrived; so nobody can tell those apart.
 */
function neverLeft(cause: unknown): boolean {
  return cause instanceof Error && cause.message.startsWith('internal error')
}

/** The first bytes of a response, as far as they arrive in time. */
async function beginning({ body }: Response, most = RESPONSE_BYTES): Promise<string> {
  const chunks: string[] = []
  const decoder = new TextDecoder()
  let size = 0
  try {
    for await (const chunk of body ?? []) {
      size += chunk.length
      if (size > most) break
      chunks.push(decoder.decode(chunk, { stream: true }))
    }
  } catch {
    // Its status is known, and is what decides.
  }
  return chunks.join('')
}
