import { BoundedCache } from '../bounded-cache.ts'
import { outboxFull } from '../errors.ts'
import type { Governors } from '../governor.ts'
import { type DeadFilter, OutboxActions } from './actions.ts'
import type { Outcome } from './attempt.ts'
import type { CollectedEvent, CollectingLanes } from './collect.ts'
import { holderOfLane, ownerOf } from './lane.ts'
import { type OutboxView, SHOWN_STATES } from './operator.ts'
import type {
  NewEvent,
  OutboxEvent,
  OutboxFigures,
  OutboxLimits,
  OutboxQuery,
  SealedEvent,
} from './outbox.ts'
import { OutboxQueue, type QueuePorts } from './queue.ts'
import { CHUNK, LeasedRoom } from './room.ts'
import {
  migrateObject,
  type ObjectState,
  type ObjectStorage,
  objectDatabase,
  prepareObject,
  sqlOutbox,
} from './sql.ts'

interface ObjectStub {
  fetch(url: string, init: { method: string; body: string }): Promise<Response>
}

/** The binding `OUTBOX`. */
export interface ObjectNamespace {
  idFromName(name: string): unknown
  get(id: unknown): ObjectStub
}

/** The name of the object that knows the lanes; no lane has it, since each names a repository. */
const DIRECTORY = 'lanes'

export interface ObjectPorts extends Omit<QueuePorts, 'outbox' | 'room' | 'wake' | 'turn'> {
  readonly namespace: ObjectNamespace
  readonly governors: Governors
  readonly limits: OutboxLimits
  sleep(milliseconds: number): Promise<void>
}

const DAY = 24 * 3600 * 1000

/** What can be asked of an object: by name and argument, as JSON. */
interface Calls {
  look(lane: string): { waits: boolean; accepted: boolean }
  accepted(lane: string): unknown
  put(event: NewEvent): 'kept' | 'full'
  collect(event: CollectedEvent): string | null
  settle(given: { event: Pick<OutboxEvent, 'lane' | 'delivery'>; outcome: Outcome }): unknown
  list(query: OutboxQuery): readonly OutboxEvent[]
  find(delivery: string): SealedEvent | null
  replay(delivery: string): boolean
  separate(delivery: string): number
  replayAll(filter: DeadFilter): number
  drop(delivery: string): boolean
  dropAll(filter: DeadFilter): number
  figures(): OutboxFigures
  // Of the one that knows the lanes.
  remove(lane: string): unknown
  lanes(): readonly string[]
  lease(given: { lane: string; chunks: number }): boolean
  turn(given: { authority: string; held: number }): number
}

type Answers = {
  [Name in keyof Calls]: (given: Parameters<Calls[Name]>[0]) => Promise<ReturnType<Calls[Name]>>
}

/** Milliseconds for which an alarm's own work waits for a turn, rather than for another alarm. */
const SHORT_WAIT = 10_000

/**
 * One lane in a Durable Object, which its alarm gives its turns; or, under the name `lanes`, the list
 * of all lanes. What it is asked comes from the relay alone: an object has no address of its own.
 */
export class LaneObject {
  readonly #storage: ObjectStorage
  readonly #ports: ObjectPorts
  readonly #queue: OutboxQueue
  readonly #answers: Answers
  /** Whether it has a database: a lane that is only asked for is to leave none behind. */
  #isPrepared: boolean
  /** What an alarm at work does next, and when; an alarm that comes meanwhile would wait for it. */
  #next: number | undefined
  #isAwake = false

  /** @param ports of the same settings as the relay's own */
  static async open(state: ObjectState, ports: ObjectPorts): Promise<LaneObject> {
    const object = new LaneObject(state.storage, ports)
    if (object.#isPrepared) await object.#queue.start()
    return object
  }

  private constructor(storage: ObjectStorage, ports: ObjectPorts) {
    this.#isPrepared = migrateObject(storage)
    const outbox = sqlOutbox(objectDatabase(storage))
    const { namespace, governors, now } = ports
    const queue: OutboxQueue = new OutboxQueue({
      ...ports,
      outbox,
      room: new LeasedRoom(ports.limits, (lane, chunks) =>
        call(namespace, DIRECTORY, 'lease', { lane, chunks }),
      ),
      wake: (_lane, delay) => void this.#wakeAt(now() + delay),
      turn: async (lane) => {
        const [holder, owner] = [holderOfLane(lane), ownerOf(lane)]
        const given = {
          authority: governors.authorityOf(holder, owner),
          held: governors.of(holder, owner).heldFor,
        }
        return call(namespace, DIRECTORY, 'turn', given)
      },
    })
    this.#storage = storage
    this.#ports = ports
    this.#queue = queue
    const actions = new OutboxActions({ outbox, queue, now })
    const directory = new LaneDirectory(storage, ports)
    this.#answers = {
      look: async (lane) => ({ waits: queue.waits(lane), accepted: await queue.wasAccepted(lane) }),
      accepted: async (lane) => queue.accepted(lane),
      put: (event) => this.#put(event),
      collect: (event) => queue.collect(event).catch(() => null),
      settle: ({ event, outcome }) => queue.settle(event, outcome),
      list: (query) => outbox.list(query),
      find: async (delivery) => (await outbox.find(delivery)) ?? null,
      replay: (delivery) => actions.replay(delivery),
      separate: (delivery) => actions.separate(delivery),
      replayAll: (filter) => actions.replayAll(filter),
      drop: (delivery) => actions.drop(delivery),
      dropAll: (filter) => actions.dropAll(filter),
      figures: async () => queue.figures(),
      remove: async (lane) => directory.remove(lane),
      lanes: async () => directory.lanes(),
      lease: async ({ lane, chunks }) => directory.lease(lane, chunks),
      turn: async ({ authority, held }) => directory.turn(authority, held),
    }
  }

  async fetch(request: Request): Promise<Response> {
    const name = new URL(request.url).pathname.slice(1)
    const answer = Object.entries(this.#answers).find(([known]) => known === name)?.[1]
    if (!answer) return new Response(null, { status: 404 })
    // Of a credential that the relay cannot judge anyone can make up as many as he likes.
    if (!this.#isPrepared && name === 'look') {
      return Response.json({ waits: false, accepted: false })
    }
    this.#prepare()
    // The relay's own call: `call` gave each name its argument.
    const given = (await request.json()) as never
    return Response.json((await answer(given)) ?? null)
  }

  #prepare(): void {
    if (this.#isPrepared) return
    prepareObject(this.#storage)
    this.#isPrepared = true
  }

  async alarm(): Promise<void> {
    const lanes = this.#queue.lanes()
    this.#isAwake = true
    try {
      for (let isFirst = true; isFirst || this.#next !== undefined; isFirst = false) {
        const wait = Math.max(0, (this.#next ?? 0) - this.#ports.now())
        if (!isFirst && wait > SHORT_WAIT) break
        if (!isFirst && wait > 0) await this.#ports.sleep(wait)
        this.#next = undefined
        await Promise.all(this.#queue.lanes().map((lane) => this.#queue.run(lane)))
      }
    } finally {
      this.#isAwake = false
    }
    if (this.#next !== undefined) await this.#wakeAt(this.#next)
    await this.#queue.check()
    const { waiting, dead, sent } = this.#queue.figures()
    if (waiting > 0) return
    if (dead + sent > 0) return this.#wakeAt(this.#ports.now() + DAY)
    for (const lane of lanes) await this.#unlist(lane)
  }

  async #put(event: NewEvent): Promise<'kept' | 'full'> {
    try {
      await this.#queue.put(event)
      return 'kept'
    } catch {
      return 'full'
    }
  }

  async #unlist(lane: string): Promise<void> {
    const { namespace, report } = this.#ports
    await call(namespace, DIRECTORY, 'remove', lane).catch(report)
    // An event may have come meanwhile: it takes room anew.
    await this.#queue.recount()
  }

  async #wakeAt(time: number): Promise<void> {
    if (this.#isAwake) {
      this.#next = Math.min(time, this.#next ?? time)
      // Should this work be cut off, the alarm goes on with it.
    }
    await this.#storage.setAlarm(time).catch(this.#ports.report)
  }
}

/** The lanes there are, what room each has, and whose turn it is. */
class LaneDirectory {
  readonly #storage: ObjectStorage
  readonly #ports: ObjectPorts
  readonly #turns = new Map<string, number>()

  constructor(storage: ObjectStorage, ports: ObjectPorts) {
    this.#storage = storage
    this.#ports = ports
  }

  lanes(): string[] {
    return this.#rows('SELECT name FROM lane ORDER BY name').map(({ name }) => String(name))
  }

  remove(lane: string): void {
    this.#rows('DELETE FROM lane WHERE name = ?', lane)
  }

  /** Room in chunks; a lane may hold as much as is still free. */
  lease(lane: string, chunks: number): boolean {
    const rows = this.#rows('SELECT name, chunks FROM lane')
    const others = rows.filter(({ name }) => name !== lane)
    const taken = others.reduce((sum, row) => sum + Number(row.chunks), 0)
    const most = Math.max(1, Math.floor(this.#ports.limits.bytes / CHUNK))
    if (chunks > 0 && chunks > most - taken - Math.max(0, chunks - 1)) return false
    this.#rows('REPLACE INTO lane VALUES (?, ?)', lane, chunks)
    return true
  }

  /** @returns milliseconds until the turn that is then the asker's */
  turn(authority: string, held: number): number {
    const { now, pace } = this.#ports
    if (this.#turns.size > MOST_TURNS) this.#turns.clear()
    const time = now()
    const at = Math.max(time + held, this.#turns.get(authority) ?? 0)
    this.#turns.set(authority, at + pace)
    return at - time
  }

  #rows(statement: string, ...values: unknown[]) {
    const { sql } = this.#storage
    sql.exec('CREATE TABLE IF NOT EXISTS lane (name TEXT PRIMARY KEY)')
    const columns = sql.exec("SELECT name FROM pragma_table_info('lane')").toArray()
    if (columns.length === 1) {
      sql.exec('ALTER TABLE lane ADD COLUMN chunks INTEGER NOT NULL DEFAULT 1')
    }
    return sql.exec(statement, ...values).toArray()
  }
}

const MOST_TURNS = 10_000

/** @throws Error when the object cannot be reached, or failed */
async function call<Name extends keyof Calls>(
  namespace: ObjectNamespace,
  object: string,
  name: Name,
  ...[given]: Parameters<Calls[Name]>
): Promise<ReturnType<Calls[Name]>> {
  const stub = namespace.get(namespace.idFromName(object))
  const body = JSON.stringify(given ?? null)
  const answer = await stub.fetch(`https://outbox/${name}`, { method: 'POST', body })
  if (!answer.ok) throw new Error(`the outbox answered ${answer.status}`)
  // What `LaneObject` answers under this name.
  return (await answer.json()) as ReturnType<Calls[Name]>
}

/** The lanes in their objects, as the relay sees them. */
export function durableLanes(
  namespace: ObjectNamespace,
  { now, report }: Pick<ObjectPorts, 'now' | 'report'>,
): CollectingLanes {
  // When each was accepted last, as far as this isolate knows: told to its object once an hour.
  const told = new BoundedCache<string, number>(KNOWN_CREDENTIALS)
  const accepted = new BoundedCache<string, boolean>(KNOWN_CREDENTIALS)
  return {
    waits: async (lane) => {
      try {
        const found = await call(namespace, lane, 'look', lane)
        accepted.set(lane, found.accepted)
        return found.waits
      } catch (error) {
        // GitHub can be asked all the same.
        report(error)
        return false
      }
    },
    wasAccepted: (lane) => told.get(lane) !== undefined || accepted.get(lane) === true,
    put: async (event) => {
      const result = await call(namespace, event.lane, 'put', event).catch(report)
      if (result !== 'kept') throw outboxFull('the outbox cannot take the event')
    },
    collect: async (event) => {
      const batch = await call(namespace, event.lane, 'collect', event).catch(report)
      if (typeof batch !== 'string') throw outboxFull('the outbox cannot take the event')
      return batch
    },
    settle: async (event, outcome) => {
      await call(namespace, event.lane, 'settle', { event, outcome })
    },
    accepted: (lane) => {
      if (now() - (told.get(lane) ?? 0) < HOUR) return
      told.set(lane, now())
      return call(namespace, lane, 'accepted', lane).then(() => {}, report)
    },
  }
}

const HOUR = 3_600_000

const KNOWN_CREDENTIALS = 10_000

/** All lanes together, for an operator. */
export function durableView(namespace: ObjectNamespace): OutboxView {
  const ofAll = async <Name extends keyof Calls>(
    name: Name,
    ...given: Parameters<Calls[Name]>
  ): Promise<ReturnType<Calls[Name]>[]> => {
    const lanes = await call(namespace, DIRECTORY, 'lanes')
    return Promise.all(lanes.map((lane) => call(namespace, lane, name, ...given)))
  }
  const sumOfAll = async (name: 'replayAll' | 'dropAll', filter: DeadFilter) =>
    (await ofAll(name, filter)).reduce((sum, count) => sum + count, 0)
  return {
    list: async ({ cursor = '', limit, ...filter }) => {
      // Lane by lane: a cursor is how many of them are done, and the place in the next one.
      const [done = 0, place = -1] = cursor === '' ? [] : cursor.split('.').map(Number)
      const lanes = await call(namespace, DIRECTORY, 'lanes')
      const events: OutboxEvent[] = []
      for (const [at, lane] of lanes.entries()) {
        if (at < done) continue
        const after = at === done ? place : -1
        const left = limit - events.length
        const query = { states: SHOWN_STATES, ...filter, after, limit: left }
        events.push(...(await call(namespace, lane, 'list', query)))
        const last = events.at(-1)
        if (events.length >= limit && last) return { events, next: `${at}.${last.seq}` }
      }
      return { events, next: undefined }
    },
    find: async (delivery) =>
      (await ofAll('find', delivery)).find((event) => event !== null) ?? undefined,
    replay: async (delivery) => (await ofAll('replay', delivery)).includes(true),
    separate: async (delivery) => Math.max(0, ...(await ofAll('separate', delivery))),
    replayAll: (filter) => sumOfAll('replayAll', filter),
    drop: async (delivery) => (await ofAll('drop', delivery)).includes(true),
    dropAll: (filter) => sumOfAll('dropAll', filter),
    figures: async () => {
      const all = await ofAll('figures')
      const total = { waiting: 0, bytes: 0, oldest: 0, dead: 0, unreadable: 0, sent: 0 }
      for (const { waiting, bytes, oldest, dead, unreadable, sent } of all) {
        total.waiting += waiting
        total.bytes += bytes
        total.oldest = Math.max(total.oldest, oldest)
        total.dead += dead
        total.unreadable += unreadable
        total.sent += sent
      }
      return total
    },
  }
}
