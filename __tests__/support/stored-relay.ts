import {
  readRelayConfig,
  readStorageSettings,
  sharedGitHub,
  statelessRelay,
  steadyClock,
} from '../../src/relay/config.ts'
import { DeliveryRecorder } from '../../src/relay/delivery/recorder.ts'
import { githubConnectionPool } from '../../src/relay/github/connection-pool.ts'
import { PACK } from '../../src/relay/github/payload.ts'
import { serveRelay } from '../../src/relay/node/server.ts'
import type { Relay } from '../../src/relay/relay.ts'
import { type Database, StorageError } from '../../src/relay/store/database.ts'
import type { Delivery } from '../../src/relay/store/delivery-rows.ts'
import { openDeliveries, relayStoreOf } from '../../src/relay/stored-relay.ts'
import { readClientPayload } from '../../src/wire/payload.ts'
import { figuresOf } from './figures.ts'
import { type GitHub, type RecordedCall, startGitHub } from './github.ts'
import { ADMIN_BEARER, relayKeyOf } from './relay-keys.ts'

/**
 * Milliseconds after which a connection without a request ends. `fetch` reads them in the response, and uses no
 * connection twice that ends so soon; a stopping server would wait a second for the next request of each.
 */
const BRIEF = 1000

/** A token that the relay has as its own credential. */
export const OWN_TOKEN = 'ghp_OwnOfTheRelay000000000000000000000000'

/** An answer of the admin API. */
export interface AdminReply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look at parts of JSON
  readonly json: any
}

/**
 * A relay with a database, whose time and whose loop the test advances: a request passes the real server, and
 * GitHub is a stand-in on a real socket.
 */
export interface StoredRelay {
  readonly url: string
  readonly github: GitHub
  readonly database: Database & { isFailing: boolean }
  readonly log: readonly Record<string, unknown>[]
  /** Errors that the relay reported, but for those of a failing disk. */
  readonly faults: readonly unknown[]
  /** Calls the admin API, with the admin bearer unless another is given. */
  admin(method: string, path: string, body?: object, bearer?: string): Promise<AdminReply>
  /** Creates an endpoint, and resolves with its address. */
  endpoint(settings?: object, bearer?: string): Promise<string>
  /** Posts an event. */
  post(url: string, given?: Posted): Promise<Response>
  /** The deliveries of `octo`, newest first, after all records are written. */
  list(query?: string): Promise<readonly ShownDelivery[]>
  show(id: string): Promise<AdminReply>
  replay(id: string, bearer?: string): Promise<AdminReply>
  /** Lets time pass, and the loop do what is due. */
  pass(milliseconds?: number): Promise<void>
  /** Resolves when records and calls after the response have ended. */
  settled(): Promise<void>
  imbalance(): Promise<number>
  close(): Promise<void>
}

export interface Posted {
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export interface ShownDelivery extends Pick<Delivery, 'id' | 'request' | 'state' | 'attempts'> {
  readonly reason: string | null
  readonly endpoint: string | null
  readonly repository: string
  readonly explanation: string | null
  readonly receivedAt: string
  readonly nextAttemptAt: string | null
  readonly waitsFor: string | null
  readonly replayOf?: string
  readonly batch?: string
}

/** The payload of a call that starts a workflow. */
export function sentPayload({ body }: RecordedCall) {
  return readClientPayload(JSON.parse(body).client_payload)
}

export async function startStoredRelay(
  open: Database,
  env: Readonly<Record<string, string>> = {},
): Promise<StoredRelay> {
  const github = await startGitHub()
  const settings = {
    HOOKLINE_API_URL: github.url,
    HOOKLINE_GITHUB_TOKEN: OWN_TOKEN,
    HOOKLINE_TEST_MIN_INTERVAL_MS: '1',
    HOOKLINE_TEST_GITHUB_TIMEOUT_MS: '8000',
    ...env,
  }
  const database = {
    isFailing: false,
    read: open.read,
    write: async (statements: Parameters<Database['write']>[0]) => {
      if (database.isFailing) throw new StorageError('disk full')
      return open.write(statements)
    },
  }
  let ahead = 0
  const now = () => Math.round(Date.now() + ahead)
  const log: Record<string, unknown>[] = []
  const faults: unknown[] = []
  const write = (line: string) => void log.push(JSON.parse(line))
  const report = (error: unknown) => {
    if (!(error instanceof StorageError)) faults.push(error)
  }
  const config = await readRelayConfig(settings, undefined, figuresOf(settings))
  const pool = githubConnectionPool(config.apiUrl)
  const access = sharedGitHub(config, pool.call)
  const loadChecks = () => import('../../src/relay/webhook/verification.ts')
  const stateless = statelessRelay(config, access, write, {
    packers: [PACK],
    loadChecks,
    isStateless: false,
  })
  const { keys, encryption } = await relayKeyOf()
  const shared = {
    config,
    access,
    settings: readStorageSettings(settings, config.figures),
    encryption,
    now,
    log: (line: object) => void log.push({ ...line }),
    report,
  }
  const {
    deliveries,
    bodies: _,
    ...found
  } = openDeliveries({
    ...shared,
    database,
    pack: PACK,
    changed: () => {},
  })
  const recorder = new DeliveryRecorder({
    record: (rows) => deliveries.record(rows),
    after: steadyClock.after,
    now: steadyClock.now,
    log: shared.log,
    report,
  })
  const pending = new Set<Promise<void>>()
  const store = relayStoreOf({
    ...shared,
    ...found,
    keys,
    loadChecks,
    deliveries,
    bodies: undefined,
    relay: () => relay,
    admin: {
      deliveriesOf: () => deliveries,
      warnings: async () => [],
      uptime: () => 1,
      backup: undefined,
    },
  })({
    recorder,
    background: (work) => {
      pending.add(work)
      void work.finally(() => pending.delete(work))
    },
  })
  const relay: Relay = {
    ...stateless,
    credentials: found.credentials,
    store,
    report,
    now: () => new Date(now()),
  }
  await deliveries.start()
  const limits = { keepAliveTimeout: BRIEF }
  const server = await serveRelay({ host: '127.0.0.1', port: 0, relay, limits })
  const settled = async () => {
    for (let turn = 0; turn < 3; turn++) {
      await Promise.all(pending)
      await recorder.flush()
    }
  }
  const admin: StoredRelay['admin'] = async (method, path, body, bearer = ADMIN_BEARER) => {
    await settled()
    const response = await fetch(`${server.url}/-admin${path}`, {
      method,
      headers: { authorization: `Bearer ${bearer}` },
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, json: await response.json() }
  }
  const stored: StoredRelay = {
    url: server.url,
    github,
    database,
    log,
    faults,
    admin,
    settled,
    endpoint: async (given = {}, bearer = ADMIN_BEARER) => {
      const usual = {
        name: 'orders',
        repository: 'octo/shop',
        workflow: 'orders',
        trigger: 'webhook',
      }
      const { status, json } = await admin('POST', '/endpoints', { ...usual, ...given }, bearer)
      if (status !== 201) throw new Error(JSON.stringify(json))
      return server.url + json.url
    },
    post: (url, { body = '{"n":1}', headers = {}, signal } = {}) =>
      fetch(url, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json', ...headers },
        ...(signal && { signal }),
      }),
    list: async (query = '') => (await admin('GET', `/deliveries/octo${query}`)).json.deliveries,
    show: (id) => admin('GET', `/deliveries/octo/${id}`),
    replay: (id, bearer) => admin('POST', `/deliveries/octo/${id}/replay`, undefined, bearer),
    pass: async (milliseconds = 0) => {
      await settled()
      ahead += milliseconds
      // The limit only ends a loop that would never rest.
      const end = performance.now() + 60_000
      while (performance.now() < end) {
        const next = deliveries.schedule.next()
        if (next !== undefined && next <= now()) await deliveries.schedule.run()
        else if (deliveries.openCalls === 0) break
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
      await settled()
    },
    imbalance: async () => (await deliveries.table.figures()).imbalance,
    close: async () => {
      await settled()
      await server.close()
      await deliveries.stop()
      await pool.close()
      await github.close()
    },
  }
  return stored
}
