<<<<<<< HEAD
import { type AcceptPorts, collectInto, throughOutbox } from '../../src/relay/delivery/accept.ts'
=======
import {
  type AcceptPorts,
  collectInto,
  throughOutbox,
} from '../../src/relay/delivery/accept-old.ts'
>>>>>>> accept
import type { BatchPeriod } from '../../src/relay/delivery/batch-period.ts'
import type { NewEvent, OutboxLimits, StoredEvent } from '../../src/relay/delivery/event.ts'
import { encryptEvent } from '../../src/relay/delivery/event-record.ts'
import { Ledger } from '../../src/relay/delivery/ledger.ts'
import { Outbox } from '../../src/relay/delivery/outbox.ts'
import { holderOf, ownerOf, queueNames } from '../../src/relay/delivery/queue-name.ts'
import { type CredentialOptions, createCredentials } from '../../src/relay/github/credential.ts'
import { PACK } from '../../src/relay/github/payload-limit.ts'
import { RateLimiters } from '../../src/relay/github/rate-limiter.ts'
import type { Dispatch, DispatchPort } from '../../src/relay/github/send.ts'
import type { OutboxLine } from '../../src/relay/log-lines.ts'
import { RelayMetrics } from '../../src/relay/metrics.ts'
import { AcceptedCredentials } from '../../src/relay/store/accepted-credentials.ts'
import type { Encryption } from '../../src/relay/store/encryption.ts'
import type { Endpoint } from '../../src/relay/store/endpoint-settings.ts'
import { GitHubCallError } from '../../src/wire/github-api.ts'
import { Secret } from '../../src/wire/secret.ts'
import { FakeTime, HOUR, SECOND } from './fake-time.ts'
import { type MemoryDatabase, memoryDatabase } from './memory-database.ts'
import { encryptionOf } from './relay-keys.ts'

export const LIMITS: OutboxLimits = {
  events: 20_000,
  bytes: 1e9,
  age: 24 * HOUR,
  copies: 24 * HOUR,
}

/** The outbox's call of GitHub: resolves, or throws as a real call does. */
export type FakeGitHub = (dispatch: Dispatch) => Promise<void>

export interface FakeOutbox {
  readonly time: FakeTime
  readonly outbox: Outbox
  readonly ledger: Ledger
  readonly accepted: AcceptedCredentials
  readonly database: MemoryDatabase
  readonly rateLimiters: RateLimiters
  readonly log: OutboxLine[]
  readonly reported: unknown[]
  readonly encryption: Encryption
  /** Deliveries of the calls of GitHub, in order. */
  readonly calls: string[]
  /** Runs of GitHub, by delivery id; `undefined` if the credential may not read runs. */
  runs: ReadonlySet<string> | undefined
  /** Deliveries of each lookup of runs. */
  readonly lookups: string[][]
  /** Deliveries whose run was found, so that receipts follow it. */
  readonly found: string[]
  /** The way of a request's event: to GitHub, or into the outbox. */
  readonly dispatch: DispatchPort
  collect(event: Dispatch, period: BatchPeriod): Promise<string | undefined>
  /** Stores an event. */
  put(delivery: string, other?: Partial<NewEvent> & Sender): Promise<boolean>
  /** Ends the process; another one can start on the same database. */
  stop(): Promise<void>
}

interface Sender {
  /** Name of the repository; its owner is `o`. */
  readonly repository?: string
  readonly kind?: 'token' | 'endpoint'
}

export interface OutboxSetup {
  readonly minInterval?: number
  readonly credentials?: Partial<CredentialOptions>
  readonly limits?: Partial<OutboxLimits>
  readonly database?: MemoryDatabase
  readonly encryption?: Encryption
  readonly time?: FakeTime
  /** GitHub as requests meet it, if that is another than for stored events. */
  readonly live?: FakeGitHub
  readonly random?: () => number
  /** GitHub accepted the sender's token, and the relay's own credential, before. */
  readonly isKnown?: boolean
  /** False for a process that has not read its disk yet. */
  readonly isStarted?: boolean
}

/** An outbox in memory, on a clock of the test, before a GitHub that is a function. */
export async function fakeOutbox(github: FakeGitHub, setup: OutboxSetup = {}): Promise<FakeOutbox> {
  const { time = new FakeTime(), minInterval = 350, random = () => 1 - 1e-9 } = setup
  const database = setup.database ?? (await memoryDatabase())
  const encryption = setup.encryption ?? (await encryptionOf())
  const limits = { ...LIMITS, ...setup.limits }
  const now = () => time.now
  const after = (milliseconds: number, back: () => void) =>
    time.at(Symbol('after'), milliseconds, back)
  const rateLimiters = new RateLimiters(
    { now, date: () => new Date(time.now), after, minInterval, metrics: new RelayMetrics() },
    false,
  )
  const fake: Partial<FakeOutbox> & Pick<FakeOutbox, 'runs'> = { runs: new Set() }
  const log: OutboxLine[] = []
  const reported: unknown[] = []
  const calls: string[] = []
  const lookups: string[][] = []
  const found: string[] = []
  const send =
    (isLive: boolean): DispatchPort =>
    async (dispatch) => {
      calls.push(dispatch.delivery)
      const limiter = isLive ? rateLimiters.live : rateLimiters.granted
      const limited = await limiter(dispatch)
      // Until the rate limiter lets the call begin, it waits for this time.
      let begin = () => {}
      void time.rest(
        new Promise<void>((resolve) => {
          begin = resolve
        }),
      )
      const { failure } = await throughLimiter(limited, () => {
        begin()
        return (isLive && setup.live ? setup.live : github)(dispatch)
      }).finally(begin)
      if (failure) throw failure
      return { tries: 1 }
    }
  const limiterOf = (queue: string) => rateLimiters.of(holderOf(queue), ownerOf(queue))
  const ledger = new Ledger({ database, limits, keyIds: encryption.keyIds, now })
  const accepted = new AcceptedCredentials(database, {
    now,
    report: (error) => reported.push(error),
  })
  const outbox: Outbox = new Outbox({
    ledger,
    accepted,
    encryption,
    credentials: createCredentials({
      githubCredential: { token: async () => new Secret('own') },
      findEndpoint: async () => ENDPOINT,
      ...setup.credentials,
    }),
    send: send(false),
    pack: PACK,
    age: limits.age,
    newId: () => crypto.randomUUID(),
    now,
    random,
    wake: (queue, delay) => void time.at(queue, delay, () => outbox.loop.step(queue)),
    isInDoubt: (queue) => limiterOf(queue).isInDoubt,
    turn: async (queue) => {
      await time.rest(limiterOf(queue).turn())
      return { wait: 0, isGranted: true }
    },
    findRuns: async (_, stored) => {
      const deliveries = [...stored.keys()]
      lookups.push(deliveries)
      const { runs } = fake
      return runs && new Set(deliveries.filter((id) => runs.has(id)))
    },
    found: ({ delivery }) => found.push(delivery),
    log: (line) => log.push(line),
    report: (error) => reported.push(error),
  })
  time.others = () => outbox.loop.openCalls
  if (setup.isStarted !== false) await outbox.start()
  const nameQueue = queueNames(rateLimiters)
  if (setup.isKnown) {
    for (const kind of ['token', 'endpoint'] as const) {
      const { queue } = await nameQueue(dispatchOf('before', { kind }))
      await accepted.note(queue)
    }
  }
  const accept: AcceptPorts = {
    ask: send(true),
    store: outbox,
    accepted,
    encryption,
    nameQueue,
    responseTime: 2500,
    callTime: 8000,
    now,
    random,
    after,
    background: () => {},
    log: (line) => log.push(line),
    report: (error) => reported.push(error),
  }
  return Object.assign(fake, {
    time,
    outbox,
    accepted,
    ledger,
    database,
    rateLimiters,
    log,
    reported,
    encryption,
    calls,
    lookups,
    found,
    dispatch: (event: Dispatch) => {
      const work = time.track(throughOutbox(accept)(event))
      work.catch(() => {})
      return work
    },
    collect: collectInto(accept),
    put: async (delivery: string, given: Partial<NewEvent> & Sender = {}) => {
      const { repository: name = 'r', kind = 'token', ...other } = given
      const dispatch = dispatchOf(delivery, { kind, name })
      const named = await nameQueue(dispatch)
      return outbox.put({
        delivery,
        ...named,
        credential: kind === 'token' ? `token:${named.holder.slice(0, 8)}` : 'endpoint:o/e1',
        path: 'hook/webhook',
        method: 'POST',
        received: now(),
        state: 'waiting',
        attempts: 0,
        doubts: 0,
        wait: 0,
        reason: 'queued',
        ...(await encryptEvent(dispatch, encryption)),
        ...other,
      })
    },
    stop: async () => {
      const stopping = outbox.stop()
      await time.pass(10 * SECOND)
      await stopping
    },
  })
}

/** Runs a call of the fake GitHub through a rate limiter, which sees status or fault. */
async function throughLimiter(
  limited: Awaited<ReturnType<RateLimiters['live']>>,
  github: () => Promise<void>,
): Promise<{ failure: unknown }> {
  let failure: unknown
  const call = async () => {
    try {
      await github()
      return { status: 204, header: () => undefined, text: '' }
    } catch (error) {
      failure = error
      const { code = '', attempts } = error as {
        code?: string
        attempts?: { githubStatus?: number }
      }
      if (code === 'github_timeout') throw new GitHubCallError('no answer', { sent: true })
      return { status: attempts?.githubStatus ?? 503, header: () => undefined, text: '' }
    }
  }
  const request = { path: '/', headers: {}, timeout: 8000 }
  await (limited ? limited(call) : call)(request).catch(() => {})
  return { failure }
}

/** The endpoint of events of the kind `endpoint`. */
export const ENDPOINT: Endpoint = {
  ...{ owner: 'o', name: 'e1', created: 0, repository: 'o/r' },
  ...{ workflow: 'hook', trigger: 'webhook', dispatch: 'repository', respond: 'github' },
  id: new Secret('the-id-of-the-endpoint'),
}

export function dispatchOf(
  delivery: string,
  {
    kind = 'token',
    owner = 'o',
    name = 'r',
    body = delivery,
    token = 'ghp_a-token-of-somebody',
  }: Partial<Record<'owner' | 'name' | 'body' | 'token', string>> & {
    kind?: 'token' | 'endpoint'
  } = {},
): Dispatch {
  const secret = new Secret(token)
  return {
    repository: { owner, name },
    target: { event: 'repository_dispatch' },
    clientPayload: JSON.stringify({ path: 'hook/webhook', method: 'POST', headers: {}, body }),
    delivery,
    credential: {
      kind,
      isOwn: kind !== 'token',
      secrets: [secret],
      token: async () => secret,
      ...(kind === 'token' && { githubToken: secret }),
      ...(kind === 'endpoint' && { endpoint: { owner: 'o', name: 'e1', created: 0 } }),
    },
  }
}

/** The events of an outbox, in order of arrival. */
export async function storedEvents({
  database,
}: Pick<FakeOutbox, 'database'>): Promise<readonly StoredEvent[]> {
  // The columns are the fields.
  return (await database.read('SELECT * FROM event ORDER BY seq')) as unknown as StoredEvent[]
}
