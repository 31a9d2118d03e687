import { isFull, type OutboxLimits, type Usage } from '../delivery/event.ts'
import { isOwnQueue, ownerOf, type QueueName } from '../delivery/queue-name.ts'
import { CredentialTurns, type Turn } from '../github/credential-turns.ts'
import { AcceptedCredentials, type AcceptedPorts } from '../store/accepted-credentials.ts'
import type { SqlRow, SqlValue } from '../store/database.ts'
import { type ObjectStorage, objectDatabase, openIndexTables } from './object-database.ts'

/** The usage of a queue, as its object reports it. */
export interface QueueUsage extends QueueName, Usage {
  /** True if a new event must wait behind others. */
  readonly waits: boolean
}

/** Room for one event. */
export interface Reservation extends QueueName {
  readonly bytes: number
  /** False for an event of an open batch. */
  readonly waits: boolean
  /** True if GitHub may have accepted the event. */
  readonly isInDoubt: boolean
}

export interface IndexPorts extends AcceptedPorts {
  readonly limits: OutboxLimits
  /** Milliseconds between calls of one credential. */
  readonly minInterval: number
  /** Deletes so many bytes of copies in a queue. */
  deleteCopies(queue: string, bytes: number): void
  /** Asks a queue to report its usage. */
  askUsage(name: QueueName): void
}

/** Milliseconds without a report after which the index asks a queue. */
const SILENCE = 3_600_000

/**
 * The index of all queues on Workers: quota, turns at the rate limiter, and which credentials GitHub
 * accepted. It is one object; a queue without events has no entry and no object.
 */
export class ObjectIndex {
  readonly #ports: IndexPorts
  readonly #storage: ObjectStorage
  readonly #accepted: AcceptedCredentials
  readonly #turns: CredentialTurns

  constructor(storage: ObjectStorage, ports: IndexPorts) {
    openIndexTables(storage)
    this.#ports = ports
    this.#storage = storage
    this.#accepted = new AcceptedCredentials(objectDatabase(storage), ports)
    this.#turns = new CredentialTurns(ports)
  }

  async look({ queue, holder }: QueueName): Promise<{ waits: boolean; accepted: boolean }> {
    const [entry] = this.#rows('SELECT waits FROM queue WHERE name = ?', queue)
    // One event probes; the others wait without a call, so that few are in doubt.
    const waits = this.#turns.isInDoubt(holder) || Number(entry?.waits ?? 0) > 0
    return { waits, accepted: await this.#accepted.has(queue) }
  }

  noteAccepted(queue: string): Promise<void> {
    return this.#accepted.note(queue)
  }

  /**
   * Reserves room by the rule of the ledger: a queue, a credential other than the relay's own, and for
   * a token, all queues of the repository owner together, may use as much as stays free.
   *
   * @returns false if there is no room
   */
  async reserve(given: Reservation): Promise<boolean> {
    const { queue, holder, bytes, waits, isInDoubt } = given
    const { limits, deleteCopies, now } = this.#ports
    this.#askSilentQueue()
    if (isInDoubt) this.#turns.responded(holder, true)
    const all = this.#usage('true')
    const used = [this.#usage('name = ?', queue)]
    if (holder !== 'own') used.push(this.#usage('holder = ?', holder))
    // '0' follows '/'.
    const owner = [`${ownerOf(queue)}/`, `${ownerOf(queue)}0`]
    if (!isOwnQueue(queue)) used.push(this.#usage('name BETWEEN ? AND ?', ...owner))
    const hasRoom = used.every(
      (one) =>
        one.events + 1 <= limits.events - all.events &&
        one.bytes + bytes <= limits.bytes - all.bytes,
    )
    if (!hasRoom) return false
    this.#rows(
      `INSERT INTO queue VALUES (?, ?, 1, ?, 0, ?, ?) ON CONFLICT (name) DO UPDATE SET
        events = events + 1, bytes = bytes + excluded.bytes, waits = max(waits, excluded.waits)`,
      ...[queue, holder, bytes, waits ? 1 : 0, now()],
    )
    const excess = all.bytes + all.copies + bytes - limits.bytes
    const most = 'SELECT name FROM queue WHERE copies > 0 ORDER BY copies DESC LIMIT 1'
    const [yielding] = excess > 0 ? this.#rows(most) : []
    if (yielding) deleteCopies(String(yielding.name), excess)
    return true
  }

  /** Replaces what is known of a queue. */
  async report({ queue, holder, events, bytes, copies, waits }: QueueUsage): Promise<void> {
    this.#rows('DELETE FROM queue WHERE name = ?', queue)
    if (events === 0 && copies === 0) return
    const row = [queue, holder, events, bytes, copies, waits ? 1 : 0, this.#ports.now()]
    this.#rows('INSERT INTO queue VALUES (?, ?, ?, ?, ?, ?, ?)', ...row)
  }

  async queues(): Promise<readonly string[]> {
    return this.#rows('SELECT name FROM queue ORDER BY name').map(({ name }) => String(name))
  }

  async isFull(): Promise<boolean> {
    return isFull(this.#usage('true'), this.#ports.limits)
  }

  async turn(credential: string, held: number): Promise<Turn & { readonly isProbe: boolean }> {
    return this.#turns.next(credential, held)
  }

  async noteOutcome(credential: string, isAmbiguous: boolean): Promise<void> {
    this.#turns.responded(credential, isAmbiguous)
  }

  /** An object may have ended before its last report, and its queue may never get another event. */
  #askSilentQueue(): void {
    const { now, askUsage } = this.#ports
    const [silent] = this.#rows(
      `UPDATE queue SET at = ?1 WHERE name = (SELECT name FROM queue WHERE at < ?1 - ?2
        ORDER BY at LIMIT 1) RETURNING name, holder`,
      ...[now(), SILENCE],
    )
    if (silent) askUsage({ queue: String(silent.name), holder: String(silent.holder) })
  }

  #usage(where: string, ...values: SqlValue[]): Usage {
    const [row] = this.#rows(
      `SELECT coalesce(sum(events), 0) AS events, coalesce(sum(bytes), 0) AS bytes,
        coalesce(sum(copies), 0) AS copies FROM queue WHERE ${where}`,
      ...values,
    )
    // The columns are the fields.
    return row as unknown as Usage
  }

  #rows(statement: string, ...values: SqlValue[]): SqlRow[] {
    return this.#storage.sql.exec(statement, ...values).toArray()
  }
}
