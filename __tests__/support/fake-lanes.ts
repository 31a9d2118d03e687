import {
  type CredentialOptions,
  createCredentials,
} from '../../src/relay/credentials/credentials.ts'
import { generateSealingKey, type SealingKey } from '../../src/relay/credentials/seal.ts'
import { RelayMetrics } from '../../src/relay/endpoints/metrics.ts'
import type { Dispatch, DispatchPort } from '../../src/relay/github/dispatch.ts'
import { Governors } from '../../src/relay/governor.ts'
import { throughOutbox } from '../../src/relay/outbox/accept.ts'
import { OutboxActions } from '../../src/relay/outbox/actions.ts'
import { collectInto } from '../../src/relay/outbox/collect.ts'
import { holderOfLane, laneNames, ownerOf } from '../../src/relay/outbox/lane.ts'
import { memoryOutbox } from '../../src/relay/outbox/memory.ts'
import { NODE_CIPHER } from '../../src/relay/outbox/on-node.ts'
import type { Outbox, OutboxLimits, OutboxLine } from '../../src/relay/outbox/outbox.ts'
import { OutboxQueue } from '../../src/relay/outbox/queue.ts'
import { SharedRoom } from '../../src/relay/outbox/room.ts'
import { sealEventsFor } from '../../src/relay/outbox/sealed-event.ts'
import { PACK } from '../../src/relay/request/client-payload.ts'
import { Secret } from '../../src/wire/secret.ts'

export const START = Date.UTC(2026, 0, 2)
export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE

export const LIMITS: OutboxLimits = { events: 20_000, bytes: 1e9, age: 24 * HOUR }

/** Real milliseconds after which work is taken to wait for other work. */
const WAITS_FOR_OTHERS = 2000

/** Time that passes only when it is told to. What happens in it is done when `pass` resolves. */
export class FakeTime {
  now = START
  readonly #due = new Map<unknown, { at: number; run: () => Promise<void> | void }>()
  /** Work under way that is not waiting for this time to pass. */
  #working = 0

  /** In place of what was to be run under the same name before. */
  at(name: unknown, delay: number, run: () => Promise<void> | void): () => void {
    this.#due.set(name, { at: this.now + delay, run })
    return () => this.#due.delete(name)
  }

  sleep(milliseconds: number): Promise<void> {
    return this.rest(
      new Promise((resolve) => {
        this.at(Symbol('sleep'), milliseconds, resolve)
      }),
    )
  }

  /** Waits for what comes only when time passes. */
  async rest<Result>(waiting: Promise<Result>): Promise<Result> {
    this.#working--
    try {
      return await waiting
    } finally {
      this.#working++
    }
  }

  async pass(milliseconds: number): Promise<void> {
    const end = this.now + milliseconds
    for (;;) {
      const [next] = [...this.#due].sort(([, a], [, b]) => a.at - b.at)
      if (!next || next[1].at > end) break
      this.#due.delete(next[0])
      this.now = Math.max(this.now, next[1].at)
      await this.settled(next[1].run())
    }
    this.now = end
  }

  /** Resolves when the work, and all other, is done, or sleeps in this time. */
  async settled(work: unknown): Promise<void> {
    if (work instanceof Promise) {
      this.#working++
      const done = () => {
        this.#working--
      }
      work.then(done, done)
    }
    const end = performance.now() + WAITS_FOR_OTHERS
    for (let turn = 0; turn < 3 || (this.#working > 0 && performance.now() < end); turn++) {
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}

export interface FakeLanes {
  readonly time: FakeTime
  readonly queue: OutboxQueue
  readonly actions: OutboxActions
  readonly governors: Governors
  readonly outbox: Outbox
  readonly log: OutboxLine[]
  readonly reported: unknown[]
  readonly key: SealingKey
  readonly laneOf: ReturnType<typeof laneNames>
  /** The way of a request's event: to GitHub, or into the outbox. */
  readonly dispatch: DispatchPort
  /** The same of an event for a batch. */
  readonly collect: ReturnType<typeof collectInto>
  /** Queues an event that GitHub was not asked for, or was asked for once without success. */
  put(delivery: string, other?: Partial<Given>): Promise<void>
  /** Ends the relay; another one can start on its outbox. */
  stop(): Promise<void>
}

interface Given {
  readonly lane: string
  readonly tries: number
  readonly wait: number
  readonly kind: 'token' | 'key'
  readonly reason: string
}

export interface LaneSetup {
  readonly pace?: number
  readonly credentials?: Partial<CredentialOptions>
  readonly limits?: Partial<OutboxLimits>
  readonly outbox?: Outbox
  readonly keys?: readonly SealingKey[]
  readonly time?: FakeTime
  /** GitHub as a sender's request meets it, where that is another than for queued events. */
  readonly ask?: DispatchPort
  /** GitHub accepted the sender's token, and the relay's own credential, before. */
  readonly isKnown?: boolean
}

export const LANE = 'o/r#1234'

/** The outbox of a relay on a clock of the test, before a GitHub that is the function `send`. */
export async function fakeLanes(send: DispatchPort, setup: LaneSetup = {}): Promise<FakeLanes> {
  const { outbox = memoryOutbox(), time = new FakeTime(), pace = 350 } = setup
  const keys = setup.keys ?? [await generateSealingKey()]
  const [key] = keys
  if (!key) throw new Error('a key is needed')
  const log: OutboxLine[] = []
  const reported: unknown[] = []
  const limits = { ...LIMITS, ...setup.limits }
  const governors = new Governors(
    {
      now: () => time.now,
      date: () => new Date(time.now),
      after: (milliseconds, back) => time.at(Symbol('after'), milliseconds, back),
      ...{ pace, metrics: new RelayMetrics() },
    },
    false,
  )
  const queue: OutboxQueue = new OutboxQueue({
    outbox,
    keys,
    room: new SharedRoom(limits),
    age: limits.age,
    pace,
    revoked: setup.credentials?.revoked ?? new Set(),
    credentials: createCredentials({
      githubCredential: { token: async () => new Secret('own') },
      ...setup.credentials,
      now: () => new Date(time.now),
    }),
    turn: async (lane) => {
      await time.rest(governors.of(holderOfLane(lane), ownerOf(lane)).turn())
      return 0
    },
    send,
    now: () => time.now,
    random: () => 1,
    wake: (lane, delay) => void time.at(lane, delay, () => queue.run(lane)),
    log: (line) => log.push(line),
    report: (error) => reported.push(error),
    ...{ newId: () => crypto.randomUUID(), pack: PACK },
    loadBatches: () => import('../../src/relay/outbox/batches.ts'),
  })
  await queue.start()
  const laneOf = laneNames(governors)
  if (setup.isKnown) {
    for (const kind of ['token', 'key'] as const) {
      queue.accepted(await laneOf(dispatchOf('before', kind)))
    }
  }
  const seal = sealEventsFor(key, NODE_CIPHER)
  const dispatch = throughOutbox({
    ask: setup.ask ?? send,
    lanes: queue,
    seal,
    laneOf,
    log: (line) => log.push(line),
    acceptTime: 2500,
    callTime: 8000,
    now: () => time.now,
    random: () => 1,
    after: (milliseconds, back) => time.at(Symbol('after'), milliseconds, back),
    background: () => {},
    report: (error) => reported.push(error),
  })
  return {
    actions: new OutboxActions({ outbox, queue, now: () => time.now }),
    ...{ time, queue, outbox, log, reported, key, governors, laneOf, dispatch },
    collect: collectInto({ lanes: queue, seal, laneOf }),
    put: async (delivery, other = {}) => {
      const { sealed, key } = await seal(dispatchOf(delivery, other.kind))
      const { lane = LANE, tries = 0, wait = 0 } = other
      const { reason = tries > 0 ? 'github_unavailable' : 'queued' } = other
      const credential = `token:${lane.split('#')[1]}`
      await queue.put({ delivery, lane, credential, tries, wait, reason, key, sealed })
    },
    stop: async () => {
      const stopping = queue.stop()
      await time.pass(10 * SECOND)
      await stopping
    },
  }
}

export function dispatchOf(delivery: string, kind: 'token' | 'key' = 'token'): Dispatch {
  const token = new Secret('ghp_a-token-of-somebody')
  return {
    repository: { owner: 'o', name: 'r' },
    target: { event: 'repository_dispatch' },
    clientPayload: JSON.stringify({ path: 'hook/webhook', delivery }),
    delivery,
    credential: {
      kind,
      secrets: [token],
      token: async () => token,
      ...(kind === 'token' && { githubToken: token }),
    },
  }
}
