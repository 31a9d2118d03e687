import { judgeCredentials } from '../../src/relay/credentials.ts'
import type { Dispatch, DispatchPort } from '../../src/relay/dispatch.ts'
import type { Outbox, OutboxLimits, OutboxLine } from '../../src/relay/outbox/outbox.ts'
import { OutboxQueue } from '../../src/relay/outbox/queue.ts'
import { sealEventsFor } from '../../src/relay/outbox/sealed-event.ts'
import { newSealKey, type SealKey } from '../../src/relay/seal.ts'
import { Secret } from '../../src/wire/secret.ts'
import { memoryOutbox } from './memory-outbox.ts'

export const START = Date.UTC(2026, 0, 2)
export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE

export const LIMITS: OutboxLimits = { events: 10_000, bytes: 1e9, age: 24 * HOUR, pace: 350 }

/** Real milliseconds after which work is taken to wait for other work. */
const WAITS_FOR_OTHERS = 2000

/** Time that passes only when it is told to. What happens in it is done when `pass` resolves. */
export class FakeTime {
  now = START
  readonly #due = new Map<unknown, { at: number; run: () => Promise<void> | void }>()
  #asleep: (() => void) | undefined

  /** In place of what was to be run under the same name before. */
  at(name: unknown, delay: number, run: () => Promise<void> | void): () => void {
    this.#due.set(name, { at: this.now + delay, run })
    return () => this.#due.delete(name)
  }

  sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      this.at(Symbol('sleep'), milliseconds, resolve)
      this.#asleep?.()
    })
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

  /** Resolves when the work is done, or sleeps in this time. */
  async settled(work: unknown): Promise<void> {
    const asleep = new Promise<void>((resolve) => {
      this.#asleep = resolve
    })
    let cut: NodeJS.Timeout | undefined
    const stuck = new Promise<void>((resolve) => {
      cut = setTimeout(resolve, WAITS_FOR_OTHERS)
    })
    await Promise.race([work ?? Promise.resolve(), asleep, stuck])
    clearTimeout(cut)
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
}

export interface FakeLanes {
  readonly time: FakeTime
  readonly queue: OutboxQueue
  readonly outbox: Outbox
  readonly log: OutboxLine[]
  readonly reported: unknown[]
  readonly key: SealKey
  /** Puts an event that GitHub was not asked for, or was once in vain. */
  put(delivery: string, other?: Partial<Given>): Promise<void>
}

interface Given {
  readonly lane: string
  readonly tries: number
  readonly next: number
  readonly kind: 'token' | 'key'
  readonly key: SealKey
}

export interface LaneSetup {
  readonly limits?: Partial<OutboxLimits>
  readonly outbox?: Outbox
  readonly keys?: readonly SealKey[]
  readonly time?: FakeTime
}

export const LANE = 'o/r#1234'

/** Lanes on a clock of the test. */
export async function fakeLanes(send: DispatchPort, setup: LaneSetup = {}): Promise<FakeLanes> {
  const { outbox = memoryOutbox(), time = new FakeTime() } = setup
  const keys = setup.keys ?? [await newSealKey()]
  const [key] = keys
  if (!key) throw new Error('a key is needed')
  const log: OutboxLine[] = []
  const reported: unknown[] = []
  const queue: OutboxQueue = new OutboxQueue({
    outbox,
    keys,
    limits: { ...LIMITS, ...setup.limits },
    credentials: judgeCredentials({
      authority: { token: async () => new Secret('own') },
      now: () => new Date(time.now),
    }),
    send,
    now: () => time.now,
    random: () => 1,
    wake: (lane, delay) => void time.at(lane, delay, () => queue.run(lane)),
    log: (line) => log.push(line),
    report: (error) => reported.push(error),
  })
  await queue.start()
  const seals = new Map<string, ReturnType<typeof sealEventsFor>>()
  return {
    ...{ time, queue, outbox, log, reported, key },
    put: async (delivery, other = {}) => {
      const sealKey = other.key ?? key
      const seal = seals.get(sealKey.id) ?? sealEventsFor(sealKey)
      seals.set(sealKey.id, seal)
      const sealed = await seal(dispatchOf(delivery, other.kind))
      const { lane = LANE, tries = 0, next = time.now } = other
      const common = { delivery, lane, tries, next, at: time.now, died: undefined }
      const reason = tries > 0 ? 'platform_unavailable' : 'queued'
      await queue.put({ ...common, reason, ...sealed, bytes: sealed.sealed.length })
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
      ...(kind === 'token' && { platformToken: token }),
    },
  }
}
