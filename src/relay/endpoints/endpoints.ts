import { BoundedCache } from '../bounded-cache.ts'
import type { SealingKey } from '../credentials/sealing-key.ts'
import { endpointsUnavailable, invalidToken, tooManyUnknown } from '../relay-errors.ts'
import { type Endpoint, type EndpointRow, hashOf, openEndpoint } from './endpoint.ts'
import type { EndpointStore } from './store.ts'

export interface EndpointsPorts {
  readonly store: EndpointStore
  /** Sealing keys: the first one seals, all of them open. */
  readonly keys: readonly SealingKey[]
  /**
   * Milliseconds for which the list of hashes is current: for an endpoint on it, and for an id that is
   * not. Infinite if every change passes this process.
   */
  readonly holds: { readonly known: number; readonly unknown: number }
  /** Milliseconds since any moment; never jumps. */
  now(): number
  date(): Date
  /** Is told of each event that an endpoint accepted. */
  used?(name: string): void
  report(error: unknown): void
}

/** Endpoints that are remembered as opened. */
const REMEMBERED = 4096

/** Unknown ids that are answered with 401 in a second; further ones get 429. */
const MOST_UNKNOWN = 30
const SECOND = 1000

/**
 * The endpoints of a relay, as requests find them. An unknown id is answered from a list in memory: it
 * reads no row, and on Workers it calls the Durable Object at most once in `holds.unknown`.
 */
export class Endpoints {
  readonly #ports: EndpointsPorts
  #versions: ReadonlyMap<string, number> = new Map()
  /** `undefined` if the list must be read before it is used. */
  #readAt: number | undefined
  #reading: Promise<void> | undefined
  #changes = 0
  readonly #opened = new BoundedCache<string, { changed: number; endpoint: Endpoint }>(REMEMBERED)
  readonly #used = new Set<string>()
  readonly #unknown = { second: 0, count: 0 }

  constructor(ports: EndpointsPorts) {
    this.#ports = ports
  }

  get store(): EndpointStore {
    return this.#ports.store
  }

  get keys(): readonly SealingKey[] {
    return this.#ports.keys
  }

  /**
   * The endpoint of an id that a request brings.
   *
   * @throws RelayError 401 for an unknown or deleted id, and for one that no key opens; 429 for too many
   *   of them; 503 if the storage fails
   */
  async open(id: string): Promise<Endpoint> {
    const hash = await hashOf(id)
    const changed = await this.#versionOf(hash)
    if (changed === undefined) throw this.#unknownId()
    const known = this.#opened.get(hash)
    if (known?.changed === changed) return known.endpoint
    const row = await this.#unlessStorageFails(() => this.#ports.store.find(hash))
    const endpoint = row && (await this.openRow(row))
    if (!row || !endpoint) throw this.#unknownId()
    this.#opened.set(hash, { changed: row.changed, endpoint })
    return endpoint
  }

  /** `undefined` if no sealing key opens the row. */
  async openRow(row: EndpointRow): Promise<Endpoint | undefined> {
    return openEndpoint(row, this.#ports.keys).catch(() => undefined)
  }

  /** To be called after each change of the store. */
  changed(): void {
    this.#changes++
    this.#readAt = undefined
    this.#reading = undefined
  }

  /** Records the first event of an endpoint; later ones cost nothing. */
  async accepted({ id, name }: Endpoint): Promise<void> {
    const { store, date, report, used } = this.#ports
    used?.(name)
    const hash = await hashOf(id)
    if (this.#used.has(hash)) return
    this.#used.add(hash)
    await store.noteFirstEvent(hash, date().getTime()).catch(report)
  }

  async #versionOf(hash: string): Promise<number | undefined> {
    const { now, holds } = this.#ports
    const limit = this.#versions.has(hash) ? holds.known : holds.unknown
    if (this.#readAt === undefined || now() - this.#readAt > limit) {
      this.#reading ??= this.#read()
      await this.#reading
    }
    return this.#versions.get(hash)
  }

  async #read(): Promise<void> {
    const { store, now, report } = this.#ports
    const [at, changes] = [now(), this.#changes]
    try {
      const versions = await store.versions()
      // A list that was read before a change is not current.
      if (changes !== this.#changes) return await this.#read()
      this.#versions = new Map(versions.map(({ hash, changed }) => [hash, changed]))
      this.#readAt = at
    } catch (error) {
      report(error)
      // A list from before the failure is better than none.
      if (this.#versions.size === 0) throw endpointsUnavailable(error)
    } finally {
      if (changes === this.#changes) this.#reading = undefined
    }
  }

  async #unlessStorageFails<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work()
    } catch (error) {
      this.#ports.report(error)
      throw endpointsUnavailable(error)
    }
  }

  #unknownId() {
    const second = Math.floor(this.#ports.now() / SECOND)
    if (this.#unknown.second !== second) Object.assign(this.#unknown, { second, count: 0 })
    return ++this.#unknown.count > MOST_UNKNOWN ? tooManyUnknown() : invalidToken()
  }
}
