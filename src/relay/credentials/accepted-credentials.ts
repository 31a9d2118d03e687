import { BoundedCache } from '../bounded-cache.ts'
import type { Database } from '../database/database.ts'

const HOUR = 3_600_000

/** Milliseconds for which an acceptance counts. */
const ACCEPTED_AGE = 30 * 24 * HOUR

/** Queues whose last write is remembered. */
const KNOWN_QUEUES = 10_000

/** Which queues have a credential that GitHub accepted within the last 30 days. Throws StorageError. */
export class AcceptedCredentials {
  readonly #database: Database
  readonly #now: () => number
  /** When the acceptance of a queue was written last. */
  readonly #written = new BoundedCache<string, number>(KNOWN_QUEUES)

  /** @param now milliseconds since 1970 */
  constructor(database: Database, now: () => number) {
    this.#database = database
    this.#now = now
  }

  /** Remembers that GitHub accepted the credential of a queue now. Writes to disk at most once an hour. */
  async note(queue: string): Promise<void> {
    if (this.#isWritten(queue)) return
    const now = this.#now()
    this.#written.set(queue, now)
    const text = `INSERT INTO accepted VALUES (?, ?)
      ON CONFLICT (name) DO UPDATE SET at = max(at, excluded.at)`
    await this.#database.write([
      [text, queue, now],
      ['DELETE FROM accepted WHERE at < ?', now - ACCEPTED_AGE],
    ])
  }

  async has(queue: string): Promise<boolean> {
    if (this.#isWritten(queue)) return true
    const text = 'SELECT name FROM accepted WHERE name = ? AND at >= ?'
    return (await this.#database.read(text, queue, this.#now() - ACCEPTED_AGE)).length > 0
  }

  #isWritten(queue: string): boolean {
    return this.#now() - (this.#written.get(queue) ?? Number.NEGATIVE_INFINITY) < HOUR
  }
}
