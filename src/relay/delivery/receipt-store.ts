import type { Database, SqlRow, SqlStatement } from '../store/database.ts'
import type { Receipt } from './receipt.ts'
import type { FollowedEvent, Progress, RunOutcome } from './run-outcome.ts'

/** Milliseconds for which the admin API shows an event after its end. */
const SHOWN_TIME = 7 * 24 * 3_600_000

/** Ended events that the admin API shows at most. */
const MOST_SHOWN = 20_000

/** `silent`: no event within `expect`. `no_runs`: events that GitHub accepted, and no run of them. */
export type AlarmKind = 'silent' | 'no_runs'

export interface Alarm {
  readonly kind: AlarmKind
  /** `endpoint:<owner>/<name>`, or `<repository> <credential>`. */
  readonly subject: string
  /** Milliseconds since 1970. */
  readonly since: number
}

const COLUMNS =
  'seq, delivery, repository, credential, path, method, received, at, outcome, reason, conclusion, run, since, failures, next'

/** The tables of `receipts`, in the database of the outbox. All methods throw StorageError. */
export class ReceiptStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** Begins to follow an event; a replayed one from the start. */
  async follow(event: FollowedEvent): Promise<void> {
    const { delivery, repository, credential, path, method, received } = event
    const { at, outcome, run, next } = event
    await this.#database.write([
      [
        `INSERT INTO followed (delivery, repository, credential, path, method, received, at, outcome,
            reason, conclusion, run, since, failures, next)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, '', '', ?, ?, 0, ?)
          ON CONFLICT (delivery) DO UPDATE SET at = excluded.at, outcome = excluded.outcome,
            reason = '', conclusion = '', run = excluded.run, since = excluded.since, failures = 0,
            next = excluded.next`,
        ...[delivery, repository, credential, path, method, received, at, outcome, run, at, next],
      ],
    ])
  }

  /** Repositories with an event that is due, the longest due first. */
  async dueRepositories(now: number): Promise<readonly string[]> {
    const text = `SELECT repository FROM followed WHERE next IS NOT NULL AND next <= ?
      GROUP BY repository ORDER BY min(next)`
    return (await this.#database.read(text, now)).map(({ repository }) => String(repository))
  }

  /** The events of a repository that are due. */
  async due(repository: string, now: number): Promise<readonly FollowedEvent[]> {
    const text = `SELECT ${COLUMNS} FROM followed WHERE repository = ? AND next IS NOT NULL AND next <= ?
      ORDER BY seq`
    return (await this.#database.read(text, repository, now)).map(eventOf)
  }

  /** Statements that record a step of an event, unless it was replayed in the meantime. */
  progress(event: FollowedEvent, step: Progress, now: number): SqlStatement {
    const { outcome, reason, conclusion, run, failures, next } = step
    const since = outcome === event.outcome ? event.since : now
    return [
      `UPDATE followed SET outcome = ?, reason = ?, conclusion = ?, run = ?, since = ?, failures = ?,
        next = ? WHERE delivery = ? AND at = ?`,
      ...[outcome, reason, conclusion, run, since, failures, next, event.delivery, event.at],
    ]
  }

  /** The outcomes of the last events of a credential in a repository that are decided, newest first. */
  async lastOutcomes(
    { repository, credential }: Pick<FollowedEvent, 'repository' | 'credential'>,
    count: number,
  ): Promise<readonly RunOutcome[]> {
    const text = `SELECT outcome FROM followed WHERE repository = ? AND credential = ?
      AND outcome NOT IN ('pending', 'unknown') ORDER BY at DESC, seq DESC LIMIT ?`
    const rows = await this.#database.read(text, repository, credential, count)
    return rows.map(({ outcome }) => outcome as RunOutcome)
  }

  /** The number of events whose run is followed, and of receipts that wait to be sent. */
  async counts(): Promise<{ open: number; receipts: number }> {
    const text = `SELECT (SELECT count(*) FROM followed WHERE next IS NOT NULL) AS open,
      (SELECT count(*) FROM receipt) AS receipts`
    const [row] = await this.#database.read(text)
    return { open: Number(row?.open), receipts: Number(row?.receipts) }
  }

  /** Deletes events a week after their end, and the oldest of too many. */
  async deleteOld(now: number): Promise<void> {
    await this.#database.write([
      ['DELETE FROM followed WHERE next IS NULL AND since < ?', now - SHOWN_TIME],
      [
        `DELETE FROM followed WHERE seq IN (SELECT seq FROM followed WHERE next IS NULL
          ORDER BY since DESC LIMIT -1 OFFSET ?)`,
        MOST_SHOWN,
      ],
    ])
  }

  /** A statement that stores a receipt. */
  receipt({ id, attempts, next, body }: Receipt): SqlStatement {
    const text = 'INSERT INTO receipt (id, at, attempts, next, body) VALUES (?, ?, ?, ?, ?)'
    return [text, id, next, attempts, next, body]
  }

  async dueReceipts(now: number, limit: number): Promise<readonly Receipt[]> {
    const text = `SELECT id, attempts, next, body FROM receipt WHERE next <= ? ORDER BY next, at LIMIT ?`
    return (await this.#database.read(text, now, limit)) as unknown as readonly Receipt[]
  }

  postponeReceipt(id: string, attempts: number, next: number): SqlStatement {
    return ['UPDATE receipt SET attempts = ?, next = ? WHERE id = ?', attempts, next, id]
  }

  deleteReceipt(id: string): SqlStatement {
    return ['DELETE FROM receipt WHERE id = ?', id]
  }

  async alarms(): Promise<readonly Alarm[]> {
    const text = 'SELECT kind, subject, since FROM alarm ORDER BY since, kind, subject'
    return (await this.#database.read(text)) as unknown as readonly Alarm[]
  }

  /** A statement that begins or ends an alarm. */
  alarm({ kind, subject, since }: Alarm, isActive: boolean): SqlStatement {
    if (!isActive) return ['DELETE FROM alarm WHERE kind = ? AND subject = ?', kind, subject]
    const text = 'INSERT INTO alarm (kind, subject, since) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
    return [text, kind, subject, since]
  }

  /** When each endpoint accepted its last event. */
  async lastEvents(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#database.read('SELECT endpoint, at FROM last_event')
    return new Map(rows.map(({ endpoint, at }) => [String(endpoint), Number(at)]))
  }

  noteEvent(endpoint: string, at: number): SqlStatement {
    const text = `INSERT INTO last_event VALUES (?, ?)
      ON CONFLICT (endpoint) DO UPDATE SET at = max(at, excluded.at)`
    return [text, endpoint, at]
  }

  async write(statements: readonly SqlStatement[]): Promise<void> {
    if (statements.length > 0) await this.#database.write(statements)
  }
}

/** The columns are the fields, and only this class writes them. */
function eventOf(row: SqlRow): FollowedEvent {
  return row as unknown as FollowedEvent
}
