import { BoundedCache } from '../bounded-cache.ts'
import type { ObjectStorage } from '../database/durable-object.ts'
import { probePause } from '../github/rate-limiter.ts'
import type { Turn } from './delivery-loop.ts'
import type { OutboxLimits } from './event.ts'
import { ACCEPTED_AGE } from './ledger.ts'
import type { QueueName } from './queue-name.ts'

/** Credentials whose calls are remembered. */
const KNOWN_CREDENTIALS = 10_000

/** The usage of a queue, as its object reports it. */
export interface QueueUsage {
  readonly queue: string
  readonly holder: string
  readonly events: number
  readonly bytes: number
  /** Bytes of copies of delivered batches, which give way to events. */
  readonly copies: number
  /** True if a new event must wait behind others. */
  readonly waits: boolean
}

/** Room for one event. */
export interface Reservation {
  readonly queue: string
  readonly holder: string
  readonly bytes: number
  /** False for an event of an open batch. */
  readonly waits: boolean
  /** True if GitHub may have accepted the event. */
  readonly isInDoubt: boolean
}

/** The state of the calls with one credential. */
interface CallState {
  /** When the next call may be. */
  next: number
  /** Ambiguous responses since the last clear one. */
  ambiguous: number
  /** While responses are ambiguous: when the next event is tried. */
  nextProbe: number
}

/**
 * The index of all queues on Workers: quota, turns at the rate limiter, and which credentials GitHub
 * accepted. It is one object; a queue without events has no entry and no object.
 */
export class ObjectIndex {
  readonly #storage: ObjectStorage
  readonly #ports: { limits: OutboxLimits; minInterval: number; now(): number }
  readonly #calls = new BoundedCache<string, CallState>(KNOWN_CREDENTIALS)
  #hasTables = false

  constructor(
    storage: ObjectStorage,
    ports: { limits: OutboxLimits; minInterval: number; now(): number },
  ) {
    this.#storage = storage
    this.#ports = ports
  }

  look({ queue, holder }: QueueName): { waits: boolean; accepted: boolean } {
    const [entry] = this.#rows('SELECT waits FROM queue WHERE name = ?', queue)
    const [accepted] = this.#rows('SELECT at FROM accepted WHERE name = ?', queue)
    const isFresh =
      accepted !== undefined && this.#ports.now() - Number(accepted.at) <= ACCEPTED_AGE
    // One event probes; the others wait without a call, so that few are in doubt.
    const isInDoubt = this.#callsOf(holder).ambiguous > 0
    return { waits: isInDoubt || Number(entry?.waits ?? 0) > 0, accepted: isFresh }
  }

  noteAccepted(queue: string): void {
    const now = this.#ports.now()
    this.#rows('REPLACE INTO accepted VALUES (?, ?)', queue, now)
    this.#rows('DELETE FROM accepted WHERE at < ?', now - ACCEPTED_AGE)
  }

  /**
   * Reserves room by the rule of the ledger: a queue, and a credential other than the relay's own, may
   * use as much as stays free.
   *
   * @returns whether there is room, and the queue whose copies have to make room for events
   */
  reserve(given: Reservation): { isFree: boolean; excess: number } {
    const { queue, holder, bytes, waits, isInDoubt } = given
    const { limits } = this.#ports
    if (isInDoubt) this.noteOutcome(holder, true)
    const [all] = this.#rows(
      'SELECT sum(events) AS events, sum(bytes) AS bytes, sum(copies) AS copies FROM queue',
    )
    const own = "holder = ? AND holder <> 'own'"
    const [used] = this.#rows(
      `SELECT max(coalesce(sum(events), 0), coalesce(sum(events) FILTER (WHERE name = ?), 0)) AS events,
        max(coalesce(sum(bytes), 0), coalesce(sum(bytes) FILTER (WHERE name = ?), 0)) AS bytes
        FROM queue WHERE name = ? OR (${own})`,
      queue,
      queue,
      queue,
      holder,
    )
    const [events, total] = [Number(all?.events ?? 0), Number(all?.bytes ?? 0)]
    const isFree =
      Number(used?.events ?? 0) + 1 <= limits.events - events &&
      Number(used?.bytes ?? 0) + bytes <= limits.bytes - total
    if (!isFree) return { isFree, excess: 0 }
    this.#rows(
      `INSERT INTO queue VALUES (?, ?, 1, ?, 0, ?) ON CONFLICT (name) DO UPDATE SET
        events = events + 1, bytes = bytes + excluded.bytes, waits = max(waits, excluded.waits)`,
      queue,
      holder,
      bytes,
      waits ? 1 : 0,
    )
    return { isFree, excess: total + Number(all?.copies ?? 0) + bytes - limits.bytes }
  }

  /** The queue with the most bytes of copies. */
  mostCopies(): string | undefined {
    const [row] = this.#rows('SELECT name FROM queue WHERE copies > 0 ORDER BY copies DESC LIMIT 1')
    return row && String(row.name)
  }

  /** Replaces what is known of a queue. */
  report({ queue, holder, events, bytes, copies, waits }: QueueUsage): void {
    if (events === 0 && copies === 0) this.#rows('DELETE FROM queue WHERE name = ?', queue)
    else {
      const text = 'REPLACE INTO queue VALUES (?, ?, ?, ?, ?, ?)'
      this.#rows(text, queue, holder, events, bytes, copies, waits ? 1 : 0)
    }
  }

  queues(): string[] {
    return this.#rows('SELECT name FROM queue ORDER BY name').map(({ name }) => String(name))
  }

  isFull(): boolean {
    const [all] = this.#rows('SELECT sum(events) AS events, sum(bytes) AS bytes FROM queue')
    const { events, bytes } = this.#ports.limits
    return Number(all?.events ?? 0) >= events || Number(all?.bytes ?? 0) >= bytes
  }

  /**
   * Gives a queue the next turn of its credential.
   *
   * @param held milliseconds for which the rate limiter of the queue's object holds all calls
   */
  turn(credential: string, held: number): Turn & { isProbe: boolean } {
    const { now, minInterval } = this.#ports
    const calls = this.#callsOf(credential)
    const time = now()
    const isProbe = calls.ambiguous > 0
    if (isProbe && time < calls.nextProbe) {
      return { wait: calls.nextProbe - time, isGranted: false, isProbe }
    }
    const at = Math.max(time + held, calls.next)
    calls.next = at + minInterval
    calls.nextProbe = at + probePause(calls.ambiguous)
    return { wait: at - time, isGranted: true, isProbe }
  }

  /** Remembers whether the last response of GitHub to a credential was ambiguous. */
  noteOutcome(credential: string, isAmbiguous: boolean): void {
    const calls = this.#callsOf(credential)
    calls.nextProbe = this.#ports.now() + probePause(calls.ambiguous)
    calls.ambiguous = isAmbiguous ? calls.ambiguous + 1 : 0
  }

  #callsOf(credential: string): CallState {
    const known = this.#calls.get(credential)
    if (known) return known
    const calls: CallState = { next: 0, ambiguous: 0, nextProbe: 0 }
    this.#calls.set(credential, calls)
    return calls
  }

  #rows(statement: string, ...values: unknown[]) {
    const { sql } = this.#storage
    if (!this.#hasTables) {
      sql.exec(`CREATE TABLE IF NOT EXISTS queue (name TEXT PRIMARY KEY, holder TEXT NOT NULL,
        events INTEGER NOT NULL, bytes INTEGER NOT NULL, copies INTEGER NOT NULL, waits INTEGER NOT NULL)`)
      sql.exec('CREATE INDEX IF NOT EXISTS queue_holder ON queue (holder)')
      sql.exec('CREATE TABLE IF NOT EXISTS accepted (name TEXT PRIMARY KEY, at INTEGER NOT NULL)')
      this.#hasTables = true
    }
    return sql.exec(statement, ...values).toArray()
  }
}
