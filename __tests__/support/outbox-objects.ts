import type { NewEvent, OutboxLimits } from '../../src/relay/delivery/event.ts'
import { encryptEvent } from '../../src/relay/delivery/event-record.ts'
import { queueNames } from '../../src/relay/delivery/queue-name.ts'
import { createCredentials } from '../../src/relay/github/credential.ts'
import { PACK } from '../../src/relay/github/payload-limit.ts'
import { RateLimiters } from '../../src/relay/github/rate-limiter.ts'
import type { Dispatch } from '../../src/relay/github/send.ts'
import { RelayMetrics } from '../../src/relay/metrics.ts'
import type { ObjectStorage } from '../../src/relay/workers/object-database.ts'
import { QueueObject } from '../../src/relay/workers/queue-object.ts'
import { dispatchOf, LIMITS } from './fake-outbox.ts'
import { START } from './fake-time.ts'
import { objectStorage } from './object-storage.ts'
import { encryptionOf } from './relay-keys.ts'

/** Runs before an object receives a call, or before its response leaves. */
type CallHook = (method: string, object: string) => Promise<void>

/** The objects of queues and their index, as they call each other, before a GitHub that is a function. */
export async function outboxObjects(
  github: (dispatch: Dispatch) => Promise<void> = async () => {},
  limits: Partial<OutboxLimits> = {},
) {
  const encryption = await encryptionOf()
  const clock = { now: START }
  const now = () => clock.now
  const rateLimiters = new RateLimiters(
    {
      now,
      date: () => new Date(clock.now),
      after: () => () => {},
      minInterval: 0,
      metrics: new RelayMetrics(),
    },
    false,
  )
  const storages = new Map<string, ObjectStorage>()
  const running = new Map<string, Promise<QueueObject>>()
  const delivered: string[] = []
  const reported: unknown[] = []
  const hooks: { before: CallHook; after: CallHook } = {
    before: async () => {},
    after: async () => {},
  }
  const open = async (name: string) => {
    const storage = storages.get(name) ?? (await objectStorage())
    storages.set(name, storage)
    return QueueObject.open(
      { storage, blockConcurrencyWhile: (work) => work() },
      {
        namespace: { idFromName: (each) => each, get: (id) => ({ fetch: callOf(String(id)) }) },
        rateLimiters,
        limits: { ...LIMITS, ...limits },
        minInterval: 0,
        sleep: async (milliseconds) => {
          clock.now += milliseconds
        },
        encryption,
        credentials: createCredentials({}),
        send: async (dispatch) => {
          await github(dispatch)
          delivered.push(dispatch.delivery)
          return { tries: 1 }
        },
        findRuns: async () => undefined,
        pack: PACK,
        age: LIMITS.age,
        newId: () => crypto.randomUUID(),
        now,
        random: () => 0,
        log: () => {},
        report: (error) => void reported.push(error),
      },
    )
  }
  const storageOf = (name: string) => {
    const storage = storages.get(name)
    if (!storage) throw new Error(`no call of ${name} yet`)
    return storage
  }
  const objectOf = (name: string) => {
    const object = running.get(name) ?? open(name)
    running.set(name, object)
    return object
  }
  const callOf =
    (name: string) =>
    async (url: string, { body }: { body?: string | Uint8Array<ArrayBuffer> }) => {
      const { method } = JSON.parse(String(body))
      await hooks.before(method, name)
      const object = await objectOf(name)
      const response = await object.fetch(new Request(url, { method: 'POST', body: String(body) }))
      await hooks.after(method, name)
      return response
    }
  const call = async (queue: string, method: string, ...given: unknown[]) => {
    const body = JSON.stringify({ method, given })
    return (await callOf(queue)('https://outbox/queue', { body })).json()
  }
  const queueOf = async (repository: string) =>
    (await queueNames(rateLimiters)(dispatchOf('any', { name: repository }))).queue
  /** Stores an event of a repository. */
  const put = async (repository: string, delivery: string, state: Partial<NewEvent> = {}) => {
    const dispatch = dispatchOf(delivery, { name: repository })
    const named = await queueNames(rateLimiters)(dispatch)
    return call(named.queue, 'put', {
      delivery,
      ...named,
      ...{ credential: 'token:a', state: 'waiting', attempts: 0, doubts: 0, wait: 0 },
      ...{ path: 'hook/webhook', method: 'POST', received: clock.now, reason: 'queued' },
      ...(await encryptEvent(dispatch, encryption)),
      ...state,
    })
  }
  /** Holds the next call of a method. @returns when the call arrives: a function that lets it go on */
  const hold = (time: keyof typeof hooks, method: string) =>
    new Promise<() => void>((arrived) => {
      hooks[time] = (called) => {
        if (called !== method) return Promise.resolve()
        hooks[time] = async () => {}
        return new Promise((release) => arrived(release))
      }
    })
  return {
    clock,
    delivered,
    reported,
    hold,
    put,
    call,
    alarm: async (repository: string) => (await objectOf(await queueOf(repository))).alarm(),
    /** The next call starts the object again, on its storage. */
    restart: async (repository: string) => running.delete(await queueOf(repository)),
    /** Events of each repository, as the index counts them. */
    counted: async () => {
      const rows = storageOf('index').sql.exec('SELECT name, events FROM queue').toArray()
      const names = rows.map(({ name, events }) => [/\/(.*)#/.exec(String(name))?.[1], events])
      return Object.fromEntries(names)
    },
    storageOf: async (repository: string) => storageOf(await queueOf(repository)),
  }
}
