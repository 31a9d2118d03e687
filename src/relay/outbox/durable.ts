import type { OutboxView } from '../admin/outbox.ts'
import { deliveriesIn } from '../bodies/body-table.ts'
import { BoundedCache } from '../bounded-cache.ts'
import {
  createTables,
  migrateObject,
  type ObjectState,
  type ObjectStorage,
  objectDatabase,
} from '../database/durable-object.ts'
import { migrationLine, SCHEMA_VERSION } from '../database/schema.ts'
import type { RateLimiters } from '../github/rate-limiter.ts'
import { isAmbiguous, RelayError } from '../relay-errors.ts'
import type { EventStore } from './accept.ts'
import type { CollectedEvent } from './batches.ts'
import type { Turn } from './delivery-loop.ts'
import {
  type NewEvent,
  NO_FIGURES,
  type OutboxFigures,
  type OutboxLimits,
  type StoredEvent,
} from './event.ts'
import {
  type EventFilter,
  Ledger,
  type ListedUnit,
  type ListPage,
  type ListQuery,
} from './ledger.ts'
import { ObjectIndex, type QueueUsage, type Reservation } from './object-index.ts'
import { Outbox, type OutboxPorts } from './outbox.ts'
import type { AttemptOutcome } from './outcome.ts'
import { holderOf, ownerOf, type QueueName } from './queue-name.ts'

interface ObjectStub {
  fetch(
    url: string,
    init: { method: string; body?: string | Uint8Array<ArrayBuffer> },
  ): Promise<Response>
}

/** The binding `OUTBOX`. */
export interface ObjectNamespace {
  idFromName(name: string): unknown
  get(id: unknown): ObjectStub
}

/** Name of the index object; no queue has it, since a queue names a repository. */
const INDEX = 'index'

export interface ObjectPorts extends Omit<OutboxPorts, 'ledger' | 'wake' | 'turn'> {
  readonly namespace: ObjectNamespace
  readonly rateLimiters: RateLimiters
  readonly limits: OutboxLimits
  /** Milliseconds between calls of one credential. */
  readonly minInterval: number
  sleep(milliseconds: number): Promise<void>
}

/** Milliseconds after which a queue with only dead letters and copies looks at their age. */
const DAY = 24 * 3_600_000

/** Milliseconds that an alarm waits by itself; for a longer wait it sets another alarm. */
const SHORT_WAIT = 10_000

/** The methods of an object, by name, with one argument and a result that are JSON. */
interface Calls {
  put(event: NewEvent): boolean
  collect(event: CollectedEvent): string | null
  settle(given: { event: Pick<NewEvent, 'queue' | 'delivery'>; outcome: AttemptOutcome }): null
  list(query: ListQuery): ListPage
  find(id: string): readonly StoredEvent[]
  replay(given: { id: string; separate: boolean }): number
  replayAll(filter: EventFilter): number
  delete(id: string): number
  deleteAll(filter: EventFilter): number
  endRevoked(labels: readonly string[]): number
  figures(): OutboxFigures
  deleteCopies(bytes: number): null
  /** Those of the deliveries that the queue has. */
  among(deliveries: readonly string[]): readonly string[]
  // Of the index:
  look(name: QueueName): { waits: boolean; accepted: boolean }
  noteAccepted(queue: string): null
  reserve(given: Reservation): boolean
  report(usage: QueueUsage): null
  queues(): readonly string[]
  isFull(): boolean
  turn(given: { credential: string; held: number }): Turn & { isProbe: boolean }
  noteOutcome(given: { credential: string; isAmbiguous: boolean }): null
}

type Methods = {
  [Name in keyof Calls]: (given: Parameters<Calls[Name]>[0]) => Promise<ReturnType<Calls[Name]>>
}

/**
 * A Durable Object of the outbox: the ledger of one queue, whose alarm delivers its events, or the
 * index. Only the relay calls it: an object has no address of its own.
 */
export class OutboxObject {
  readonly #storage: ObjectStorage
  readonly #ports: ObjectPorts
  readonly #ledger: Ledger
  readonly #outbox: Outbox
  readonly #methods: Methods
  /** False for an object without tables: a queue that nobody stores in leaves nothing behind. */
  #hasTables: boolean
  /** Name and holder of the queue, once an event told them. */
  #name: QueueName | undefined
  /** When the alarm that runs has to look again. */
  #next: number | undefined
  #isAwake = false
  /** True if the index knows that the last response to the credential was ambiguous. */
  #isInDoubt = false

  /** @param ports of the same settings as the relay's own */
  static async open({ storage }: ObjectState, ports: ObjectPorts): Promise<OutboxObject> {
    const object = new OutboxObject(storage, ports)
    if (object.#hasTables) await object.#outbox.start()
    return object
  }

  private constructor(storage: ObjectStorage, ports: ObjectPorts) {
    const { rateLimiters, keys, now } = ports
    const most = Number.MAX_SAFE_INTEGER
    this.#storage = storage
    this.#ports = ports
    const found = migrateObject(storage)
    this.#hasTables = found !== undefined
    if (found !== undefined && found < SCHEMA_VERSION)
      ports.log(migrationLine(found, new Date(now())))
    this.#ledger = new Ledger({
      database: objectDatabase(storage),
      // The index has the quota.
      limits: { ...ports.limits, events: most, bytes: most },
      keyIds: keys.map(({ id }) => id),
      now,
    })
    this.#outbox = new Outbox({
      ...ports,
      ledger: this.#ledger,
      wake: (_queue, delay) => void this.#wakeAt(now() + delay),
      turn: async (queue) => {
        const [holder, owner] = [holderOf(queue), ownerOf(queue)]
        const credential = rateLimiters.nameOf(holder, owner)
        const held = rateLimiters.of(holder, owner).heldFor
        const turn = await this.#call(INDEX, 'turn', { credential, held })
        if (turn.isProbe) this.#isInDoubt = true
        return turn
      },
      send: async (dispatch) => {
        try {
          const attempts = await ports.send(dispatch)
          await this.#noteOutcome(false)
          return attempts
        } catch (error) {
          await this.#noteOutcome(error instanceof RelayError && isAmbiguous(error))
          throw error
        }
      },
    })
    const outbox = this.#outbox
    const index = new ObjectIndex(storage, ports)
    this.#methods = {
      put: (event) => this.#put(event),
      collect: (event) => this.#collect(event),
      settle: async ({ event, outcome }) => {
        await outbox.settle(event, outcome)
        await this.#noteOutcome(outcome.kind === 'doubt')
        return this.#report()
      },
      list: (query) => outbox.list(query),
      find: (id) => outbox.find(id),
      replay: async ({ id, separate }) => outbox.replay(id, separate),
      replayAll: (filter) => outbox.replayAll(filter),
      delete: (id) => outbox.delete(id).finally(() => this.#report()),
      deleteAll: (filter) => outbox.deleteAll(filter).finally(() => this.#report()),
      endRevoked: (labels) => outbox.endRevoked(labels).finally(() => this.#report()),
      figures: () => outbox.figures(),
      deleteCopies: async (bytes) => {
        await this.#ledger.deleteCopies(bytes)
        return this.#report()
      },
      among: (deliveries) => deliveriesIn(objectDatabase(storage), deliveries),
      look: async (name) => index.look(name),
      noteAccepted: async (queue) => {
        index.noteAccepted(queue)
        return null
      },
      reserve: async (given) => {
        const { isFree, excess } = index.reserve(given)
        const yielding = excess > 0 ? index.mostCopies() : undefined
        if (yielding) void this.#call(yielding, 'deleteCopies', excess).catch(ports.report)
        return isFree
      },
      report: async (usage) => {
        index.report(usage)
        return null
      },
      queues: async () => index.queues(),
      isFull: async () => index.isFull(),
      turn: async ({ credential, held }) => index.turn(credential, held),
      noteOutcome: async ({ credential, isAmbiguous }) => {
        index.noteOutcome(credential, isAmbiguous)
        return null
      },
    }
  }

  async fetch(request: Request): Promise<Response> {
    const name = new URL(request.url).pathname.slice(1)
    const method = Object.entries(this.#methods).find(([known]) => known === name)?.[1]
    if (!method) return new Response(null, { status: 404 })
    // `callObject` gave the method its argument.
    const given = (await request.json()) as never
    if (!this.#hasTables && OF_EVENTS.has(name)) return Response.json(EMPTY.get(name) ?? 0)
    return Response.json((await method(given)) ?? null)
  }

  async alarm(): Promise<void> {
    if (!this.#hasTables) return
    this.#isAwake = true
    try {
      for (let isFirst = true; isFirst || this.#next !== undefined; isFirst = false) {
        const wait = Math.max(0, (this.#next ?? 0) - this.#ports.now())
        if (!isFirst && wait > SHORT_WAIT) break
        if (!isFirst && wait > 0) await this.#ports.sleep(wait)
        this.#next = undefined
        await Promise.all(this.#outbox.queues().map((queue) => this.#outbox.step(queue)))
        await this.#outbox.idle()
      }
    } finally {
      this.#isAwake = false
    }
    const next = this.#next
    await this.#outbox.check()
    await this.#report()
    if (next !== undefined) await this.#wakeAt(next)
    else if (this.#hasTables) await this.#wakeAt(this.#ports.now() + DAY)
  }

  async #put(event: NewEvent): Promise<boolean> {
    const isInDoubt = event.state === 'uncertain' && event.attempts > 0
    if (!(await this.#reserve(event, { waits: true, isInDoubt }))) return false
    this.#ensureTables()
    const isStored = await this.#outbox.put(event)
    if (!isStored) await this.#report()
    return isStored
  }

  async #collect(event: CollectedEvent): Promise<string | null> {
    if (!(await this.#reserve(event, { waits: false, isInDoubt: false }))) return null
    this.#ensureTables()
    const batch = await this.#outbox.collect(event)
    if (batch === undefined) await this.#report()
    return batch ?? null
  }

  async #reserve(
    { queue, holder, sealed }: Pick<NewEvent, 'queue' | 'holder' | 'sealed'>,
    state: Pick<Reservation, 'waits' | 'isInDoubt'>,
  ): Promise<boolean> {
    const reservation = { queue, holder, bytes: sealed.length, ...state }
    if (!(await this.#call(INDEX, 'reserve', reservation))) return false
    this.#name = { queue, holder }
    return true
  }

  /** Tells the index of each ambiguous response, and of the clear one that follows. */
  async #noteOutcome(isAmbiguous: boolean): Promise<void> {
    if (!isAmbiguous && !this.#isInDoubt) return
    this.#isInDoubt = isAmbiguous
    this.#name ??= await this.#ledger.queueName()
    const credential = this.#name?.holder
    if (credential === undefined) return
    const given = { credential, isAmbiguous }
    await this.#call(INDEX, 'noteOutcome', given).catch(this.#ports.report)
  }

  /** Called in the same turn of the event loop as the write, since `#report` may delete the tables. */
  #ensureTables(): void {
    if (!this.#hasTables) createTables(this.#storage)
    this.#hasTables = true
  }

  /** Tells the index what the queue uses. A queue that is empty gives up its storage. */
  async #report(): Promise<null> {
    if (!this.#hasTables) return null
    this.#name ??= await this.#ledger.queueName()
    const name = this.#name
    if (!name) return null
    const { events, bytes, copies } = await this.#ledger.usage()
    const waits = await this.#outbox.waits(name)
    await this.#call(INDEX, 'report', { ...name, events, bytes, copies, waits })
    const [row] = this.#storage.sql.exec('SELECT count(*) AS events FROM event').toArray()
    const { imbalance } = await this.#outbox.figures()
    // An imbalance stays visible.
    if (Number(row?.events) > 0 || imbalance !== 0) return null
    const [last] = this.#storage.sql.exec('SELECT count(*) AS events FROM event').toArray()
    if (Number(last?.events) > 0) return null
    this.#hasTables = false
    await this.#storage.deleteAll()
    return null
  }

  #call<Name extends keyof Calls>(
    object: string,
    name: Name,
    ...given: Parameters<Calls[Name]>
  ): Promise<ReturnType<Calls[Name]>> {
    return callObject(this.#ports.namespace, object, name, ...given)
  }

  async #wakeAt(time: number): Promise<void> {
    // Should the work of an alarm be cut off, another alarm goes on with it.
    if (this.#isAwake) this.#next = Math.min(time, this.#next ?? time)
    await this.#storage.setAlarm(time).catch(this.#ports.report)
  }
}

/** Methods that need the tables of events. */
const OF_EVENTS: ReadonlySet<string> = new Set([
  'settle',
  'list',
  'find',
  'replay',
  'replayAll',
  'delete',
  'deleteAll',
  'endRevoked',
  'figures',
  'deleteCopies',
  'among',
])

/** Results of an object without events, where they are no number. */
const EMPTY: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['settle', null],
  ['list', { events: [] }],
  ['find', []],
  ['figures', NO_FIGURES],
  ['deleteCopies', null],
  ['among', []],
])

/** @throws Error if the object cannot be reached, or failed */
async function callObject<Name extends keyof Calls>(
  namespace: ObjectNamespace,
  object: string,
  name: Name,
  ...[given]: Parameters<Calls[Name]>
): Promise<ReturnType<Calls[Name]>> {
  const stub = namespace.get(namespace.idFromName(object))
  const body = JSON.stringify(given ?? null)
  const response = await stub.fetch(`https://outbox/${name}`, { method: 'POST', body })
  if (!response.ok) throw new Error(`the outbox responded with status ${response.status}`)
  // The result of the method with this name.
  return (await response.json()) as ReturnType<Calls[Name]>
}

const HOUR = 3_600_000

const KNOWN_CREDENTIALS = 10_000

/** Milliseconds for which an isolate uses what the index said of an empty queue. */
const FRESH = 1000

/** The queues in their objects, as the relay stores events in them. */
export function objectStore(
  namespace: ObjectNamespace,
  { now, report }: Pick<ObjectPorts, 'now' | 'report'>,
): EventStore {
  /** When this isolate told the index of an acceptance last. */
  const noted = new BoundedCache<string, number>(KNOWN_CREDENTIALS)
  const accepted = new BoundedCache<string, boolean>(KNOWN_CREDENTIALS)
  /** When the index said that a queue has no waiting events. */
  const empty = new BoundedCache<string, number>(KNOWN_CREDENTIALS)
  return {
    waits: async ({ queue, holder }) => {
      if (now() - (empty.get(queue) ?? Number.NEGATIVE_INFINITY) < FRESH) return false
      try {
        const found = await callObject(namespace, INDEX, 'look', { queue, holder })
        accepted.set(queue, found.accepted)
        if (!found.waits && found.accepted) empty.set(queue, now())
        return found.waits
      } catch (error) {
        // GitHub can be called all the same.
        report(error)
        return false
      }
    },
    wasAccepted: async ({ queue }) =>
      noted.get(queue) !== undefined || accepted.get(queue) === true,
    put: async (event) => {
      empty.delete(event.queue)
      return callObject(namespace, event.queue, 'put', event).catch((error: unknown) => {
        report(error)
        return false
      })
    },
    collect: async (event) => {
      const batch = await callObject(namespace, event.queue, 'collect', event).catch(report)
      return batch ?? undefined
    },
    settle: async (event, outcome) => {
      await callObject(namespace, event.queue, 'settle', { event, outcome })
    },
    noteAccepted: async ({ queue }) => {
      if (now() - (noted.get(queue) ?? 0) < HOUR) return
      noted.set(queue, now())
      await callObject(namespace, INDEX, 'noteAccepted', queue).catch(report)
    },
  }
}

/** Whether the outbox has no room for any queue. */
export function objectIsFull(namespace: ObjectNamespace): Promise<boolean> {
  return callObject(namespace, INDEX, 'isFull')
}

/** Those of the deliveries that some queue has. @throws Error if a queue does not respond */
export async function deliveriesInObjects(
  namespace: ObjectNamespace,
  deliveries: readonly string[],
): Promise<readonly string[]> {
  const queues = await callObject(namespace, INDEX, 'queues')
  const found = queues.map((queue) => callObject(namespace, queue, 'among', deliveries))
  return (await Promise.all(found)).flat()
}

/** All queues together, as an admin sees them. */
export function objectView(namespace: ObjectNamespace): OutboxView {
  const ofAll = async <Name extends keyof Calls>(
    name: Name,
    ...given: Parameters<Calls[Name]>
  ): Promise<ReturnType<Calls[Name]>[]> => {
    const queues = await callObject(namespace, INDEX, 'queues')
    return Promise.all(queues.map((queue) => callObject(namespace, queue, name, ...given)))
  }
  const sum = async (counts: Promise<readonly number[]>) =>
    (await counts).reduce((total, count) => total + count, 0)
  return {
    list: async ({ filter, cursor = '', limit }) => {
      // Queue by queue: a cursor is how many of them are done, and the cursor in the next one.
      const [, done = 0, rest] = /^(\d+)\.(.*)$/.exec(cursor) ?? []
      const queues = await callObject(namespace, INDEX, 'queues')
      const events: ListedUnit[] = []
      for (const [at, queue] of queues.entries()) {
        if (at < Number(done)) continue
        const query = {
          filter,
          cursor: at === Number(done) ? rest : undefined,
          limit: limit - events.length,
        }
        const page = await callObject(namespace, queue, 'list', query)
        events.push(...page.events)
        if (page.next !== undefined) return { events, next: `${at}.${page.next}` }
      }
      return { events, next: undefined }
    },
    find: async (id) => (await ofAll('find', id)).find((events) => events.length > 0) ?? [],
    replay: (id, separate) => sum(ofAll('replay', { id, separate })),
    replayAll: (filter) => sum(ofAll('replayAll', filter)),
    delete: (id) => sum(ofAll('delete', id)),
    deleteAll: (filter) => sum(ofAll('deleteAll', filter)),
    endRevoked: (labels) => sum(ofAll('endRevoked', labels)),
    figures: async () => (await ofAll('figures')).reduce(addFigures, NO_FIGURES),
  }
}

function addFigures(sum: OutboxFigures, one: OutboxFigures): OutboxFigures {
  return {
    events: {
      waiting: sum.events.waiting + one.events.waiting,
      uncertain: sum.events.uncertain + one.events.uncertain,
      delivered: sum.events.delivered + one.events.delivered,
      dead: sum.events.dead + one.events.dead,
    },
    bytes: sum.bytes + one.bytes,
    oldest: Math.max(sum.oldest, one.oldest),
    unreadable: sum.unreadable + one.unreadable,
    imbalance: sum.imbalance + one.imbalance,
  }
}
