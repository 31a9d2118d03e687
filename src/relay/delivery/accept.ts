import type { RelayRequest, RelayResponse } from '../../wire/http.ts'
import { LIMITS } from '../../wire/limits.ts'
import { splitOnce } from '../../wire/path.ts'
import { readClientPayload } from '../../wire/payload.ts'
import { BoundedCache } from '../bounded-cache.ts'
import { type Attempts, isAmbiguous, RelayError } from '../errors.ts'
import type { NameQueue } from '../github/rate-limiter.ts'
import { type Dispatch, type DispatchPort, refusesCredential } from '../github/send.ts'
import type { Runtime } from '../runtime.ts'
import type { LargeBodies } from '../store/bodies.ts'
import type { Collection, NewDelivery } from '../store/delivery-rows.ts'
import type { Encryption } from '../store/encryption.ts'
import {
  type EndpointLookup,
  type KnownEndpoints,
  unknownEndpoint,
} from '../store/endpoint-lookup.ts'
import type { Endpoint } from '../store/endpoint-settings.ts'
import { isOwnQueue, repositoryOf } from '../store/queue-name.ts'
import { acceptedOutcome, mayComeLater, outcomeOf } from './answers.ts'
import type { DeliveryStore } from './deliveries.ts'
import { encryptEvent, type RecordedRequest, requestColumns, requestRow } from './event-record.ts'
import type { ChangeLine } from './log-lines.ts'
import type { RecordPort } from './recorder.ts'
import { nextAttempt } from './retry-policy.ts'

export interface RelayStore extends Pick<Acceptance, 'deliver' | 'record' | 'clientGone'> {
  readonly endpoints: KnownEndpoints
  /** True if a notification of this relay made the request: the run that it starts causes none. */
  isNotification(event: Pick<RecordedRequest, 'headers' | 'body'>): Promise<boolean>
  /** True if GitHub accepted a credential for a repository within 30 days. */
  wasAccepted(event: Pick<Dispatch, 'repository' | 'credential'>): Promise<boolean>
  /** `undefined` without a public address. */
  readonly largeBodies: LargeBodies | undefined
  /** Responds to requests for the admin API. Never rejects. */
  admin(request: RelayRequest, delivery: string): Promise<RelayResponse>
}

export interface AcceptPorts extends Runtime {
  /** Asks GitHub, and tries again within the time that a sender waits. */
  readonly send: DispatchPort
  readonly store: Pick<
    DeliveryStore,
    'waits' | 'put' | 'settle' | 'noteAccepted' | 'wasAccepted' | 'record'
  >
  /** Takes records after the response. */
  readonly recorder: RecordPort
  readonly encryption: Encryption
  readonly nameQueue: NameQueue
  readonly endpoints: Pick<EndpointLookup, 'hadEvent' | 'accepted'>
  /** Whether an endpoint still has this id; absent where the list of endpoints is always current. */
  readonly isCurrent?: (endpoint: Endpoint) => Promise<boolean>
  /** Whether the relay looks for the run of an event. */
  readonly follows: (dispatch: Dispatch) => boolean
  /** False if payloads of delivered events are not stored. */
  readonly retains: boolean
  /** What earlier requests taught. */
  readonly memory: AcceptanceMemory
  /** Milliseconds that a sender waits for GitHub. */
  readonly responseTime: number
  readonly callTime: number
  /** Takes work that goes on after the response. */
  background(work: Promise<void>): void
  log(line: ChangeLine): void
}

/** Milliseconds for which an endpoint whose sender hung up stores its events before it calls GitHub. */
const STORES_FIRST = 3_600_000

/** Milliseconds between two notes that GitHub accepted a credential. */
const NOTE_INTERVAL = 24 * 3_600_000

/** Queues and endpoints that are remembered. */
const REMEMBERED = 10_000

const NO_RESPONSE = 'github_timeout'

/**
 * Milliseconds in which a request may ask GitHub again. The response to a later call could come after the one
 * to the sender: then nobody knows whether GitHub has the event, although GitHub refused it.
 */
export function retryTimeOf(responseTime: number): number {
  return 0.8 * responseTime
}

const SENDER_HUNG_UP = 'the sender hung up before the response'

interface Queued {
  readonly dispatch: Dispatch
  readonly queue: string
}

type RowState = Pick<NewDelivery, 'state' | 'reason'> &
  Partial<Pick<NewDelivery, 'attempts' | 'doubts' | 'wait' | 'explanation' | 'collection'>> &
  Partial<Pick<NewDelivery, 'accepted' | 'githubMs' | 'run' | 'follows'>>

/** What became of an event before its response. */
interface Tried extends Queued {
  readonly attempts: Attempts
  /** How the database stores the event; absent if GitHub accepted it. */
  readonly state?: RowState
  /** Why GitHub did not accept the event; absent if GitHub was not asked, or has not responded. */
  readonly error?: unknown
  /** True if GitHub refuses the event for good. */
  readonly isRefused?: true
  /** The call, if GitHub did not respond in time. */
  readonly open?: { readonly call: Promise<Attempts>; readonly began: number }
}

/** What the requests of a process or an isolate have taught. */
export class AcceptanceMemory {
  /** When GitHub's acceptance of a queue was noted last. */
  readonly noted = new BoundedCache<string, number>(REMEMBERED)
  /** Until when an endpoint stores its events first, because its sender hung up. */
  readonly hungUp = new BoundedCache<string, number>(REMEMBERED)
}

/**
 * Takes the events of a request: sends them to GitHub, and stores what GitHub cannot accept now. While events
 * of its queue wait, an event is stored without a call. If an event cannot be stored, GitHub is asked in any
 * case. The requests of endpoints are recorded after the response.
 */
export class Acceptance {
  readonly #ports: AcceptPorts
  /** Events that the database may have all the same: its response may be lost. */
  readonly #unstored = new BoundedCache<string, true>(REMEMBERED)

  constructor(ports: AcceptPorts) {
    this.#ports = ports
  }

  /**
   * Sends the events of one request, or stores them. With several, none holds up another one: an event that
   * GitHub refuses is a dead letter.
   *
   * @param endpoint `undefined` for a token URL
   * @returns the attempts; `queued` if GitHub has not accepted all events
   * @throws RelayError that the sender has to hear; with several events only if they cannot be stored
   */
  async deliver(
    events: readonly [Dispatch, ...Dispatch[]],
    endpoint: Endpoint | undefined,
  ): Promise<Attempts> {
    const attempts = await this.#deliver(events, endpoint)
    const { endpoints, background, report } = this.#ports
    if (endpoint) background(endpoints.accepted(endpoint).catch(report))
    return attempts
  }

  async #deliver(
    events: readonly [Dispatch, ...Dispatch[]],
    endpoint: Endpoint | undefined,
  ): Promise<Attempts> {
    const { nameQueue } = this.#ports
    const all = await Promise.all(
      events.map(async (dispatch) => ({ dispatch, queue: await nameQueue(dispatch) })),
    )
    const stored = endpoint && (await this.#storeFirst(all, endpoint))
    if (stored) return stored
    const tried = await Promise.all(all.map((event) => this.#try(event, endpoint)))
    const [only] = tried
    if (tried.length === 1 && only?.isRefused) throw only.error
    const missing = tried.filter(({ state }) => state !== undefined)
    if (missing.length > 0 && !(await this.#put(missing, endpoint))) {
      return combined(await Promise.all(tried.map((one) => this.#withoutRoom(one, endpoint))))
    }
    return combined(tried.map(({ attempts }) => attempts))
  }

  /** Records a filtered or refused request after its response. Never rejects, never waits. */
  record(request: RecordedRequest): void {
    const bytes = Math.min(request.size, LIMITS.requestBodyBytes)
    this.#ports.recorder.add({ bytes, row: () => requestRow(request, this.#ports) })
  }

  /** To be told that the sender of an endpoint hung up before the response. */
  clientGone({ owner, name }: Endpoint): void {
    this.#ports.memory.hungUp.set(`${owner}/${name}`, this.#ports.now() + STORES_FIRST)
  }

  /** Stores the events of an endpoint that collects them, or whose sender does not wait for GitHub. */
  async #storeFirst(all: readonly Queued[], endpoint: Endpoint): Promise<Attempts | undefined> {
    const { memory, now } = this.#ports
    const isHungUp = now() < (memory.hungUp.get(`${endpoint.owner}/${endpoint.name}`) ?? 0)
    const collected = all.map(({ dispatch }) => collectionOf(dispatch, endpoint))
    const isCollected = collected.every((collection) => collection !== null)
    if (!isCollected && endpoint.respond !== 'stored' && !isHungUp) return undefined
    const reason = isCollected ? 'batch' : 'stored'
    const explanation = isHungUp && !isCollected ? SENDER_HUNG_UP : null
    const rows = all.map((event, index) =>
      this.#row(event, {
        state: 'waiting',
        reason,
        explanation,
        collection: isCollected ? (collected[index] ?? null) : null,
      }),
    )
    const isStored = await this.#putRows(rows, endpoint, all)
    return isStored ? { tries: 0, queued: reason } : undefined
  }

  async #try(event: Queued, endpoint: Endpoint | undefined): Promise<Tried> {
    const waits = await this.#ports.store.waits(event.queue)
    if (!waits || !(await this.#mayStore(event))) return this.#ask(event, endpoint)
    const state = { state: 'waiting', reason: 'queued' } as const
    return { ...event, state, attempts: { tries: 0, queued: 'queued' } }
  }

  /** Asks GitHub, and looks at the response for as long as a sender waits. */
  async #ask(event: Queued, endpoint: Endpoint | undefined): Promise<Tried> {
    const { send, responseTime, callTime, now } = this.#ports
    const began = now()
    const call = send(event.dispatch)
    const isInTime = await this.#settlesWithin(responseTime, call)
    if (!isInTime && (await this.#mayStore(event))) {
      // If the process ends during the call, nobody knows whether GitHub has the event.
      const wait = Math.max(0, callTime - responseTime)
      const state = { state: 'uncertain', wait, reason: NO_RESPONSE } as const
      return { ...event, state, attempts: { tries: 1, queued: NO_RESPONSE }, open: { call, began } }
    }
    try {
      const attempts = await call
      this.#accepted(event, attempts, began)
      return { ...event, attempts }
    } catch (error) {
      return this.#failed(event, error, endpoint)
    }
  }

  /** True if a call ends in time, however it ends. */
  #settlesWithin(milliseconds: number, call: Promise<unknown>): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = this.#ports.after(milliseconds, () => resolve(false))
      const settled = () => {
        cancel()
        resolve(true)
      }
      call.then(settled, settled)
    })
  }

  /**
   * Anyone can make up a token, so its events are stored only if GitHub accepted it for the repository. The
   * relay itself has created an endpoint.
   */
  async #mayStore({ dispatch, queue }: Queued): Promise<boolean> {
    return dispatch.credential.kind === 'endpoint' || this.#wasAccepted(queue, false)
  }

  async #wasAccepted(queue: string, ifUnknown: boolean): Promise<boolean> {
    const { memory, store } = this.#ports
    if (memory.noted.get(queue) !== undefined) return true
    return this.#answerOf(store.wasAccepted(queue), ifUnknown)
  }

  /** An event is not lost because the database does not respond. */
  #answerOf(question: Promise<boolean>, ifUnknown: boolean): Promise<boolean> {
    return question.catch((error: unknown) => {
      this.#ports.report(error)
      return ifUnknown
    })
  }

  async #failed(event: Queued, error: unknown, endpoint: Endpoint | undefined): Promise<Tried> {
    const { now, random, log } = this.#ports
    const outcome = outcomeOf(error)
    const fresh = { state: 'waiting', at: now(), attempts: 0, doubts: 0 } as const
    const isStorable =
      error instanceof RelayError && (await this.#isStorable(event, error, endpoint))
    if (!isStorable) return refused(event, error)
    const age = Number.POSITIVE_INFINITY
    const next = nextAttempt(fresh, outcome, { now: now(), random: random(), age })
    if (next.state === 'dead') return refused(event, error)
    const { state, wait, doubts } = next
    const { code: reason } = error
    if (refusesCredential(error)) {
      const names = {
        delivery: event.dispatch.delivery,
        repository: repositoryOf(event.queue),
        ...(endpoint && { endpoint: endpoint.name }),
      }
      log({ level: 'error', change: 'stored', ...names, reason })
    }
    const row = { state, wait, doubts, attempts: 1, reason } as const
    return { ...event, state: row, attempts: attemptsOf(error), error }
  }

  /**
   * The sender of an endpoint cannot fix a refused credential, and may disable the webhook for a 4xx. But a
   * first test must show the refusal.
   */
  async #isStorable(event: Queued, error: RelayError, endpoint: Endpoint | undefined) {
    if (!refusesCredential(error)) return mayComeLater(error) && this.#mayStore(event)
    if (isOwnQueue(event.queue)) return this.#wasAccepted(event.queue, true)
    if (!endpoint) return false
    const { endpoints } = this.#ports
    const isKnown = await this.#wasAccepted(event.queue, false)
    return isKnown || this.#answerOf(endpoints.hadEvent(endpoint), true)
  }

  /** @returns false if there is no room for all of them, or the disk fails */
  async #put(missing: readonly Tried[], endpoint: Endpoint | undefined): Promise<boolean> {
    const rows = missing.flatMap((one) => (one.state ? [this.#row(one, one.state)] : []))
    const isStored = await this.#putRows(rows, endpoint, missing)
    for (const one of missing) {
      if (one.error !== undefined && !(one.error instanceof RelayError)) {
        this.#ports.report(one.error)
      }
      if (isStored) this.#settle(one)
    }
    return isStored
  }

  async #putRows(
    rows: readonly Promise<NewDelivery>[],
    endpoint: Endpoint | undefined,
    events: readonly Queued[],
  ): Promise<boolean> {
    const { store, isCurrent } = this.#ports
    // A deleted endpoint has no events any more, but the list of endpoints may be some seconds old.
    if (endpoint && isCurrent && !(await this.#answerOf(isCurrent(endpoint), true))) {
      throw unknownEndpoint()
    }
    const isStored = await store.put(await Promise.all(rows))
    if (!isStored) for (const { dispatch } of events) this.#unstored.set(dispatch.delivery, true)
    return isStored
  }

  /** Records how a call ended that was open when its event was stored. */
  #settle({ dispatch, queue, open }: Tried): void {
    if (!open) return
    const { store, follows, background, report } = this.#ports
    const event = { queue, id: dispatch.delivery }
    const settled = open.call.then(
      async (attempts) => {
        this.#note(queue)
        const outcome = acceptedOutcome(attempts, {
          began: open.began,
          follows: follows(dispatch),
        })
        await store.settle(event, outcome)
      },
      (error: unknown) => store.settle(event, outcomeOf(error)),
    )
    background(settled.catch(report))
  }

  /**
   * The attempts of an event for which there is no room.
   *
   * @throws RelayError: what GitHub said, or 503
   */
  async #withoutRoom(one: Tried, endpoint: Endpoint | undefined): Promise<Attempts> {
    const { dispatch, queue, state, error, isRefused, open } = one
    if (state === undefined) return one.attempts
    if (isRefused) throw error
    if (error !== undefined) throw noRoom(error)
    if (!open) return this.#withoutRoom(await this.#ask({ dispatch, queue }, endpoint), endpoint)
    try {
      const attempts = await open.call
      this.#accepted(one, attempts, open.began)
      return attempts
    } catch (failure) {
      throw noRoom(failure)
    }
  }

  #accepted(event: Queued, attempts: Attempts, began: number): void {
    const { recorder, follows, store, background, report } = this.#ports
    const { dispatch, queue } = event
    this.#note(queue)
    const outcome = acceptedOutcome(attempts, { began, follows: follows(dispatch) })
    if (this.#unstored.get(dispatch.delivery)) {
      background(store.settle({ queue, id: dispatch.delivery }, outcome).catch(report))
    }
    if (!dispatch.credential.endpoint) return
    const { kind: _, ...facts } = outcome
    const state = { state: 'delivered', attempts: 1, reason: '', ...facts } as const
    const bytes = dispatch.clientPayload.length
    recorder.add({ bytes, row: () => this.#row(event, state) })
  }

  /** Remembers that GitHub accepts the credential of a queue. */
  #note(queue: string): void {
    const { now, store, background, report } = this.#ports
    const last = this.#ports.memory.noted.get(queue)
    if (last !== undefined && now() - last < NOTE_INTERVAL) return
    this.#ports.memory.noted.set(queue, now())
    const noted = store.noteAccepted(queue).catch((error: unknown) => {
      this.#ports.memory.noted.delete(queue)
      report(error)
    })
    background(noted)
  }

  async #row({ dispatch, queue }: Queued, state: RowState): Promise<NewDelivery> {
    const { encryption, retains, now } = this.#ports
    const { delivery: id, credential, request } = dispatch
    const isStored = retains || state.state !== 'delivered'
    return {
      id,
      request: request?.id ?? id,
      queue,
      endpoint: credential.endpoint?.name ?? null,
      ...(credential.endpoint && { endpointCreated: credential.endpoint.created }),
      ...requestColumns(request, now()),
      ...(isStored ? await encryptEvent(dispatch, encryption) : { key: null, content: null }),
      ...state,
    }
  }
}

/** The batch that collects an event; `null` if none does, or the event has a stored body. */
function collectionOf(
  { target, clientPayload, hasStoredBody }: Dispatch,
  { batch, debounce }: Endpoint,
): Collection | null {
  if (batch === undefined || hasStoredBody) return null
  const { path } = readClientPayload(JSON.parse(clientPayload))
  const ref = target.event === 'workflow_dispatch' ? target.ref : undefined
  const [workflow = '', trigger = ''] = splitOnce(path, '?')[0].split('/')
  return {
    grouping: JSON.stringify([target.event, ref ?? null, workflow, trigger]),
    period: batch * 1000,
    quiet: debounce === undefined ? null : debounce * 1000,
    length: clientPayload.length + LIMITS.batchEventOverhead,
  }
}

/** An event that GitHub refuses for good: a dead letter, if other events of its request go on. */
function refused({ dispatch, queue }: Queued, error: unknown): Tried {
  const [reason, explanation] =
    error instanceof RelayError ? [error.code, error.message] : ['internal_error', null]
  const state = { state: 'dead', attempts: 1, reason, explanation } as const
  return { dispatch, queue, state, attempts: attemptsOf(error), error, isRefused: true }
}

/** The attempts of an event that is stored after an error. */
function attemptsOf(error: unknown): Attempts {
  if (!(error instanceof RelayError)) return { tries: 1, queued: 'internal_error' }
  return { ...(error.attempts ?? { tries: 0 }), queued: error.code }
}

/** The attempts of a request: of several events, the first that GitHub has not accepted gives the reason. */
function combined(all: readonly Attempts[]): Attempts {
  const [only, ...others] = all
  if (only && others.length === 0) return only
  const queued = all.find((attempts) => attempts.queued !== undefined)?.queued
  const tries = all.reduce((sum, attempts) => sum + attempts.tries, 0)
  return { tries, ...(queued !== undefined && { queued }) }
}

/** @returns what the sender has to hear: what GitHub said, if it refused the event for good */
function noRoom(error: unknown): unknown {
  const isStorable =
    mayComeLater(error) || (error instanceof RelayError && refusesCredential(error))
  if (!isStorable) return error
  const attempts = { tries: error.attempts?.tries ?? 0, mayBeAccepted: isAmbiguous(error) }
  return new RelayError('storage_full', { cause: error }).after(attempts)
}
