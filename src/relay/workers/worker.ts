import { byteString, collect } from '../../wire/bytes.ts'
import { UserError } from '../../wire/errors.ts'
import { headerValue, type RawHeaders } from '../../wire/headers.ts'
import type { RelayRequest, RelayResponse } from '../../wire/http.ts'
import { readRelayConfig, sharedGitHub, statelessRelay, steadyClock } from '../config.ts'
import { RelayError } from '../errors.ts'
import { PACK } from '../github/payload.ts'
import { respond } from '../relay.ts'
import type { LoadChecks } from '../webhook/checks.ts'
import { errorResponse, withStandardHeaders } from '../webhook/responses.ts'
import { type Bindings, environmentOf, namespaceOf } from './bindings.ts'
import { githubFetch } from './github-fetch.ts'
import { logBug } from './log.ts'
import type { ObjectState } from './object-database.ts'
import type { OwnerObject } from './relay-object.ts'
import type { RelayOfRequest } from './stored-relay.ts'

/** The relay as a module worker: https://developers.cloudflare.com/workers/runtime-apis/handlers/fetch/ */
export default {
  async fetch(
    request: Request,
    env: Bindings,
    context?: { waitUntil(work: Promise<unknown>): void },
  ): Promise<Response> {
    const background = (work: Promise<unknown>) => context?.waitUntil(work)
    const relayOf = await openedFor(env)
    if (relayOf instanceof UserError) return response(unusableRelay(request.method))
    // A sender that hangs up must end nothing that has begun.
    const responding = respond(relayRequest(request), relayOf(background))
    background(responding)
    const reply = await responding
    if (!reply.stream) return response(reply)
    const { readable } = await loadObject()
    return response(reply, readable(reply.stream))
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
  return withStandardHeaders(
    errorResponse(new RelayError('internal_error'), delivery),
    method,
    delivery,
  )
}

/** Milliseconds until the next alarm of an object that cannot be opened. */
const FAILED = 60_000

/** The Durable Objects of the relay, one for each owner: the class behind the binding `RELAY`. */
export class RelayObject {
  #opened: Promise<OwnerObject> | undefined
  readonly #state: ObjectState
  readonly #env: Bindings

  constructor(state: ObjectState, env: Bindings) {
    this.#state = state
    this.#env = env
  }

  async fetch(request: Request): Promise<Response> {
    try {
      const object = await this.#open()
      return await object.fetch(request)
    } catch (error) {
      logBug(error)
      return new Response(null, { status: 500 })
    }
  }

  async alarm(): Promise<void> {
    try {
      // The runtime repeats a failing alarm some times, and then never again: a setting may be wrong for days.
      await this.#state.storage.setAlarm(Date.now() + FAILED)
      const object = await this.#open()
      await object.alarm()
    } catch (error) {
      logBug(error)
      // The runtime runs the alarm again.
      throw error
    }
  }

  #open(): Promise<OwnerObject> {
    this.#opened ??= this.#state.blockConcurrencyWhile(async () => {
      const { OwnerObject } = await loadObject()
      return OwnerObject.open(this.#state, this.#env)
    })
    return this.#opened
  }
}

/** An isolate has one environment, and serves many requests with it. */
const openedByEnvironment = new WeakMap<Bindings, Promise<RelayOfRequest | UserError>>()

function openedFor(env: Bindings): Promise<RelayOfRequest | UserError> {
  const known = openedByEnvironment.get(env)
  if (known) return known
  const opened = openRelay(env).catch(misconfigured)
  openedByEnvironment.set(env, opened)
  return opened
}

/** Files beside this one, which are loaded only if a setting needs them. */
const loadChecks: LoadChecks = () => import(/* webpackIgnore: true */ '../webhook/verification.ts')
const loadObject = () => import(/* webpackIgnore: true */ './relay-object.ts')

async function openRelay(env: Bindings): Promise<RelayOfRequest> {
  const settings = environmentOf(env)
  const config = await readRelayConfig(settings)
  const write = (line: string) => console.log(line)
  const access = sharedGitHub(config, githubFetch(config.apiUrl))
  const namespace = namespaceOf(env)
  const isStateless = namespace === undefined
  const runtime = { packers: [PACK], loadChecks, isStateless }
  const stateless = statelessRelay(config, access, write, runtime)
  if (!namespace) return () => stateless
  const { storedRelay } = await loadObject()
  return storedRelay({ env, namespace, config, access, stateless })
}

function relayRequest(request: Request): RelayRequest {
  const { method, url } = request
  const headers: string[] = []
  // The runtime has decoded a value as UTF-8; the relay wants a character for each byte.
  for (const [name, value] of request.headers) headers.push(name, byteString(value))
  return {
    method,
    // The runtime's URL always has a path after its host.
    target: url.slice(url.indexOf('/', 'https://'.length)),
    headers,
    readBody: (limit, arrived) => readBody(request, headers, limit, arrived),
    pieces: async function* () {
      const { atMinimumRate } = await loadObject()
      if (request.body) yield* atMinimumRate(request.body, steadyClock)
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

function response({ status, headers, body }: RelayResponse, stream?: ReadableStream): Response {
  return new Response(stream ?? (body === '' ? null : body), { status, headers })
}
