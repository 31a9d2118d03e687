import { BoundedCache } from '../bounded-cache.ts'
import type { Runtime } from '../runtime.ts'
import type { Database } from './database.ts'

const DAY = 24 * 3_600_000

/** Milliseconds for which an acceptance counts. */
const ACCEPTED_AGE = 30 * DAY

/** Queues whose last write is remembered. */
const KNOWN_QUEUES = 10_000

/** The queues whose credential GitHub accepted within the last 30 days. */
export class AcceptedCredentials {
  readonly #database: Database
  readonly #ports: Pick<Runtime, 'now' | 'report'>
  /** When the acceptance of a queue was written last. */
  readonly #written = new BoundedCache<string, number>(KNOWN_QUEUES)

  constructor(database: Database, ports: Pick<Runtime, 'now' | 'report'>) {
    this.#database = database
    this.#ports = ports
  }

  /** Remembers that GitHub accepted the credential of a queue now: on disk at most once a day. */
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
    const rows = await this.#database.read(text, queue, now() - ACCEPTED_AGE).catch(report)
    return rows !== undefined && rows.length > 0
  }

  #isWritten(queue: string): boolean {
    return this.#ports.now() - (this.#written.get(queue) ?? Number.NEGATIVE_INFINITY) < DAY
  }
}
