// The object of an owner: it runs the store, the delivery loop and everything that recurs over its own database.

import { readSetting } from '../../wire/settings.ts'
import { readRelayConfig, readStorageSettings, sharedGitHub } from '../config.ts'
import { RelayError } from '../errors.ts'
import { PACK } from '../github/payload.ts'
import { Encryption, reencrypt } from '../store/encryption.ts'
import type { EndpointStore } from '../store/endpoint-table.ts'
import { readRelayKeys } from '../store/relay-key.ts'
import { type OpenDeliveries, openDeliveries } from '../stored-relay.ts'
import { type Bindings, environmentOf } from './bindings.ts'
import { githubFetch } from './github-fetch.ts'
import { logChange as log, logBug as report } from './log.ts'
import { answerObjectCall } from './object-call.ts'
import { ObjectDatabase, type ObjectState } from './object-database.ts'
import type { OwnerLook } from './owner-objects.ts'

// `worker.js` loads this bundle if the binding `RELAY` is there.
export { storedRelay } from './stored-relay.ts'
export { atMinimumRate, readable } from './web-streams.ts'

/** Calls of GitHub in one alarm: the free plan allows 50 requests, and each redirect counts. */
const CALLS = 40

/** Milliseconds until the work of an alarm that was cut off goes on. */
const INTERRUPTED = 10_000

export class OwnerObject {
  readonly #state: ObjectState
  readonly #database: ObjectDatabase
  readonly #opened: OpenDeliveries

  /** @throws Error without a relay key, or for tables of a newer version */
  static async open(state: ObjectState, env: Bindings): Promise<OwnerObject> {
    const settings = environmentOf(env)
    const text = readSetting(settings, 'HOOKLINE_RELAY_KEY')
    if (!text) throw new RelayError('relay_key_missing')
    const encryption = new Encryption(await readRelayKeys(text, 'HOOKLINE_RELAY_KEY'))
    const config = await readRelayConfig(settings)
    const access = sharedGitHub(config, githubFetch(config.apiUrl))
    const database = new ObjectDatabase(state.storage)
    const { rows } = await reencrypt(database, encryption)
    if (rows > 0) log({ change: 'reencrypted', events: rows })
    let object: OwnerObject | undefined
    const opened = openDeliveries({
      config,
      access,
      settings: readStorageSettings(settings, config.figures, true),
      encryption,
      now: Date.now,
      log,
      report,
      database,
      pack: PACK,
      changed: () => void object?.setAlarm().catch(report),
    })
    await opened.deliveries.start()
    object = new OwnerObject(state, database, opened)
    await object.setAlarm()
    return object
  }

  private constructor(state: ObjectState, database: ObjectDatabase, opened: OpenDeliveries) {
    this.#state = state
    this.#database = database
    this.#opened = opened
  }

  /** Answers a call of `OwnerObjects`: `/<owner>/<store>`, or `/<owner>/chunks/<hash>/<number>`. */
  async fetch(request: Request): Promise<Response> {
    const [, owner = '', name = '', hash = '', number = ''] = new URL(request.url).pathname.split(
      '/',
    )
    if (name === 'chunks') return this.#answerChunk(request, hash, Number(number))
    const response = await answerObjectCall(this.#storeOf(owner, name), await request.json())
    await this.setAlarm()
    return response
  }

  /** Does what is due. */
  async alarm(): Promise<void> {
    const { storage } = this.#state
    // Should this work be cut off, another alarm goes on with it.
    await storage.setAlarm(Date.now() + INTERRUPTED)
    await this.#opened.deliveries.schedule.run({ calls: CALLS })
    const next = this.#next()
    if (next === undefined) await storage.deleteAlarm()
    else await storage.setAlarm(next)
  }

  /** Sets the one alarm for what is due next. */
  async setAlarm(): Promise<void> {
    const { storage } = this.#state
    const next = this.#next()
    if (next === undefined) return
    const set = await storage.getAlarm()
    if (set === null || next < set) await storage.setAlarm(next)
  }

  #next(): number | undefined {
    // An alarm takes storage, which an owner without endpoints does not get.
    if (!this.#database.hasTables) return undefined
    const next = this.#opened.deliveries.schedule.next()
    // What is overdue may have any time of the past.
    return next === undefined ? undefined : Math.max(next, Date.now())
  }

  #storeOf(owner: string, name: string): object {
    const { deliveries, bodies, endpoints } = this.#opened
    if (name === 'deliveries') return deliveries
    if (name === 'table') return deliveries.table
    if (name === 'bodies') return bodies
    if (name !== 'endpoints') throw new TypeError(`the object has no store ${name}`)
    const store: EndpointStore = endpoints.stores.of(owner)
    return { ...store, look: () => this.#look(store) }
  }

  async #look(store: EndpointStore): Promise<OwnerLook> {
    const { deliveries } = this.#opened
    const versions = await store.versions()
    const queues = await deliveries.table.queues()
    const waits = await Promise.all(queues.map((queue) => deliveries.waits(queue)))
    return { versions, waiting: queues.filter((_, index) => waits[index]) }
  }

  async #answerChunk(request: Request, hash: string, number: number): Promise<Response> {
    const { bodies } = this.#opened
    if (request.method === 'GET') return new Response(await bodies.chunk(hash, number))
    const chunk = new Uint8Array(await request.arrayBuffer())
    const isStored = await bodies.put(hash, number, chunk)
    await this.setAlarm()
    return new Response(null, { status: isStored ? 201 : 204 })
  }
}
