import { Secret } from '../../wire/secret.ts'
import { BoundedCache } from '../bounded-cache.ts'
import { RelayError } from '../errors.ts'
import type { Runtime } from '../runtime.ts'
import type { Encryption } from './encryption.ts'
import { decryptEndpoint, endpointHash } from './endpoint-records.ts'
import { type Endpoint, isEndpointOwner } from './endpoint-settings.ts'
import type { EndpointStore, EndpointStores } from './endpoint-table.ts'

interface EndpointLookupPorts extends Pick<Runtime, 'now' | 'report'> {
  readonly stores: EndpointStores
  readonly encryption: Encryption
  /**
   * Milliseconds for which a list of hashes is current: for an endpoint on it, and for an id that is not.
   * Absent if every change passes this process, so that its list is always current.
   */
  readonly holds?: { readonly known: number; readonly unknown: number }
  date(): Date
}

export type KnownEndpoints = Pick<EndpointLookup, 'find'>

/** Endpoints that are remembered as decrypted. */
const REMEMBERED = 4096

/** Owners whose lists are remembered. An invented owner has an empty list. */
const OWNERS = 1024

/** Unknown ids that are answered with 401 in a second; further ones get 429. */
const MOST_UNKNOWN = 30
const SECOND = 1000

/**
 * The endpoints of a relay, as requests find them. An unknown id is answered from a list in memory: it
 * reads no row, and on Workers it calls the owner's object at most once in `holds.unknown`.
 */
export class EndpointLookup {
  readonly #ports: EndpointLookupPorts
  /** By owner; one list under the name '' if one table has all owners. */
  readonly #lists = new BoundedCache<string, HashList>(OWNERS)
  /** By id: a map compares a hash with a random seed first, so its time tells nothing about other ids. */
  readonly #decrypted = new BoundedCache<
    string,
    { readonly hash: string; readonly changed: number; readonly endpoint: Endpoint }
  >(REMEMBERED)
  /** Ids of the endpoints that accepted an event. */
  readonly #used = new BoundedCache<string, true>(REMEMBERED)
  readonly #unknown = { second: 0, count: 0 }

  constructor(ports: EndpointLookupPorts) {
    this.#ports = ports
  }

  get stores(): EndpointStores {
    return this.#ports.stores
  }

  get encryption(): Encryption {
    return this.#ports.encryption
  }

  /**
   * The endpoint of a URL. Only an owner in lower case has endpoints.
   *
   * @throws RelayError 401 for an unknown or deleted id; 429 for too many of them; 503 if the storage
   *   fails, or no relay key decrypts the endpoint
   */
  async find({ owner, id }: { readonly owner: string; readonly id: string }): Promise<Endpoint> {
    if (!isEndpointOwner(owner)) throw this.#unknownId()
    const known = this.#decrypted.get(id)
    const hash = known?.hash ?? (await endpointHash(new Secret(id)))
    const changed = await this.#listOf(owner).versionOf(hash)
    if (changed === undefined) throw this.#unknownId()
    const endpoint = known?.changed === changed ? known.endpoint : await this.#read(owner, hash)
    if (endpoint?.owner !== owner) throw this.#unknownId()
    return endpoint
  }

  /**
   * The endpoint as it is now; `undefined` if it was deleted.
   *
   * @throws RelayError 503 if the storage fails, or no relay key decrypts the endpoint
   */
  async current({ owner, name, created }: Pick<Endpoint, 'owner' | 'name' | 'created'>) {
    const { stores, encryption, report } = this.#ports
    try {
      const row = await stores.of(owner).named(name)
      return row?.created === created ? await decryptEndpoint(row, encryption) : undefined
    } catch (error) {
      report(error)
      throw endpointsUnavailable(error)
    }
  }

  /** To be called after each change of the owner's endpoints. */
  changed(owner: string): void {
    const key = this.#keyOf(owner)
    // A list that is being read now is from before the change; what it knows serves if the next reading fails.
    const list = this.#lists.get(key)
    if (list) this.#lists.set(key, list.unread())
  }

  /** Records the first event of an endpoint; later ones cost nothing. */
  async accepted(endpoint: Endpoint): Promise<void> {
    const { stores, date, report } = this.#ports
    const id = endpoint.id.reveal()
    if (this.#used.get(id)) return
    this.#used.set(id, true)
    const hash = await endpointHash(endpoint.id)
    await stores.of(endpoint.owner).noteFirstEvent(hash, date().getTime()).catch(report)
  }

  /** True if GitHub or the database accepted an event of an endpoint before. */
  async hadEvent({ owner, name, id }: Endpoint): Promise<boolean> {
    if (this.#used.get(id.reveal())) return true
    const row = await this.#ports.stores.of(owner).named(name)
    return row !== undefined && row.firstEvent !== null
  }

  #listOf(owner: string): HashList {
    const { stores } = this.#ports
    const key = this.#keyOf(owner)
    const known = this.#lists.get(key)
    if (known) return known
    const list = new HashList(stores.all ?? stores.of(owner), this.#ports)
    this.#lists.set(key, list)
    return list
  }

  #keyOf(owner: string): string {
    return this.#ports.stores.all ? '' : owner
  }

  /** @returns `undefined` if another owner has it, or it was just deleted */
  async #read(owner: string, hash: string): Promise<Endpoint | undefined> {
    const { stores, encryption, report } = this.#ports
    try {
      const row = await stores.of(owner).find(hash)
      const endpoint = row && (await decryptEndpoint(row, encryption))
      if (endpoint) {
        const { changed } = row
        this.#decrypted.set(endpoint.id.reveal(), { hash, changed, endpoint })
      }
      return endpoint
    } catch (error) {
      report(error)
      throw endpointsUnavailable(error)
    }
  }

  #unknownId() {
    const second = Math.floor(this.#ports.now() / SECOND)
    if (this.#unknown.second !== second) Object.assign(this.#unknown, { second, count: 0 })
    if (++this.#unknown.count <= MOST_UNKNOWN) return unknownEndpoint()
    // More than a mistake explains: they are guesses. Each guess gets the same response.
    return new RelayError('rate_limited', {
      message: 'too many requests with unknown endpoints',
      hint: 'Check the URL of the webhook, and send the request again in 1 second.',
      retryAfter: 1,
    })
  }
}

/** The hashes of endpoints in memory, with the times of their last changes. */
class HashList {
  readonly #source: Pick<EndpointStore, 'versions'>
  readonly #ports: Pick<EndpointLookupPorts, 'holds' | 'now' | 'report'>
  #versions: ReadonlyMap<string, number> = new Map()
  /** `undefined` before the list was read. */
  #readAt: number | undefined
  #reading: Promise<void> | undefined

  constructor(
    source: Pick<EndpointStore, 'versions'>,
    ports: Pick<EndpointLookupPorts, 'holds' | 'now' | 'report'>,
  ) {
    this.#source = source
    this.#ports = ports
  }

  /** The same list, to be read again. */
  unread(): HashList {
    const list = new HashList(this.#source, this.#ports)
    list.#versions = this.#versions
    return list
  }

  async versionOf(hash: string): Promise<number | undefined> {
    const { now, holds } = this.#ports
    const limit = this.#versions.has(hash) ? holds?.known : holds?.unknown
    if (this.#readAt === undefined || now() - this.#readAt > (limit ?? Number.POSITIVE_INFINITY)) {
      this.#reading ??= this.#read()
      await this.#reading
    }
    return this.#versions.get(hash)
  }

  async #read(): Promise<void> {
    const { now, report } = this.#ports
    const at = now()
    try {
      const versions = await this.#source.versions()
      this.#versions = new Map(versions.map(({ hash, changed }) => [hash, changed]))
      this.#readAt = at
    } catch (error) {
      report(error)
      // A list from before the failure is better than none.
      if (this.#versions.size === 0) throw endpointsUnavailable(error)
    } finally {
      this.#reading = undefined
    }
  }
}

/** The URL is wrong, or its endpoint was deleted or rotated: one error, so that a guess tells nothing. */
export function unknownEndpoint(): RelayError {
  return new RelayError('invalid_token', {
    message: 'the URL names no endpoint of the relay',
    hint: 'Check the URL: hookline endpoint show <name> --url prints the current one.',
  })
}

/** @param cause the error of the database */
function endpointsUnavailable(cause: unknown): RelayError {
  return new RelayError('overloaded', {
    message: 'the endpoints cannot be read',
    retryAfter: 5,
    cause,
  })
}
