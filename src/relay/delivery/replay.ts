// Sends deliveries again. An event that GitHub never accepted keeps its id; otherwise the replay is a delivery of
// its own, whose payload names the old one, so that the action does not take it for a duplicate.

import { gzip, toBase64 } from '../../wire/bytes.ts'
import { LIMITS } from '../../wire/limits.ts'
import { HEADER, readClientPayload, writeClientPayload } from '../../wire/payload.ts'
import { LIMIT_OF } from '../github/payload.ts'
import type { NameQueue } from '../github/rate-limiter.ts'
import type { Dispatch } from '../github/send.ts'
import type {
  Delivery,
  DeliveryFilter,
  DeliveryState,
  NewDelivery,
  StoredDelivery,
} from '../store/delivery-rows.ts'
import { isDeleted } from '../store/delivery-sql.ts'
import type { Encryption } from '../store/encryption.ts'
import { type DeliveryStore, isSelected } from './deliveries.ts'
import {
  type DecryptedEvent,
  decryptContent,
  encryptContent,
  encryptEvent,
  requestColumns,
  type StoredRequest,
} from './event-record.ts'

/** What became of the deliveries that an admin replays. */
export interface Replayed {
  /** Events that are sent again. */
  readonly replayed: number
  /** Filtered requests that verification or condition declined once more. */
  readonly declined: number
  /** Deliveries without a stored payload, or whose payload cannot be sent any more. */
  readonly missing: number
  /** Events for which the database has no room; those that follow are not replayed either. */
  readonly left: number
  /** Ids under which events are sent, of at most 100 of them. */
  readonly ids: readonly string[]
  /** Why the first one was declined, or cannot be sent, for a person. */
  readonly explanation?: string
}

/** The events of a filtered request that passes now, or why it does not. */
export type Passed =
  | { readonly events: readonly Dispatch[] }
  | { readonly declined: string }
  | { readonly missing: string }

export interface ReplayPorts {
  readonly store: DeliveryStore
  readonly encryption: Encryption
  readonly nameQueue: NameQueue
  /**
   * Verifies a filtered request once more, at the time of its receipt, and evaluates the condition that its
   * endpoint has now.
   */
  passAgain(received: StoredRequest, delivery: Delivery): Promise<Passed>
  newId(): string
  now(): number
}

const NOTHING: Replayed = { replayed: 0, declined: 0, missing: 0, left: 0, ids: [] }

/** Ids that a response names. */
const SHOWN_IDS = 100

/** Deliveries that are read together, with their payloads. */
const PAGE = 50

/** Deliveries in this state were never accepted by GitHub, and have their payload. */
const UNSENT: ReadonlySet<DeliveryState> = new Set(['dead', 'waiting', 'uncertain'])

/**
 * Replays one delivery: in any state but `refused`. The id of a batch replays all of it.
 *
 * @param filter the deliveries that the caller may see
 * @returns `undefined` if there is none
 */
export async function replayOne(
  id: string,
  filter: DeliveryFilter,
  ports: ReplayPorts,
): Promise<Replayed | 'refused' | 'deleted' | undefined> {
  const { store } = ports
  const members = (await store.table.members(id)).filter((member) => isSelected(member, filter))
  const [first] = members
  if (!first) return undefined
  if (first.state === 'refused') return 'refused'
  if (isDeleted(first)) return 'deleted'
  if (UNSENT.has(first.state)) {
    const queued = await store.replay(
      members.map((member) => member.id),
      first.state,
    )
    // The first event of a batch that waits stands for all of it.
    const replayed = first.state === 'dead' ? queued : members.length
    return { ...NOTHING, replayed, ids: [first.id] }
  }
  if (first.state === 'filtered') return replayFiltered(first, ports)
  // The id of a batch is that of its first event; another one names this event alone.
  const isBatch = first.batch === null || first.batch === id
  return replayDelivered(isBatch ? members : members.filter((member) => member.id === id), ports)
}

/** Replays all that the filter selects, in the order of their arrival. */
export async function replayMany(
  filter: DeliveryFilter & { readonly state: DeliveryState },
  ports: ReplayPorts,
): Promise<Replayed> {
  const { store } = ports
  if (UNSENT.has(filter.state)) return { ...NOTHING, ...(await store.replayAll(filter)) }
  let total = NOTHING
  // The replays come behind it, so that none is replayed itself.
  const last = await store.table.lastSeq()
  for (let after = 0; ; ) {
    const page = await store.table.replayable(filter, PAGE, { after, last })
    for (const members of batchesOf(page)) {
      const [first] = members
      if (!first) continue
      const done =
        first.state === 'filtered'
          ? await replayFiltered(first, ports)
          : await replayDelivered(members, ports)
      total = sum(total, done)
      if (done.left > 0) return total
    }
    after = page.at(-1)?.seq ?? last
    if (page.length < PAGE) return total
  }
}

/** GitHub has these events already: each gets an id of its own. */
async function replayDelivered(
  members: readonly StoredDelivery[],
  ports: ReplayPorts,
): Promise<Replayed> {
  const { store, newId } = ports
  const batch = members.length > 1 ? newId() : undefined
  const made = await Promise.all(members.map((member) => replayRow(member, batch, ports)))
  const rows = made.flatMap(({ row }) => row ?? [])
  const missing = made.length - rows.length
  const explanation = made.find(({ fault }) => fault !== undefined)?.fault
  const failed = { ...NOTHING, missing, ...(explanation !== undefined && { explanation }) }
  if (rows.length === 0) return failed
  if (!(await store.put(rows))) return { ...failed, left: rows.length }
  return { ...failed, replayed: rows.length, ids: rows.map(({ id }) => id) }
}

/** @param batch set for the events of one batch, which are sent together again */
async function replayRow(
  member: StoredDelivery,
  batch: string | undefined,
  { encryption, newId }: ReplayPorts,
): Promise<{ readonly row?: NewDelivery; readonly fault?: string }> {
  if (isDeleted(member)) return { fault: 'the endpoint of the delivery was deleted' }
  const opened = await decryptContent(member, encryption)
  if (!opened?.event) return { fault: NO_PAYLOAD }
  const id = newId()
  const clientPayload = await replayedPayload(opened.event, id, member.id)
  if (clientPayload === undefined) {
    return { fault: 'with the header x-hookline-replay-of, the event is too large for GitHub' }
  }
  const { request } = opened.event
  const event: DecryptedEvent['event'] = {
    ...opened.event,
    delivery: id,
    clientPayload,
    ...(request && { request: { ...request, id } }),
  }
  const { queue, endpoint, path, method, received, size } = member
  const length = clientPayload.length + LIMITS.batchEventOverhead
  const grouping = JSON.stringify(['replay', batch])
  const row: NewDelivery = {
    ...{ id, request: id, replayOf: member.id, queue, endpoint, path, method, received, size },
    ...REPLAYED,
    ...(batch !== undefined && { collection: { grouping, period: 0, quiet: null, length } }),
    ...(await encryptContent({ event, credential: opened.credential }, encryption)),
  }
  return { row }
}

/** A filtered request started nothing, so its delivery keeps its id. */
async function replayFiltered(delivery: StoredDelivery, ports: ReplayPorts): Promise<Replayed> {
  const { store, encryption, nameQueue, passAgain, now } = ports
  const opened = await decryptContent(delivery, encryption)
  if (!opened?.received) return { ...NOTHING, missing: 1, explanation: NO_PAYLOAD }
  const passed = await passAgain(opened.received, delivery)
  if ('declined' in passed) return { ...NOTHING, declined: 1, explanation: passed.declined }
  if ('missing' in passed) return { ...NOTHING, missing: 1, explanation: passed.missing }
  const rows = await Promise.all(
    passed.events.map(async (dispatch, index): Promise<NewDelivery> => {
      // The delivery keeps its id; further targets of the endpoint have their own.
      const id = index === 0 ? delivery.id : dispatch.delivery
      const event = id === dispatch.delivery ? dispatch : withId(dispatch, id)
      return {
        ...{ id, request: delivery.request },
        queue: await nameQueue(dispatch),
        endpoint: delivery.endpoint,
        ...requestColumns(dispatch.request, now()),
        ...REPLAYED,
        ...(await encryptEvent(event, encryption)),
      }
    }),
  )
  if (!(await store.put(rows, delivery.id))) {
    // Another replay may have been first.
    const isThere = (await store.table.find(delivery.id))?.state === 'filtered'
    return isThere ? { ...NOTHING, left: 1 } : NOTHING
  }
  return { ...NOTHING, replayed: rows.length, ids: rows.map(({ id }) => id) }
}

const NO_PAYLOAD = 'the payload is not stored any more, or its relay key is missing'

const REPLAYED = { state: 'waiting', reason: 'replayed' } as const

/** An event under an id of its own. */
function withId(dispatch: Dispatch, delivery: string): Dispatch {
  const payload = readClientPayload(JSON.parse(dispatch.clientPayload))
  const headers = { ...payload.headers, [HEADER.delivery]: delivery }
  return { ...dispatch, delivery, clientPayload: writeClientPayload({ ...payload, headers }) }
}

/**
 * The payload of a replay. Its time of receipt stays, from which the window of a signature counts.
 *
 * @returns `undefined` if GitHub would not accept its size
 */
async function replayedPayload(
  { clientPayload, target }: Pick<Dispatch, 'clientPayload' | 'target'>,
  id: string,
  replayOf: string,
): Promise<string | undefined> {
  const { most, sizeOf } = LIMIT_OF[target.event]
  const { body, headers, ...rest } = readClientPayload(JSON.parse(clientPayload))
  const facts = { ...headers, [HEADER.delivery]: id, [HEADER.replayOf]: replayOf }
  const plain = writeClientPayload({ ...rest, headers: facts, body })
  if (sizeOf(plain) <= most) return plain
  if (typeof body !== 'string' || HEADER.bodyEncoding in headers) return undefined
  const packed = writeClientPayload({
    ...rest,
    headers: { ...facts, [HEADER.bodyEncoding]: 'gzip' },
    body: toBase64(await gzip(new TextEncoder().encode(body))),
  })
  return sizeOf(packed) <= most ? packed : undefined
}

/** The events of one batch together, and each other one by itself. */
function batchesOf(page: readonly StoredDelivery[]): readonly (readonly StoredDelivery[])[] {
  const batches = new Map<string, StoredDelivery[]>()
  for (const one of page) {
    const key = one.batch ?? one.id
    batches.set(key, [...(batches.get(key) ?? []), one])
  }
  return [...batches.values()]
}

function sum(a: Replayed, b: Replayed): Replayed {
  const explanation = a.explanation ?? b.explanation
  return {
    replayed: a.replayed + b.replayed,
    declined: a.declined + b.declined,
    missing: a.missing + b.missing,
    left: a.left + b.left,
    ids: [...a.ids, ...b.ids].slice(0, SHOWN_IDS),
    ...(explanation !== undefined && { explanation }),
  }
}
