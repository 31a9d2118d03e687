import type { Database, SqlRow, SqlStatement, SqlValue } from '../store/database.ts'
import { UNDELIVERED } from '../store/schema.ts'
import { type DeliveryFilter, deliveryConditions } from './delivery-list.ts'
import type {
  NewEvent,
  OutboxEvent,
  OutboxFigures,
  OutboxLimits,
  StoredEvent,
  Usage,
} from './event.ts'
import { isOwnQueue, ownerOf } from './queue-name.ts'
import type { Next } from './retry-policy-old.ts'

const DAY = 24 * 3_600_000
/** Milliseconds for which a dead letter stays. */
const DEAD_AGE = 30 * DAY

/** A batch that takes events. */
export interface OpenBatch {
  readonly id: string
  readonly queue: string
  /** The values that its events share besides the queue: mode, ref, workflow and trigger. */
  readonly grouping: string
  /** When its first event was stored; milliseconds since 1970, as all times. */
  readonly opened: number
  /** Milliseconds from the first event to the end. */
  readonly period: number
  /** Milliseconds without a new event that end it sooner. */
  readonly debounce: number | null
  /** When its last event was stored. */
  readonly last: number
  readonly count: number
  /** Characters of its events before gzip, with `LIMITS.batchEventOverhead` for each. */
  readonly length: number
}

const EVENT_COLUMNS = [
  ...(['delivery', 'unit', 'queue', 'holder', 'credential', 'path', 'method'] as const),
  ...(['received', 'state', 'at', 'since'] as const),
  ...(['attempts', 'doubts', 'next', 'wait', 'reason', 'key', 'bytes'] as const),
]

const BATCH_COLUMNS = [
  ...(['id', 'queue', 'grouping', 'opened', 'period', 'debounce'] as const),
  ...(['last', 'count', 'length'] as const),
]

/** The fields of an `OutboxEvent`. */
const COLUMNS = `seq, ${EVENT_COLUMNS.join(', ')}`

/**
 * Stores an event if the quota has room. As much as stays free may be used by a queue; and for tokens, by
 * all queues of the owner, and by the token. Undelivered events and dead letters count; copies give way.
 */
const PUT = `INSERT INTO event (${EVENT_COLUMNS.join(', ')}, content)
  SELECT ${marks(EVENT_COLUMNS)}, ? FROM (SELECT
      coalesce(max(events) FILTER (WHERE kind <> 'all'), 0) AS own_events,
      coalesce(max(bytes) FILTER (WHERE kind <> 'all'), 0) AS own_bytes,
      coalesce(max(events) FILTER (WHERE kind = 'all'), 0) AS all_events,
      coalesce(max(bytes) FILTER (WHERE kind = 'all'), 0) AS all_bytes
      FROM (SELECT substr(name, 1, 3) AS kind, sum(events) AS events, sum(bytes) AS bytes FROM usage
        WHERE name IN ('all', ?) OR name BETWEEN ? AND ? GROUP BY kind))
    WHERE own_events + 1 <= ? - all_events AND own_bytes + ? <= ? - all_bytes
  RETURNING seq`

/** The values of a parameter that is a JSON list, since a Durable Object allows 100 parameters. */
const LISTED = '(SELECT value FROM json_each(?))'

const COUNT = 'UPDATE meta SET value = value + changes() WHERE name = ?'

const PUT_BATCH = `INSERT INTO batch (${BATCH_COLUMNS.join(', ')})
  SELECT ${marks(BATCH_COLUMNS)} WHERE EXISTS (SELECT 1 FROM event WHERE delivery = ?)
  ON CONFLICT (id) DO UPDATE SET last = excluded.last, count = excluded.count,
    length = excluded.length`

const USAGE = `SELECT coalesce(sum(events) FILTER (WHERE name = 'all'), 0) AS events,
  coalesce(sum(bytes) FILTER (WHERE name = 'all'), 0) AS bytes,
  coalesce(sum(bytes) FILTER (WHERE name = 'copies'), 0) AS copies
  FROM usage WHERE name IN ('all', 'copies')`

/** The change of an event that is queued again at `?1`. */
const AGAIN = `state = 'waiting', at = ?1, since = ?1, attempts = 0, doubts = 0, next = ?1, wait = 0,
  reason = 'replayed'`

/** The end of the shown credential of a deleted endpoint; no name contains it. */
export const DELETED = '#deleted'

const GONE: SqlStatement = [COUNT, 'gone']

export interface LedgerPorts {
  readonly database: Database
  readonly limits: OutboxLimits
  /** Ids of the relay keys. Events of other keys stay, and are never attempted. */
  readonly keyIds: readonly string[]
  /** Milliseconds since 1970. */
  now(): number
}

/**
 * The account of all events that the relay answered with 202. It keeps no numbers in memory: each
 * question is a query, and each change one transaction. All methods throw StorageError.
 */
export class Ledger {
  readonly #ports: LedgerPorts
  readonly #readable: string
  readonly #attemptable: string

  constructor(ports: LedgerPorts) {
    this.#ports = ports
    // Ids are base64url.
    this.#readable = `key IN (${ports.keyIds.map((id) => `'${id.replaceAll("'", "''")}'`).join(', ')})`
    this.#attemptable = `${UNDELIVERED} AND ${this.#readable} AND unit NOT IN (SELECT id FROM batch)`
  }

  /** To be called at the start: corrects times that a clock wrote which was ahead. */
  async open(): Promise<void> {
    const now = this.#ports.now()
    const text = `UPDATE event SET next = ?1 + wait WHERE ${UNDELIVERED} AND next > ?1 + wait
      AND unit NOT IN (SELECT id FROM batch)`
    await this.write([[text, now]])
  }

  /**
   * Stores an event; it is on disk when the promise resolves.
   *
   * @returns false if the quota has no room for it
   */
  put(event: NewEvent): Promise<boolean> {
    const next = this.#ports.now() + event.wait
    return this.#put(this.#putStatement(event, { unit: event.delivery, next }))
  }

  /** Stores an event of an open batch, and the batch with it. */
  putIntoBatch(event: NewEvent, batch: OpenBatch): Promise<boolean> {
    const { id: unit, opened, period } = batch
    const values = BATCH_COLUMNS.map((name) => batch[name])
    return this.#put(this.#putStatement(event, { unit, next: opened + period }), [
      [PUT_BATCH, ...values, event.delivery],
    ])
  }

  #putStatement(event: NewEvent, { unit, next }: { unit: string; next: number }): SqlStatement {
    const { limits, now } = this.#ports
    const { queue, holder, content } = event
    const [at, bytes] = [now(), content.length]
    const row = { ...event, unit, at, since: at, next, bytes }
    // The relay's own credential is the whole relay: only its queues are limited. '0' follows '/'.
    const owner = ownerOf(queue)
    const [first, last] = isOwnQueue(queue) ? [queue, queue] : [`${owner}/`, `${owner}0`]
    const names = [holder === 'own' ? '' : `holder ${holder}`, `queue ${first}`, `queue ${last}`]
    const values = EVENT_COLUMNS.map((name) => row[name])
    return [PUT, ...values, content, ...names, limits.events, bytes, limits.bytes]
  }

  /** Stores an event, and deletes copies if all records together are larger than the quota. */
  async #put(event: SqlStatement, others: readonly SqlStatement[] = []): Promise<boolean> {
    const limit = this.#ports.limits.bytes
    const rows = await this.write([event, [COUNT, 'accepted'], ...others, [USAGE]])
    const { bytes, copies } = usageOf(rows)
    const excess = bytes + copies - limit
    // Some more, so that not each of the next events has to make room for itself. The event is stored, so
    // a fault of the disk is left to the next write.
    if (excess > 0) await this.deleteCopies(excess + limit / 64).catch(() => {})
    return rows.some(({ seq }) => seq !== undefined)
  }

  /** Deletes copies of delivered batches, oldest first, until so many bytes are free. */
  async deleteCopies(bytes: number): Promise<void> {
    const copies = await this.#read(
      `SELECT unit, sum(bytes) AS bytes FROM event WHERE state = 'delivered'
        GROUP BY unit ORDER BY min(since)`,
    )
    const deletions: SqlStatement[] = []
    let left = bytes
    for (const copy of copies) {
      if (left <= 0) break
      left -= Number(copy.bytes)
      const text = "DELETE FROM event WHERE unit = ? AND state = 'delivered'"
      deletions.push([text, String(copy.unit)], GONE)
    }
    await this.write(deletions)
  }

  /** The queues that have undelivered events or open batches. */
  async queues(): Promise<readonly string[]> {
    const rows = await this.#read(
      `SELECT queue FROM event WHERE ${UNDELIVERED} AND ${this.#readable}
        UNION SELECT queue FROM batch`,
    )
    return rows.map(({ queue }) => String(queue))
  }

  /** The first event of a queue, in order of arrival, that is due, or whose batch is. */
  async nextDue(
    queue: string,
    now: number,
    except: readonly string[],
  ): Promise<OutboxEvent | undefined> {
    const text = `SELECT ${COLUMNS} FROM event INDEXED BY event_undelivered WHERE queue = ?
      AND next <= ? AND ${this.#attemptable} AND unit NOT IN ${LISTED} ORDER BY seq LIMIT 1`
    const [row] = await this.#read(text, queue, now, JSON.stringify(except))
    return row && eventOf(row)
  }

  /** When the first event of a queue is due. */
  async nextTime(queue: string, except: readonly string[]): Promise<number | undefined> {
    const text = `SELECT min(next) AS next FROM event WHERE queue = ? AND ${this.#attemptable}
      AND unit NOT IN ${LISTED}`
    const [row] = await this.#read(text, queue, JSON.stringify(except))
    return typeof row?.next === 'number' ? row.next : undefined
  }

  /** The events of a unit, in order of arrival, in any state. */
  async unit(unit: string): Promise<readonly StoredEvent[]> {
    const text = `SELECT ${COLUMNS}, content FROM event WHERE unit = ? ORDER BY seq`
    return (await this.#read(text, unit)).map(storedEventOf)
  }

  /** The uncertain units of a queue, and when each was stored, or queued again. */
  async uncertain(queue: string): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#read(
      `SELECT unit, min(at) AS at FROM event WHERE queue = ? AND ${UNDELIVERED}
        AND state = 'uncertain' GROUP BY unit`,
      queue,
    )
    return new Map(rows.map(({ unit, at }) => [String(unit), Number(at)]))
  }

  /** Statements for an attempt that GitHub accepted: an event leaves, events of a batch are copied. */
  delivered(unit: string): readonly SqlStatement[] {
    const now = this.#ports.now()
    const isCopied = this.#ports.limits.copies > 0
    return [
      [
        `DELETE FROM event WHERE unit = ? AND ${UNDELIVERED} AND (unit = delivery OR ?)`,
        ...[unit, isCopied ? 0 : 1],
      ],
      GONE,
      [
        `UPDATE event SET state = 'delivered', since = ?, attempts = attempts + 1, reason = 'batch'
          WHERE unit = ? AND ${UNDELIVERED}`,
        ...[now, unit],
      ],
    ]
  }

  /** Statements for an attempt that GitHub did not accept. */
  failed(unit: string, next: Next, reason: string, attempts = 1): readonly SqlStatement[] {
    const now = this.#ports.now()
    const { state, doubts } = next
    const wait = next.state === 'dead' ? 0 : next.wait
    const why = next.state === 'dead' ? next.reason : reason
    const text = `UPDATE event SET state = ?, since = ?, attempts = attempts + ?, doubts = ?, next = ?,
      wait = ?, reason = ? WHERE unit = ? AND ${UNDELIVERED}`
    return [[text, state, now, attempts, doubts, now + wait, wait, why, unit]]
  }

  /** Statements that make several batches of one: the first part keeps the id. */
  divide(
    events: readonly OutboxEvent[],
    parts: number,
    newId: () => string,
  ): readonly SqlStatement[] {
    const now = this.#ports.now()
    const unit = events[0]?.unit ?? ''
    const size = Math.ceil(events.length / parts)
    const starts = events.filter((_, index) => index > 0 && index % size === 0)
    // From the last part on, because each statement changes all events that follow.
    const text = 'UPDATE event SET unit = ? WHERE unit = ? AND seq >= ?'
    return [
      ['UPDATE event SET next = ?, wait = 0 WHERE unit = ?', now, unit],
      ...starts.reverse().map(({ seq }): SqlStatement => [text, newId(), unit, seq]),
    ]
  }

  /**
   * Takes an undelivered event out of its batch: as a dead letter, or to wait by itself. An uncertain event
   * stays uncertain. An admin may have ended or deleted the event in the meantime.
   */
  async takeOut(
    { delivery }: Pick<OutboxEvent, 'delivery'>,
    { state, wait }: { state: 'dead' | 'waiting'; wait: number },
    reason: string,
  ): Promise<void> {
    const now = this.#ports.now()
    const text = `UPDATE event SET unit = delivery, since = ?1, next = ?2, wait = ?3, reason = ?4,
      state = CASE WHEN ?5 = 'dead' THEN ?5 ELSE state END WHERE delivery = ?6 AND ${UNDELIVERED}`
    await this.write([[text, now, now + wait, wait, reason, state, delivery]])
  }

  async openBatches(): Promise<readonly OpenBatch[]> {
    const rows = await this.#read('SELECT * FROM batch ORDER BY opened')
    // The columns are the fields.
    return rows as unknown as readonly OpenBatch[]
  }

  /** Ends a batch: its events are due now. */
  async closeBatch(id: string): Promise<void> {
    const now = this.#ports.now()
    await this.write([
      ['UPDATE event SET next = ?, wait = 0 WHERE unit = ?', now, id],
      ['DELETE FROM batch WHERE id = ?', id],
    ])
  }

  /** Makes dead letters of the units of failing queues whose first event reached the maximum age. */
  async endOld(
    age: number,
    failing: readonly string[],
    except: readonly string[],
  ): Promise<readonly OutboxEvent[]> {
    if (failing.length === 0) return []
    const now = this.#ports.now()
    const text = `UPDATE event SET state = 'dead', since = ?,
      reason = CASE WHEN state = 'uncertain' THEN 'maybe_accepted' ELSE 'too_old' END
      WHERE ${UNDELIVERED} AND ${this.#readable} AND queue IN ${LISTED}
      AND unit IN (SELECT unit FROM event WHERE ${UNDELIVERED} AND at < ?) AND unit NOT IN ${LISTED}
      RETURNING ${COLUMNS}`
    return this.#change([text, now, JSON.stringify(failing), now - age, JSON.stringify(except)])
  }

  /**
   * Makes dead letters of the undelivered events of a deleted endpoint, and renames all its events.
   *
   * @param credential `endpoint:<owner>/<name>`
   * @returns the dead letters
   */
  async endDeleted(credential: string): Promise<readonly OutboxEvent[]> {
    const text = `UPDATE event SET unit = delivery, state = 'dead', since = ?, reason = 'endpoint_deleted'
      WHERE ${UNDELIVERED} AND credential = ? RETURNING ${COLUMNS}`
    const emptied = 'DELETE FROM batch WHERE id NOT IN (SELECT unit FROM event)'
    const renamed = `${credential}${DELETED}`
    return this.#change(
      [text, this.#ports.now(), credential],
      [emptied],
      ['UPDATE event SET credential = ? WHERE credential = ?', renamed, credential],
      ['UPDATE followed SET credential = ? WHERE credential = ?', renamed, credential],
    )
  }

  /** Deletes dead letters after 30 days, and copies after their time. @returns the dead letters */
  deleteExpired(): Promise<readonly OutboxEvent[]> {
    const { now, limits } = this.#ports
    const dead = `DELETE FROM event WHERE state = 'dead' AND since < ? RETURNING ${COLUMNS}`
    const copies = "DELETE FROM event WHERE state = 'delivered' AND since < ?"
    return this.#change([dead, now() - DEAD_AGE], GONE, [copies, now() - limits.copies], GONE)
  }

  /** The events of a batch, or the one event, with an id. */
  async find(id: string): Promise<readonly StoredEvent[]> {
    const text = `SELECT ${COLUMNS}, content FROM event WHERE unit = ?1 OR delivery = ?1 ORDER BY seq`
    return (await this.#read(text, id)).map(storedEventOf)
  }

  /**
   * Queues a dead letter again, or a delivered batch, or one event of these.
   *
   * @returns the changed events
   */
  replay(id: string, filter: DeliveryFilter): Promise<readonly OutboxEvent[]> {
    const [where, values] = filterCondition(filter)
    const text = `UPDATE event SET unit = CASE unit WHEN ?2 THEN unit ELSE delivery END, ${AGAIN}
      WHERE seq IN (SELECT e.seq FROM event e
        WHERE (e.unit = ?2 OR e.delivery = ?2) AND e.state IN ('dead', 'delivered') ${where})
      RETURNING ${COLUMNS}`
    return this.#change([text, this.#ports.now(), id, ...values])
  }

  /**
   * Queues dead letters or delivered copies again, with the rest of their batches: an attempt is for all
   * events of a unit.
   *
   * @param limit of the events that one transaction selects
   * @returns the changed events
   */
  replayAll(filter: DeliveryFilter, limit: number): Promise<readonly OutboxEvent[]> {
    const [where, values] = filterCondition(filter)
    const text = `UPDATE event SET ${AGAIN} WHERE state IN ('dead', 'delivered') AND unit IN
      (SELECT e.unit FROM event e WHERE true ${where} LIMIT ?) RETURNING ${COLUMNS}`
    return this.#change([text, this.#ports.now(), ...values, limit])
  }

  /** Deletes an event or a batch, whatever its state. @returns the deleted events */
  delete(id: string, filter: DeliveryFilter): Promise<readonly OutboxEvent[]> {
    const [where, values] = filterCondition(filter)
    const text = `DELETE FROM event WHERE seq IN (SELECT e.seq FROM event e
      WHERE (e.unit = ?1 OR e.delivery = ?1) ${where}) RETURNING ${COLUMNS}`
    const emptied = 'DELETE FROM batch WHERE id = ? AND id NOT IN (SELECT unit FROM event)'
    return this.#change([text, id, ...values], GONE, [emptied, id])
  }

  /** Deletes events, at most so many in one transaction. @returns the deleted events */
  deleteAll(filter: DeliveryFilter, limit: number): Promise<readonly OutboxEvent[]> {
    const [where, values] = filterCondition(filter)
    const text = `DELETE FROM event WHERE seq IN
      (SELECT e.seq FROM event e WHERE true ${where} LIMIT ?) RETURNING ${COLUMNS}`
    return this.#change([text, ...values, limit], GONE)
  }

  async figures(): Promise<OutboxFigures> {
    const rows = await this.#read(
      `SELECT state AS name, count(*) AS value, sum(bytes) AS bytes FROM event GROUP BY state
        UNION ALL SELECT 'oldest', min(at), 0 FROM event WHERE ${UNDELIVERED}
        UNION ALL SELECT 'unreadable', count(*), 0 FROM event WHERE ${UNDELIVERED} AND NOT ${this.#readable}
        UNION ALL SELECT name, value, 0 FROM meta`,
    )
    const values = new Map(rows.map(({ name, value }) => [name, Number(value ?? 0)]))
    const count = (name: string) => values.get(name) ?? 0
    const [waiting, uncertain] = [count('waiting'), count('uncertain')]
    const [delivered, dead] = [count('delivered'), count('dead')]
    const age = waiting + uncertain > 0 ? this.#ports.now() - count('oldest') : 0
    return {
      events: { waiting, uncertain, delivered, dead },
      bytes: rows.reduce((sum, { bytes }) => sum + Number(bytes), 0),
      oldest: Math.max(0, Math.floor(age / 1000)),
      unreadable: count('unreadable'),
      imbalance: count('accepted') - count('gone') - waiting - uncertain - delivered - dead,
    }
  }

  async usage(): Promise<Usage> {
    return usageOf(await this.#read(USAGE))
  }

  /** Name of the queue of some event; a Durable Object has only one. */
  async queueName(): Promise<{ queue: string; holder: string } | undefined> {
    const [row] = await this.#read('SELECT queue, holder FROM event LIMIT 1')
    return row && { queue: String(row.queue), holder: String(row.holder) }
  }

  /** @returns the events that the statements return */
  async #change(...statements: readonly SqlStatement[]): Promise<readonly OutboxEvent[]> {
    return (await this.write(statements)).map(eventOf)
  }

  #read(...statement: SqlStatement): Promise<readonly SqlRow[]> {
    return this.#ports.database.read(...statement)
  }

  /** Runs statements in one transaction. @returns the rows of all of them */
  write(statements: readonly SqlStatement[]): Promise<readonly SqlRow[]> {
    return this.#ports.database.write(statements)
  }
}

/** @param rows the last one is that of `USAGE` */
function usageOf(rows: readonly SqlRow[]): Usage {
  // The columns are the fields. A Durable Object without events has no tables, and no row.
  return (rows.at(-1) ?? { events: 0, bytes: 0, copies: 0 }) as unknown as Usage
}

function marks(values: readonly unknown[]): string {
  return values.map(() => '?').join(', ')
}

/** SQL of a filter over `event e`. */
function filterCondition(filter: DeliveryFilter): [string, SqlValue[]] {
  const conditions = deliveryConditions(filter, "substr(e.queue, 1, instr(e.queue, '#') - 1)")
  const where = conditions.map(([text]) => `AND ${text}`).join(' ')
  return [where, conditions.flatMap(([, ...values]) => values)]
}

/** The columns are the fields, and only the ledger writes them. */
function eventOf(row: SqlRow): OutboxEvent {
  return row as unknown as OutboxEvent
}

function storedEventOf(row: SqlRow): StoredEvent {
  return row as unknown as StoredEvent
}
