import { BoundedCache } from '../bounded-cache.ts'
import type { DeliveryStore } from '../delivery/deliveries.ts'
import type { Runtime } from '../runtime.ts'
import type { BodyStore } from '../store/body-table.ts'
import { StorageError } from '../store/database.ts'
import type { EndpointStore, EndpointStores, EndpointVersion } from '../store/endpoint-table.ts'
import { ownerOf } from '../store/queue-name.ts'
import { type ObjectNamespace, type ObjectRequest, storeInObject } from './object-call.ts'

/** What an object tells an isolate about its owner. */
export interface OwnerLook {
  readonly versions: readonly EndpointVersion[]
  /** Queues whose events wait: a new event must wait behind them. */
  readonly waiting: readonly string[]
}

/** Owners whose queues are remembered. */
const OWNERS = 1024

/** Milliseconds for which an isolate remembers that a queue waits. */
export const LOOK_HOLDS = 10_000

/** Milliseconds after which a question to an object is given up; what it stores has no limit. */
const READING_TIME = 5000

type OwnerObjectsPorts = Pick<Runtime, 'now' | 'report'>

/** The objects of all owners, as an isolate calls them: each one is named after its owner, in lower case. */
export class OwnerObjects implements EndpointStores {
  readonly #namespace: ObjectNamespace
  readonly #ports: OwnerObjectsPorts
  readonly #waiting = new BoundedCache<string, { at: number; queues: Set<string> }>(OWNERS)

  constructor(namespace: ObjectNamespace, ports: OwnerObjectsPorts) {
    this.#namespace = namespace
    this.#ports = ports
  }

  /** The endpoints of an owner. Reading their versions also tells which queues wait. */
  of(owner: string): EndpointStore {
    const { look } = this.#storeOf<{ look(): Promise<OwnerLook> }>(owner, 'endpoints', {
      time: READING_TIME,
    })
    const own = {
      versions: async () => {
        const at = this.#ports.now()
        const { versions, waiting } = await look()
        this.#waiting.set(owner, { at, queues: new Set(waiting) })
        return versions
      },
    }
    return this.#storeOf<EndpointStore>(owner, 'endpoints', { own, time: READING_TIME })
  }

  deliveriesOf(owner: string): DeliveryStore {
    const own = { table: this.#storeOf<DeliveryStore['table']>(owner, 'table') }
    return this.#storeOf<DeliveryStore>(owner, 'deliveries', { own })
  }

  bodiesOf(owner: string): BodyStore {
    const ask = (hash: string, number: number, request: ObjectRequest) =>
      this.#ask(owner, `chunks/${hash}/${number}`, request)
    const own: Partial<BodyStore> = {
      put: async (hash, number, body) => {
        const { status } = await ask(hash, number, { method: 'PUT', body })
        return status === 201
      },
      chunk: async (hash, number) => {
        const response = await ask(hash, number, { method: 'GET' })
        return new Uint8Array(await response.arrayBuffer())
      },
    }
    return this.#storeOf<BodyStore>(owner, 'bodies', { own })
  }

  /**
   * The deliveries of all owners, as requests store them; each call is about one owner. Whether a queue may wait
   * is known from the last look at its owner's endpoints, and from what this isolate has stored: only then an
   * object is asked.
   */
  readonly deliveries: Pick<
    DeliveryStore,
    'waits' | 'put' | 'record' | 'settle' | 'noteAccepted' | 'wasAccepted'
  > = {
    waits: async (queue) => {
      const owner = ownerOf(queue)
      const known = this.#waiting.get(owner)
      const isRecent = known !== undefined && this.#ports.now() - known.at < LOOK_HOLDS
      if (!isRecent || !known.queues.has(queue)) return false
      try {
        const waits = await this.#readingOf(owner).waits(queue)
        if (!waits) known.queues.delete(queue)
        return waits
      } catch (error) {
        // GitHub can be called all the same.
        this.#ports.report(error)
        return false
      }
    },
    put: async (rows) => {
      const [row] = rows
      if (!row) return true
      const owner = ownerOf(row.queue)
      try {
        const isStored = await this.deliveriesOf(owner).put(rows)
        if (isStored) this.#stored(owner, rows)
        return isStored
      } catch (error) {
        this.#ports.report(error)
        return false
      }
    },
    record: async (rows) => {
      const [row] = rows
      if (row) await this.deliveriesOf(ownerOf(row.queue)).record(rows)
    },
    settle: (event, outcome) => this.deliveriesOf(ownerOf(event.queue)).settle(event, outcome),
    noteAccepted: (queue) => this.deliveriesOf(ownerOf(queue)).noteAccepted(queue),
    wasAccepted: (queue) => this.#readingOf(ownerOf(queue)).wasAccepted(queue),
  }

  /** For questions that a request waits for: an object that does not respond must not hold it up. */
  #readingOf(owner: string): Pick<DeliveryStore, 'waits' | 'wasAccepted'> {
    return this.#storeOf<DeliveryStore>(owner, 'deliveries', { time: READING_TIME })
  }

  #stored(owner: string, rows: readonly { readonly queue: string }[]): void {
    const known = this.#waiting.get(owner)
    const queues =
      known && this.#ports.now() - known.at < LOOK_HOLDS ? known.queues : new Set<string>()
    for (const { queue } of rows) queues.add(queue)
    this.#waiting.set(owner, { at: this.#ports.now(), queues })
  }

  #storeOf<Store extends object>(
    owner: string,
    name: string,
    { own, time }: { readonly own?: Partial<Store>; readonly time?: number } = {},
  ): Store {
    const ask = (body: string) => this.#ask(owner, name, { method: 'POST', body }, time)
    return storeInObject<Store>(ask, own)
  }

  /**
   * @param time milliseconds until the call is given up; without it, the call waits for the object. An
   *   object is not told that a call is given up, and may still do its work.
   * @throws StorageError if the object cannot be reached, failed, or did not respond in time
   */
  async #ask(
    owner: string,
    path: string,
    request: ObjectRequest,
    time?: number,
  ): Promise<Response> {
    const namespace = this.#namespace
    const limit = time === undefined ? {} : { signal: AbortSignal.timeout(time) }
    try {
      const stub = namespace.get(namespace.idFromName(owner))
      const response = await stub.fetch(`https://object/${owner}/${path}`, { ...request, ...limit })
      if (response.ok) return response
      throw new Error(`the object responded with status ${response.status}`)
    } catch (error) {
      throw new StorageError('disk fails', { cause: error })
    }
  }
}
