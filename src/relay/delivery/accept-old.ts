import { splitOnce } from '../../wire/path.ts'
import { type Attempts, RelayError, storageFull } from '../errors.ts'
import { type Dispatch, type DispatchPort, refusesCredential } from '../github/send.ts'
import type { OutboxLine } from '../log-lines.ts'
import type { AcceptedQueues } from '../store/accepted-credentials.ts'
import type { Encryption } from '../store/encryption.ts'
import type { EndpointLookup } from '../store/endpoint-lookup.ts'
import type { RelayStore } from './accept.ts'
import { batchPeriod, type CollectPort, type StorePort } from './batch-period.ts'
import type { CollectedEvent } from './batches.ts'
import type { NewEvent } from './event.ts'
import { encryptEvent } from './event-record.ts'
import { type AttemptOutcome, isNotNow, outcomeOf } from './outcome.ts'
import { isOwnQueue, labelOf, type NameQueue, type QueueName, repositoryOf } from './queue-name.ts'
import { nextAttempt } from './retry-policy-old.ts'

/** The storage of events: in this process, or in Durable Objects. */
export interface EventStore {
  /** True while events of the queue are due, or it fails: another event must wait behind them. */
  waits(name: QueueName): Promise<boolean>
  /** @returns false if there is no room, or the disk fails */
  put(event: NewEvent): Promise<boolean>
  /** @returns the id of the batch; `undefined` if there is no room, or the disk fails */
  collect(event: CollectedEvent): Promise<string | undefined>
  /** Records how a call ended that was open when its event was stored. */
  settle(event: Pick<NewEvent, 'queue' | 'delivery'>, outcome: AttemptOutcome): Promise<void>
}

export interface AcceptPorts {
  /** Asks GitHub. */
  readonly ask: DispatchPort
  readonly store: EventStore
  readonly accepted: AcceptedQueues
  readonly encryption: Encryption
  readonly nameQueue: NameQueue
  /** Milliseconds that a sender waits for GitHub. */
  readonly responseTime: number
  /** Milliseconds that a call may take. */
  readonly callTime: number
  now(): number
  random(): number
  /** Calls back after so many milliseconds, unless the returned function is called before. */
  after(milliseconds: number, back: () => void): () => void
  /** Takes work that goes on after the response. */
  background(work: Promise<void>): void
  log(line: OutboxLine): void
  report(error: unknown): void
}

/**
 * Asks GitHub first, and stores an event that GitHub cannot accept now. While events of its queue
 * wait, an event is stored without a call. If it cannot be stored, GitHub is asked in any case.
 */
export function throughOutbox(ports: AcceptPorts): DispatchPort {
  const { store } = ports
  return async (dispatch) => {
    const name = await ports.nameQueue(dispatch)
    if ((await store.waits(name)) && (await mayStore(dispatch, name, ports))) {
      const event = await newEvent(dispatch, name, { ...UNTRIED, reason: 'queued' }, ports)
      if (await store.put(event)) return { tries: 0, queued: 'queued' }
    }
    return askGitHub(dispatch, name, ports)
  }
}

/** Delivers as the settings of the endpoint say. */
export function deliverThrough(
  ports: AcceptPorts,
  endpoints: EndpointLookup,
): RelayStore['deliver'] {
  const dispatch = throughOutbox(ports)
  const collect = collectInto(ports)
  const store = storeFirst(ports)
  const deliver: RelayStore['deliver'] = async ([event], endpoint) => {
    const period = endpoint && batchPeriod(endpoint)
    // An event with a stored body joins no batch.
    const isCollected =
      period && !event.hasStoredBody && (await collect(event, period)) !== undefined
    if (isCollected) return { tries: 0, queued: 'batch' }
    const stored = endpoint?.respond === 'stored' ? await store(event) : undefined
    return stored ?? dispatch(event)
  }
  return async (events, endpoint) => {
    const attempts = await deliver(events, endpoint)
    if (endpoint) await endpoints.accepted(endpoint)
    return attempts
  }
}

/** Stores events in batches. An event that cannot be stored is dispatched by itself. */
export function collectInto(ports: AcceptPorts): CollectPort {
  return async (dispatch, period) => {
    const { target, clientPayload } = dispatch
    const name = await ports.nameQueue(dispatch)
    // In Workers this call also loads whether GitHub accepted the credential.
    await ports.store.waits(name)
    if (!(await mayStore(dispatch, name, ports))) return undefined
    const event = await newEvent(dispatch, name, { ...UNTRIED, reason: 'batch' }, ports)
    return ports.store.collect({ event, target, clientPayload, period })
  }
}

/** Stores events before GitHub is asked. An event that cannot be stored is sent to GitHub directly. */
export function storeFirst(ports: AcceptPorts): StorePort {
  return async (dispatch) => {
    const name = await ports.nameQueue(dispatch)
    const event = await newEvent(dispatch, name, { ...UNTRIED, reason: 'stored' }, ports)
    return (await ports.store.put(event)) ? { tries: 0, queued: 'stored' } : undefined
  }
}

/**
 * Anyone can make up a token, so its events are stored only if GitHub accepted it for the repository.
 * The relay itself has created an endpoint.
 */
async function mayStore(
  { credential }: Dispatch,
  name: QueueName,
  { accepted }: Pick<AcceptPorts, 'accepted'>,
): Promise<boolean> {
  const isVerified = credential.kind === 'endpoint'
  return isVerified || accepted.has(name.queue)
}

async function askGitHub(
  dispatch: Dispatch,
  name: QueueName,
  ports: AcceptPorts,
): Promise<Attempts> {
  const call = ports.ask(dispatch)
  const isInTime = await settledWithin(ports.responseTime, call, ports)
  if (!isInTime) return storeWhileOpen(dispatch, name, call, ports)
  try {
    const attempts = await call
    ports.background(ports.accepted.note(name.queue))
    return attempts
  } catch (error) {
    return storeRefused(dispatch, name, error, ports)
  }
}

/** True if a call ends in time, however it ends. */
function settledWithin(
  milliseconds: number,
  call: Promise<unknown>,
  { after }: Pick<AcceptPorts, 'after'>,
): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = after(milliseconds, () => resolve(false))
    const settled = () => {
      cancel()
      resolve(true)
    }
    call.then(settled, settled)
  })
}

/** @throws the error if the sender has to hear it, or RelayError 503 if there is no room */
async function storeRefused(
  dispatch: Dispatch,
  name: QueueName,
  error: unknown,
  ports: AcceptPorts,
): Promise<Attempts> {
  const { store, now, random, log } = ports
  if (!(error instanceof RelayError)) throw error
  const refusesOwn = refusesCredential(error) && isOwnQueue(name.queue)
  // The sender cannot fix a refusal of the relay's own credential, but a first test must show it.
  const isStorable = refusesOwn
    ? await ports.accepted.has(name.queue)
    : isNotNow(error) && (await mayStore(dispatch, name, ports))
  if (!isStorable) throw error
  const outcome = outcomeOf(error)
  if (outcome.kind === 'accepted') throw error
  const fresh = { state: 'waiting', at: now(), attempts: 0, doubts: 0 } as const
  const age = Number.POSITIVE_INFINITY
  const next = nextAttempt(fresh, outcome, { now: now(), random: random(), age })
  if (next.state === 'dead') throw error
  const { state, wait, doubts } = next
  const { code: reason, attempts = { tries: 0 } } = error
  const event = await newEvent(dispatch, name, { state, wait, doubts, attempts: 1, reason }, ports)
  if (!(await store.put(event))) throw storageFull('the database of the relay is full', error)
  if (refusesOwn) {
    const names = { delivery: dispatch.delivery, repository: repositoryOf(name.queue) }
    log({ level: 'error', outbox: 'stored', ...names, reason })
  }
  return { ...attempts, queued: reason }
}

const NO_RESPONSE = 'github_timeout'

/** GitHub did not respond in time: the event is stored, and the open call may make that needless. */
async function storeWhileOpen(
  dispatch: Dispatch,
  name: QueueName,
  call: Promise<Attempts>,
  ports: AcceptPorts,
): Promise<Attempts> {
  const { store, accepted, responseTime, callTime } = ports
  const wait = Math.max(0, callTime - responseTime)
  // If the process ends during the call, nobody knows whether GitHub has the event.
  const open = { ...UNTRIED, state: 'uncertain', wait, reason: NO_RESPONSE } as const
  const isKnown = await mayStore(dispatch, name, ports)
  if (!isKnown || !(await store.put(await newEvent(dispatch, name, open, ports)))) {
    const attempts = await call.catch((error: unknown) => {
      throw isKnown && isNotNow(error)
        ? storageFull('the database of the relay is full', error)
        : error
    })
    ports.background(accepted.note(name.queue))
    return attempts
  }
  const event = { queue: name.queue, delivery: dispatch.delivery }
  const settled = call.then(
    async () => {
      await accepted.note(name.queue)
      await store.settle(event, { kind: 'accepted' })
    },
    (error: unknown) => store.settle(event, outcomeOf(error)),
  )
  ports.background(settled.catch(ports.report))
  return { tries: 1, queued: NO_RESPONSE }
}

/** An event for which GitHub was not called yet. */
const UNTRIED = { state: 'waiting', attempts: 0, doubts: 0, wait: 0 } as const

async function newEvent(
  dispatch: Dispatch,
  name: QueueName,
  state: Pick<NewEvent, 'state' | 'attempts' | 'doubts' | 'wait' | 'reason'>,
  { encryption, now }: Pick<AcceptPorts, 'encryption' | 'now'>,
): Promise<NewEvent> {
  const { delivery, credential, request } = dispatch
  return {
    delivery,
    ...name,
    credential: labelOf(credential, name.queue),
    ...shownRequest(request, now()),
    ...state,
    ...(await encryptEvent(dispatch, encryption)),
  }
}

/** The columns about a request, which are not encrypted: they omit the query. */
export function shownRequest(
  request: Dispatch['request'],
  now: number,
): Pick<NewEvent, 'path' | 'method' | 'received'> {
  const { path = '', method = '', receivedAt } = request ?? {}
  const received = receivedAt === undefined ? now : Date.parse(receivedAt)
  return { path: splitOnce(path, '?')[0], method, received }
}
