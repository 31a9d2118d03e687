import { isBuiltin } from 'node:module'
import { gunzipSync } from 'node:zlib'
import { Acceptance, AcceptanceMemory, retryTimeOf } from '../../src/relay/delivery/accept.ts'
import { Deliveries, isFollowed } from '../../src/relay/delivery/deliveries.ts'
import { encryptEvent } from '../../src/relay/delivery/event-record.ts'
import type { ChangeLine } from '../../src/relay/delivery/log-lines.ts'
import type { Attempts } from '../../src/relay/errors.ts'
import { githubConnectionPool } from '../../src/relay/github/connection-pool.ts'
import { createCredentials } from '../../src/relay/github/credential.ts'
import { PACK } from '../../src/relay/github/payload.ts'
import { RateLimiters } from '../../src/relay/github/rate-limiter.ts'
import { type Dispatch, dispatchTo } from '../../src/relay/github/send.ts'
import { RelayMetrics } from '../../src/relay/metrics.ts'
import {
  type Database,
  type SqlRow,
  type SqlStatement,
  StorageError,
} from '../../src/relay/store/database.ts'
import { type DeliveryLimits, DeliveryTable } from '../../src/relay/store/deliveries.ts'
import type { Collection, Delivery, NewDelivery } from '../../src/relay/store/delivery-rows.ts'
import type { Encryption } from '../../src/relay/store/encryption.ts'
import { encryptEndpoint } from '../../src/relay/store/endpoint-records.ts'
import type { Endpoint } from '../../src/relay/store/endpoint-settings.ts'
import { EndpointTable } from '../../src/relay/store/endpoint-table.ts'
import { SCHEMA } from '../../src/relay/store/schema.ts'
import { type GitHubCall, GitHubCallError } from '../../src/wire/github-api.ts'
import { writeClientPayload } from '../../src/wire/payload.ts'
import { Secret } from '../../src/wire/secret.ts'
import { FakeTime, HOUR, SECOND, START } from './fake-time.ts'
import { type Answer, type GitHub, startGitHub } from './github.ts'
import { memoryDatabase } from './memory-database.ts'
import { encryptionOf } from './relay-keys.ts'

/** A request that the stand-in got. */
export interface SeenCall {
  readonly method: string
  readonly url: string
  /** `owner/name` in lower case. */
  readonly repository: string
  /** Delivery id of an event. */
  readonly delivery: string
  readonly body: string
  readonly authorization: string
}

/** How GitHub treats a request: after `delay` milliseconds of the test's time, or with silence or a reset. */
export type Reply = (Answer & { readonly delay?: number }) | 'silent' | 'reset'

export type GitHubRule = (call: SeenCall) => Reply

export interface DeliverySetup {
  readonly database?: TestDatabase
  readonly encryption?: Encryption
  readonly time?: FakeTime
  readonly limits?: Partial<DeliveryLimits>
  readonly age?: number
  readonly minInterval?: number
  readonly random?: () => number
  readonly notify?: { readonly secret: string; readonly all: boolean }
  /** Calls of GitHub of one run, as on Workers. */
  readonly mostCalls?: number
}

/** A database whose writes fail as on a full disk while `isFailing` is true. */
export interface TestDatabase extends Database {
  isFailing: boolean
}

export const ENDPOINT: Endpoint = {
  ...{ owner: 'o', name: 'e1', created: 0, repository: 'o/r' },
  ...{ workflow: 'hook', trigger: 'webhook', dispatch: 'repository', respond: 'github' },
  id: new Secret('the-id-of-the-endpoint'),
}

export const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

/** `node:sqlite` where Node has it, otherwise SQLite compiled to WebAssembly. */
export async function testDatabase(): Promise<TestDatabase> {
  if (!isBuiltin('node:sqlite')) return memoryDatabase()
  const { DatabaseSync } = await import('node:sqlite')
  const sqlite = new DatabaseSync(':memory:')
  const statements = new Map<string, ReturnType<typeof sqlite.prepare>>()
  const all = ([text, ...values]: SqlStatement): SqlRow[] => {
    const statement = statements.get(text) ?? sqlite.prepare(text)
    statements.set(text, statement)
    return statement.all(...values) as SqlRow[]
  }
  for (const statement of SCHEMA) sqlite.exec(statement)
  const database: TestDatabase = {
    isFailing: false,
    read: async (...statement) => all(statement),
    write: async (changes) => {
      if (database.isFailing) throw new StorageError('disk full')
      sqlite.exec('BEGIN')
      try {
        const rows = changes.flatMap(all)
        sqlite.exec('COMMIT')
        return rows
      } catch (cause) {
        sqlite.exec('ROLLBACK')
        throw new StorageError('disk fails', { cause })
      }
    },
  }
  return database
}

export interface EventOptions {
  readonly owner?: string
  /** Name of the repository. */
  readonly name?: string
  readonly kind?: 'token' | 'endpoint'
  readonly body?: string
  readonly isNotification?: boolean
  readonly mode?: 'repository' | 'workflow'
}

export type DeliveryScene = Awaited<ReturnType<typeof startScene>>

/** The deliveries of a relay on the test's time, before a stand-in for GitHub on a real socket. */
export async function startScene(rule: GitHubRule, setup: DeliverySetup = {}) {
  const time = setup.time ?? new FakeTime()
  const given = setup.database ?? (await testDatabase())
  const busy = activity()
  const database: TestDatabase = {
    get isFailing() {
      return given.isFailing
    },
    set isFailing(value) {
      given.isFailing = value
    },
    read: (...statement) => busy.during(given.read(...statement)),
    write: (statements) => busy.during(given.write(statements)),
  }
  const encryption = setup.encryption ?? (await encryptionOf())
  const busyEncryption = busy.around(encryption)
  const stand: { rule: GitHubRule } = { rule }
  const calls: (SeenCall & { readonly at: number })[] = []
  const github = await standIn(stand, calls, time, busy)
  const pool = githubConnectionPool(new URL(github.url))
  const call = virtualCall(pool.call, time, busy)
  const now = () => time.now
  const after = (milliseconds: number, back: () => void) =>
    time.at(Symbol('after'), milliseconds, back)
  const metrics = new RelayMetrics()
  const { minInterval = 350, random = () => 0.999 } = setup
  const clock = {
    now: () => new Date(time.now),
    sleep: (milliseconds: number) => new Promise<void>((resolve) => after(milliseconds, resolve)),
    random,
  }
  const limiters = new RateLimiters({ now, after, date: clock.now, minInterval, metrics }, false)
  const options = {
    ...{ call, apiUrl: new URL(github.url), budget: 8000, clock },
    forge: 'github' as const,
  }
  const endpoints = new EndpointTable(database)
  const credentials = createCredentials({
    githubCredential: { token: async () => new Secret(OWN_TOKEN) },
    allowsTokens: true,
    findEndpoint: async ({ owner, name }) => ({ ...ENDPOINT, owner, name }),
  })
  const log: ChangeLine[] = []
  const reported: unknown[] = []
  const received: { type: string; data: Record<string, unknown> }[] = []
  const receiver = { status: 200, ids: [] as string[] }
  const limits: DeliveryLimits = {
    ...{ events: 300_000, bytes: 1e9, ownerShare: 1, retention: 7 * 24 * HOUR },
    ...setup.limits,
  }
  const table = new DeliveryTable({ database, limits, keyIds: encryption.keyIds, now })
  let isOver = false
  const arm = () => {
    if (isOver) return
    const at = deliveries?.schedule.next()
    cancel()
    if (at === undefined) return
    cancel = time.at(TIMER, Math.max(0, at - time.now), () => {
      const { mostCalls: most } = setup
      void deliveries?.schedule.run(most === undefined ? {} : { calls: most }).finally(arm)
      arm()
    })
  }
  let cancel = () => {}
  let deliveries: Deliveries | undefined
  const made = new Deliveries({
    ...{ database, table, endpoints, credentials, limiters, metrics },
    encryption: busyEncryption,
    github: options,
    pack: (bytes) => busy.during(PACK(bytes)),
    age: setup.age ?? 72 * HOUR,
    notify: setup.notify && {
      url: new URL('https://receiver.example'),
      secret: new Secret(setup.notify.secret),
      all: setup.notify.all,
    },
    post: async (headers, body) => {
      if (receiver.status === 200) {
        received.push(JSON.parse(body))
        receiver.ids.push(headers['webhook-id'] ?? '')
      }
      return receiver.status
    },
    ...{ now, random, after, changed: arm },
    log: (line) => log.push(line),
    report: (error) => reported.push(error),
  })
  deliveries = made
  time.others = busy.count
  await made.start()
  const { nameQueue } = limiters
  const acceptance = new Acceptance({
    send: dispatchTo({ ...options, retryTime: retryTimeOf(2500), govern: limiters.live }, metrics),
    store: made,
    recorder: {
      add: ({ row }) => void busy.during(row().then((one) => made.record([one]))),
    },
    encryption: busyEncryption,
    nameQueue,
    endpoints: { hadEvent: async () => true, accepted: async () => {} },
    memory: new AcceptanceMemory(),
    follows: (dispatch) => isFollowed(dispatch, options),
    retains: limits.retention > 0,
    responseTime: 2500,
    callTime: 8000,
    ...{ now, random, after },
    background: (work) => void busy.aside(work),
    log: (line) => log.push(line),
    report: (error) => reported.push(error),
  })
  const put = async (
    delivery: string,
    { event, ...changes }: Partial<NewDelivery> & { readonly event?: EventOptions } = {},
  ) => {
    const dispatch = eventOf(delivery, event)
    const row = await rowOf(dispatch, await nameQueue(dispatch), encryption, now())
    return made.put([{ ...row, ...changes }])
  }
  return {
    ...{ time, github, stand, calls, database, table, deliveries: made, encryption, limiters },
    ...{ metrics, log, reported, received, receiver, endpoints, put },
    /** The POSTs of an event. */
    posts: (delivery?: string) =>
      calls.filter(
        (one) => one.method === 'POST' && (delivery === undefined || one.delivery === delivery),
      ),
    /** Sends an event as a request does. */
    deliver: (delivery: string, event: EventOptions = {}): Promise<Attempts> => {
      const endpoint = { ...ENDPOINT, repository: `o/${event.name ?? 'r'}` }
      const isOfEndpoint = (event.kind ?? 'endpoint') === 'endpoint'
      const dispatch = eventOf(delivery, event)
      return busy.aside(acceptance.deliver([dispatch], isOfEndpoint ? endpoint : undefined))
    },
    rows: () => given.read('SELECT * FROM delivery ORDER BY seq') as Promise<readonly Row[]>,
    states: async () => (await made.table.figures()).states,
    saveEndpoint: async (endpoint: Endpoint) => {
      const times = { changed: time.now, firstEvent: null }
      const row = await encryptEndpoint(endpoint, times, encryption)
      await endpoints.of(endpoint.owner).create(row)
    },
    /** Ends the process: what it knows only in memory is lost. */
    async kill() {
      isOver = true
      cancel()
      await pool.close()
      await github.close()
    },
    async close() {
      isOver = true
      cancel()
      await Promise.all([pool.close(), github.close()])
    },
  }
}

const OWN_TOKEN = 'ghp_own-token-of-the-relay-0000000000'

const TIMER = 'the timer of the schedule'

/** A row as the database has it. */
type Row = Readonly<Record<keyof Delivery, unknown>>

/** Counts work that goes on without the test's time. */
function activity() {
  let pending = 0
  let changes = 0
  let seen = 0
  const during = <Result>(work: Promise<Result>): Promise<Result> => {
    pending++
    changes++
    const done = () => {
      pending--
      changes++
    }
    work.then(done, done)
    return work
  }
  return {
    during,
    /** Work that may wait for the test's time: its rejection is handled by the test. */
    aside: <Result>(work: Promise<Result>): Promise<Result> => {
      changes++
      work.catch(() => {})
      return work
    },
    around: (encryption: Encryption): Encryption =>
      new Proxy(encryption, {
        get: (target, name) => {
          const value: unknown = Reflect.get(target, name, target)
          if (typeof value !== 'function') return value
          return (...values: unknown[]) => during(Promise.resolve(value.apply(target, values)))
        },
      }),
    hold: () => {
      pending--
      changes++
    },
    release: () => {
      pending++
      changes++
    },
    count: () => {
      const isChanged = changes !== seen
      seen = changes
      return Math.max(0, pending) + (isChanged ? 1 : 0)
    },
  }
}

type Activity = ReturnType<typeof activity>

/** A call whose time limit is in the test's time. */
function virtualCall(call: GitHubCall, time: FakeTime, busy: Activity): GitHubCall {
  return (request) => {
    let cancel = () => {}
    const timeout = new Promise<never>((_, reject) => {
      cancel = time.at(Symbol('timeout'), request.timeout, () => {
        reject(new GitHubCallError('no response', { sent: true }))
      })
    })
    timeout.catch(() => {})
    const answer = busy.during(call({ ...request, timeout: 120_000 }))
    answer.catch(() => {})
    return Promise.race([answer, timeout]).finally(() => cancel())
  }
}

async function standIn(
  stand: { rule: GitHubRule },
  calls: (SeenCall & { readonly at: number })[],
  time: FakeTime,
  busy: Activity,
): Promise<GitHub> {
  const github = await startGitHub({ listsRunsByRule: true })
  github.always(({ method, url, body, headers }, response) => {
    const repository = /^\/repos\/([^/]+\/[^/?]+)/.exec(url)?.[1]?.toLowerCase() ?? ''
    const delivery = /x-hookline-delivery\\?":\\?"([\w-]+)/.exec(body)?.[1] ?? ''
    const authorization = headers.authorization ?? ''
    const call = { method, url, repository, delivery, body, authorization, at: time.now }
    calls.push(call)
    const reply = stand.rule(call)
    if (reply === 'reset') {
      response.destroy()
      return undefined
    }
    const delay = reply === 'silent' ? SILENCE : (reply.delay ?? 0)
    if (delay === 0 && reply !== 'silent') return reply
    // The call waits for the test's time.
    busy.hold()
    time.at(Symbol('reply'), delay, () => {
      busy.release()
      if (reply === 'silent') response.destroy()
      else {
        const { date = new Date(time.now).toUTCString() } = reply.headers ?? {}
        response.writeHead(reply.status, { ...reply.headers, date }).end(reply.body)
      }
    })
    return undefined
  })
  return github
}

/** Milliseconds: longer than each call of the relay. */
const SILENCE = 10 * SECOND

export function eventOf(
  delivery: string,
  {
    owner = 'o',
    name = 'r',
    kind = 'endpoint',
    body = delivery,
    mode,
    isNotification,
  }: EventOptions = {},
): Dispatch {
  const token = new Secret(kind === 'token' ? 'ghp_a-token-of-somebody-000000000000' : OWN_TOKEN)
  const headers = { 'x-hookline-delivery': delivery }
  return {
    repository: { owner, name },
    target:
      mode === 'workflow'
        ? { event: 'workflow_dispatch', workflow: 'hook', ref: 'main' }
        : { event: 'repository_dispatch' },
    clientPayload: writeClientPayload({ path: 'hook/webhook', method: 'POST', headers, body }),
    delivery,
    request: {
      ...{ id: delivery, path: 'hook/webhook?x=1', method: 'POST', size: body.length },
      receivedAt: new Date(START).toISOString(),
    },
    credential: {
      kind,
      isOwn: kind !== 'token',
      secrets: [token],
      token: async () => token,
      ...(kind === 'token' && { githubToken: token }),
      ...(kind === 'endpoint' && { endpoint: { owner, name: 'e1', created: 0 } }),
    },
    ...(isNotification && { isNotification }),
  }
}

async function rowOf(
  dispatch: Dispatch,
  queue: string,
  encryption: Encryption,
  now: number,
): Promise<NewDelivery> {
  const { delivery, credential } = dispatch
  return {
    ...{ id: delivery, request: delivery, replayOf: null, queue },
    endpoint: credential.endpoint?.name ?? null,
    ...{ path: 'hook/webhook', method: 'POST', received: now, size: 2 },
    ...{ state: 'waiting', reason: 'queued', attempts: 0, doubts: 0, wait: 0 },
    ...{ accepted: null, githubMs: null, run: null, explanation: null },
    ...{ follows: false, collection: null },
    ...(await encryptEvent(dispatch, encryption)),
  }
}

export function collectionOf(seconds: number, changes: Partial<Collection> = {}): Collection {
  return { grouping: 'g', period: seconds * SECOND, quiet: null, length: 600, ...changes }
}

/** The delivery ids of the events of a request to GitHub: of a batch, or of one event. */
export function membersOf(body: string): readonly string[] {
  const { client_payload: payload } = JSON.parse(body)
  const { headers } = payload
  if (headers['x-hookline-batch'] === undefined) return [headers['x-hookline-delivery']]
  const events = JSON.parse(gunzipSync(Buffer.from(payload.body, 'base64')).toString())
  return events.map((event: typeof payload) => event.headers['x-hookline-delivery'])
}
