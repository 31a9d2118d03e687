// The tables of alarms that last, of notifications that wait to be sent, and of each endpoint's last event.

import { splitOnce } from '../../wire/path.ts'
import type { Database, SqlRow, SqlStatement } from './database.ts'

/** `silent`: no event within `expect`. `no_runs`: events that GitHub accepted, and no run of them. */
export type AlarmKind = 'silent' | 'no_runs'

export interface Alarm {
  readonly kind: AlarmKind
  /** The endpoint: `<owner>/<name>`. */
  readonly subject: string
  /** Milliseconds since 1970. */
  readonly since: number
}

/** An endpoint, as its silence is noticed. */
interface HeardEndpoint {
  /** `<owner>/<name>` */
  readonly subject: string
  /** Milliseconds without an event after which its alarm begins; `null` if it expects none. */
  readonly expect: number | null
  /** When it accepted its last event, or was changed. */
  readonly heard: number
}

/** A signed webhook that waits to be sent to `HOOKLINE_NOTIFY_URL`. Times are milliseconds since 1970. */
export interface Notification {
  /** The value of `webhook-id`: the same in each attempt. */
  readonly id: string
  readonly attempts: number
  readonly next: number
  /** JSON with `type`, `timestamp` and `data`. */
  readonly body: string
}

/** Notifications that wait to be sent; while there are more, outcomes are only counted and logged. */
const MOST_NOTIFICATIONS = 100_000

/** All methods reject with StorageError. */
export class NotificationTable {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  /** A statement that stores a notification, unless too many wait already. */
  notification({ id, attempts, next, body }: Notification): SqlStatement {
    const text = `INSERT INTO notification (id, at, attempts, next, body) SELECT ?, ?, ?, ?, ?
      WHERE (SELECT count(*) FROM notification) < ${MOST_NOTIFICATIONS}`
    return [text, id, next, attempts, next, body]
  }

  async dueNotifications(now: number, limit: number): Promise<readonly Notification[]> {
    const text = `SELECT id, attempts, next, body FROM notification WHERE next <= ?
      ORDER BY next, at LIMIT ?`
    // The columns are the fields.
    return (await this.#read(text, now, limit)) as unknown as readonly Notification[]
  }

  /** When the next notification is due; `undefined` if none waits. */
  async nextNotification(): Promise<number | undefined> {
    const [row] = await this.#read('SELECT min(next) AS next FROM notification')
    return typeof row?.next === 'number' ? row.next : undefined
  }

  /** To be called at the start: corrects times that a clock wrote which was ahead. */
  async correctTimes(now: number, longestPause: number): Promise<void> {
    await this.write([
      ['UPDATE notification SET next = ?1 WHERE next > ?1 + ?2', now, longestPause],
      ['UPDATE endpoint SET lastEvent = ?1 WHERE lastEvent > ?1', now],
    ])
  }

  postpone(id: string, attempts: number, next: number): SqlStatement {
    return ['UPDATE notification SET attempts = ?, next = ? WHERE id = ?', attempts, next, id]
  }

  remove(id: string): SqlStatement {
    return ['DELETE FROM notification WHERE id = ?', id]
  }

  async alarms(): Promise<readonly Alarm[]> {
    const text = 'SELECT kind, subject, since FROM alarm ORDER BY since, kind, subject'
    // The columns are the fields.
    return (await this.#read(text)) as unknown as readonly Alarm[]
  }

  /** A statement that begins or ends an alarm. */
  alarm({ kind, subject, since }: Alarm, isActive: boolean): SqlStatement {
    if (!isActive) return ['DELETE FROM alarm WHERE kind = ? AND subject = ?', kind, subject]
    const text = 'INSERT INTO alarm (kind, subject, since) VALUES (?, ?, ?) ON CONFLICT DO NOTHING'
    return [text, kind, subject, since]
  }

  async endpoints(): Promise<readonly HeardEndpoint[]> {
    const text = `SELECT owner || '/' || name AS subject, expect,
      max(changed, coalesce(lastEvent, 0)) AS heard FROM endpoint`
    // The columns are the fields.
    return (await this.#read(text)) as unknown as readonly HeardEndpoint[]
  }

  /** @param endpoint `<owner>/<name>`, which accepted an event */
  noteEvent(endpoint: string, at: number): SqlStatement {
    const text = `UPDATE endpoint SET lastEvent = max(coalesce(lastEvent, 0), ?)
      WHERE owner = ? AND name = ?`
    return [text, at, ...splitOnce(endpoint, '/')]
  }

  async write(statements: readonly SqlStatement[]): Promise<void> {
    if (statements.length > 0) await this.#database.write(statements)
  }

  #read(...statement: SqlStatement): Promise<readonly SqlRow[]> {
    return this.#database.read(...statement)
  }
}
