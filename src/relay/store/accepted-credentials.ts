import { BoundedCache } from '../bounded-cache.ts'
import type { Database } from './database.ts'

const DAY = 24 * 3_600_000

/** Milliseconds for which an acceptance counts. */
const ACCEPTED_AGE = 30 * DAY

/** Queues whose last write is remembered. */
const KNOWN_QUEUES = 10_000

/** Which queues have a credential that GitHub accepted within the last 30 days. */
export interface AcceptedQueues {
  /** Remembers that GitHub accepted the credential of a queue now. */
  note(queue: string): Promise<void>
  has(queue: string): Promise<boolean>
}

export interface AcceptedPorts {
  /** Milliseconds since 1970. */
  now(): number
  /** Is told of a fault of the disk: nothing was remembered, or nothing is known. */
  report(error: unknown): void
}

/** Accepted credentials in a database. */
export class AcceptedCredentials implements AcceptedQueues {
  readonly #database: Database
  readonly #ports: AcceptedPorts
  /** When the acceptance of a queue was written last. */
  readonly #written = new BoundedCache<string, number>(KNOWN_QUEUES)
  #exists = false

  constructor(database: Database, ports: AcceptedPorts) {
    this.#database = database
    this.#ports = ports
  }

  /** Writes to disk at most once a day. */
  async note(queue: string): Promise<void> {
    if (this.#isWritten(queue)) return
    const now = this.#ports.now()
    this.#written.set(queue, now)
    const text = `INSERT INTO accepted VALUES (?, ?)
      ON CONFLICT (name) DO UPDATE SET at = max(at, excluded.at)`
    const old = ['DELETE FROM accepted WHERE at < ?', now - ACCEPTED_AGE] as const
    await this.#database.write([[text, queue, now], old]).catch(this.#ports.report)
  }

  async has(queue: string): Promise<boolean> {
    if (this.#isWritten(queue)) return true
    const text = 'SELECT name FROM accepted WHERE name = ? AND at >= ?'
    const { now, report } = this.#ports
    if (!(await this.#hasTable().catch(report))) return false
    const rows = await this.#database.read(text, queue, now() - ACCEPTED_AGE).catch(report)
    return rows !== undefined && rows.length > 0
  }

  /** The first stored row creates the tables. */
  async #hasTable(): Promise<boolean> {
    if (this.#exists) return true
    const text = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'accepted'"
    this.#exists = (await this.#database.read(text)).length > 0
    return this.#exists
  }

  #isWritten(queue: string): boolean {
    return this.#ports.now() - (this.#written.get(queue) ?? Number.NEGATIVE_INFINITY) < DAY
  }
}
