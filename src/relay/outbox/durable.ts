import { outboxFull } from '../errors.ts'
import type { Lanes } from './accept.ts'
import type { Outcome } from './attempt.ts'
import type { OutboxView } from './operator.ts'
import type { OutboxEvent, OutboxFigures, SealedEvent } from './outbox.ts'
import { OutboxQueue, type QueuePorts } from './queue.ts'
import {
  createSchema,
  type ObjectState,
  type ObjectStorage,
  objectDatabase,
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

export interface ObjectPorts extends Omit<QueuePorts, 'outbox' | 'wake'> {
  readonly namespace: ObjectNamespace
}

const DAY = 24 * 3600 * 1000

const HAS_DATABASE = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'lane'"

/** What can be asked of an object: by name and argument, as JSON. */
interface Calls {
  waits(lane: string): boolean
  put(given: { event: SealedEvent; proven: boolean }): 'kept' | 'full'
  settle(given: { event: OutboxEvent; outcome: Outcome }): unknown
  list(): readonly OutboxEvent[]
  find(delivery: string): SealedEvent | null
  replay(delivery: string): boolean
  drop(delivery: string): boolean
  figures(): OutboxFigures
  // Of the one that knows the lanes.
  add(lane: string): unknown
  remove(lane: string): unknown
  lanes(): readonly string[]
}

type Answers = {
  [Name in keyof Calls]: (given: Parameters<Calls[Name]>[0]) => Promise<ReturnType<Calls[Name]>>
}

/**
 * One lane in a Durable Object, which its alarm gives its turns; or, under the name `lanes`, the list
 * of all lanes. What it is asked comes from the relay alone: an object has no address of its own.
 */
export class LaneObject {
  readonly #storage: ObjectStorage
  readonly #ports: ObjectPorts
  readonly #queue: OutboxQueue
  readonly #answers: Answers
  #listed = false
  /** Whether it has a database: a lane that is only asked for is to leave none behind. */
  #isPrepared: boolean

  /** @param ports of the same settings as the relay's own */
  static async open(state: ObjectState, ports: ObjectPorts): Promise<LaneObject> {
    const object = new LaneObject(state.storage, ports)
    if (object.#isPrepared) await object.#queue.start()
    return object
  }

  private constructor(storage: ObjectStorage, ports: ObjectPorts) {
    const database = objectDatabase(storage)
    this.#isPrepared = database.run(HAS_DATABASE).length > 0
    const outbox = sqlOutbox(database)
    const wake = (_lane: string, delay: number) => void this.#wakeAt(ports.now() + delay)
    const queue = new OutboxQueue({ ...ports, outbox, wake })
    this.#storage = storage
    this.#ports = ports
    this.#queue = queue
    this.#answers = {
      waits: async (lane) => queue.waits(lane),
      put: (given) => this.#put(given),
      settle: ({ event, outcome }) => queue.settle(event, outcome),
      list: () => outbox.list(),
      find: async (delivery) => (await outbox.find(delivery)) ?? null,
      replay: (delivery) => queue.replay(delivery),
      drop: (delivery) => queue.drop(delivery),
      figures: async () => queue.figures(),
      add: (lane) => database.write(() => database.run('REPLACE INTO lane VALUES (?)', lane)),
      remove: (lane) => database.write(() => database.run('DELETE FROM lane WHERE name = ?', lane)),
      lanes: async () => database.run('SELECT name FROM lane').map(({ name }) => String(name)),
    }
  }

  async fetch(request: Request): Promise<Response> {
    const name = new URL(request.url).pathname.slice(1)
    const answer = Object.entries(this.#answers).find(([known]) => known === name)?.[1]
    if (!answer) return new Response(null, { status: 404 })
    // Of a credential that the relay cannot judge anyone can make up as many as he likes.
    if (!this.#isPrepared && name === 'waits') return Response.json(false)
    this.#prepare()
    // The relay's own call: `call` gave each name its argument.
    const given = (await request.json()) as never
    return Response.json((await answer(given)) ?? null)
  }

  #prepare(): void {
    if (this.#isPrepared) return
    const database = objectDatabase(this.#storage)
    this.#storage.transactionSync(() => {
      createSchema(database)
      database.run('CREATE TABLE lane (name TEXT PRIMARY KEY)')
    })
    this.#isPrepared = true
  }

  async alarm(): Promise<void> {
    const lanes = this.#queue.lanes()
    for (const lane of lanes) await this.#queue.run(lane)
    await this.#queue.check()
    const { waiting, dead } = this.#queue.figures()
    if (waiting > 0) return
    if (dead > 0) return this.#wakeAt(this.#ports.now() + DAY)
    for (const lane of lanes) await this.#unlist(lane)
  }

  async #put({ event, proven }: { event: SealedEvent; proven: boolean }): Promise<'kept' | 'full'> {
    if (proven) this.#queue.accepted(event.lane)
    const listing = this.#listed ? undefined : this.#list(event.lane)
    try {
      await this.#queue.put(event)
      return 'kept'
    } catch {
      return 'full'
    } finally {
      await listing
    }
  }

  /** Without it an operator does not see the lane, but its events are delivered all the same. */
  async #list(lane: string): Promise<void> {
    const { namespace, report } = this.#ports
    this.#listed = true
    await call(namespace, DIRECTORY, 'add', lane).catch((error) => {
      this.#listed = false
      report(error)
    })
  }

  async #unlist(lane: string): Promise<void> {
    const { namespace, report } = this.#ports
    await call(namespace, DIRECTORY, 'remove', lane).catch(report)
    this.#listed = false
    // An event may have come meanwhile.
    if (this.#queue.figures().waiting > 0) await this.#list(lane)
  }

  async #wakeAt(time: number): Promise<void> {
    await this.#storage.setAlarm(time).catch(this.#ports.report)
  }
}

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
export function durableLanes(namespace: ObjectNamespace, report: (error: unknown) => void): Lanes {
  const proven = new Set<string>()
  return {
    waits: (lane) =>
      call(namespace, lane, 'waits', lane).catch((error) => {
        // GitHub can be asked all the same.
        report(error)
        return false
      }),
    put: async (event) => {
      const given = { event, proven: proven.has(event.lane) }
      const result = await call(namespace, event.lane, 'put', given).catch(report)
      if (result !== 'kept') throw outboxFull('the outbox cannot take the event')
    },
    settle: async (event, outcome) => {
      await call(namespace, event.lane, 'settle', { event, outcome })
    },
    accepted: (lane) => {
      if (proven.size >= KNOWN_CREDENTIALS) proven.clear()
      proven.add(lane)
    },
  }
}

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
  return {
    list: async () => (await ofAll('list')).flat(),
    find: async (delivery) =>
      (await ofAll('find', delivery)).find((event) => event !== null) ?? undefined,
    replay: async (delivery) => (await ofAll('replay', delivery)).includes(true),
    drop: async (delivery) => (await ofAll('drop', delivery)).includes(true),
    figures: async () => {
      const all = await ofAll('figures')
      const total = { waiting: 0, oldest: 0, dead: 0, unreadable: 0 }
      for (const { waiting, oldest, dead, unreadable } of all) {
        total.waiting += waiting
        total.oldest = Math.max(total.oldest, oldest)
        total.dead += dead
        total.unreadable += unreadable
      }
      return total
    },
  }
}
