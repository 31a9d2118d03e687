// The room `store/` is what a relay has on disk, as SQL that runs alike on Node and in a Durable Object. This file
// has the deliveries. A queue is a repository and a credential, and the delivery loop sees a batch of events as
// one row: its first member, which alone has `next`.

import { LIMITS } from '../../wire/limits.ts'
import { BoundedCache } from '../bounded-cache.ts'
import type { Runtime } from '../runtime.ts'
import type { Database, SqlRow, SqlStatement } from './database.ts'
import {
  type Accepted,
  type Bound,
  type Collecting,
  type Delivery,
  type DeliveryFilter,
  type DeliveryQuery,
  type DeliveryState,
  type DeliveryTotals,
  type FailedState,
  type FollowedDelivery,
  isOpen,
  type NewDelivery,
  type RunOutcome,
  type RunStep,
  STATES,
  type StoredDelivery,
} from './delivery-rows.ts'
import {
  bothNames,
  COLUMNS,
  COUNT_ACCEPTED,
  type Condition,
  conditionsOf,
  DELETED,
  deliveryOf,
  EXCEPT,
  IS_MEMBER,
  insertion,
  LISTED,
  prefixed,
  UNDELIVERED,
  whereOf,
  YIELDS,
} from './delivery-sql.ts'
import { isOwnQueue, ownerOf, repositoryOf } from './queue-name.ts'
import {
  type CountedRows,
  ROW_BYTES,
  Room,
  type RoomLimits,
  type RoomRequest,
  YIELDING,
} from './room.ts'
import { COLLECTED } from './schema.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE

/** Milliseconds for which a dead letter stays. */
const DEAD_AGE = 30 * DAY

/** Milliseconds for which a delivery stays whose payload is not stored. */
const SHOWN_TIME = 7 * DAY

/** Filtered or refused requests of an endpoint that stay. */
const RING = 50

/** Refused requests of an endpoint that are recorded in a minute. */
const REFUSED_A_MINUTE = 10

/** Milliseconds from the acceptance of an event to the first lookup of its run. */
export const FIRST_LOOKUP = 10 * SECOND

/** Milliseconds for which an acceptance of a credential counts. */
const ACCEPTED_AGE = 30 * DAY

/** Rows that one transaction changes: live events wait for each. */
export const CHUNK = 250

/** Rows that one query reads. */
const SCANNED = 20_000

export interface DeliveryLimits extends RoomLimits {
  /** Milliseconds for which the payload of an accepted, filtered or refused request is stored; may be 0. */
  readonly retention: number
}

interface DeliveryTableParts extends Pick<Runtime, 'now'> {
  readonly database: Database
  readonly limits: DeliveryLimits
  /** Ids of the relay keys. Events of other keys stay, and are never attempted. */
  readonly keyIds: readonly string[]
}

/** A part of the table, in order of arrival: rows after `after`, up to `last`. */
interface SeqRange {
  readonly after: number
  readonly last: number
}

/** Keeps the newest rows of an endpoint and state. */
const TRIM = `WHERE owner = ?1 AND endpoint = ?2 AND state = ?3 AND seq <= (SELECT seq FROM delivery
  WHERE owner = ?1 AND endpoint = ?2 AND state = ?3 ORDER BY seq DESC LIMIT 1 OFFSET ${RING})`

/**
 * The deliveries of one database: of all owners on Node, of one owner in a Durable Object. Each question is a
 * query, and each change one transaction; memory has only sums of the used room and of refused requests. All
 * methods reject with StorageError.
 */
export class DeliveryTable {
  readonly #parts: DeliveryTableParts
  readonly room: Room
  readonly #readable: string
  /** Refused requests of an endpoint, in the minute that began at `at`. */
  readonly #refused = new BoundedCache<string, { readonly at: number; count: number }>(10_000)

  constructor(parts: DeliveryTableParts) {
    this.#parts = parts
    this.room = new Room({ ...parts, free: (bytes) => this.#deleteYielding(bytes) })
    // Ids are base64url.
    this.#readable = `key IN (${parts.keyIds.map((id) => `'${id.replaceAll("'", "''")}'`).join(', ')})`
  }

  /** To be called at the start: corrects times that a clock wrote which was ahead. */
  async open(): Promise<void> {
    const now = this.#parts.now()
    await this.write([
      [
        'UPDATE delivery SET next = ?1 + wait WHERE next IS NOT NULL AND next > ?1 AND next > ?1 + wait',
        now,
      ],
      [`UPDATE delivery SET at = ?1 WHERE next IS NOT NULL AND ${UNDELIVERED} AND at > ?1`, now],
      ['UPDATE endpoint SET lastEvent = ?1 WHERE lastEvent > ?1', now],
    ])
  }

  /**
   * Stores events that are answered with 202; they are on disk when the promise resolves. All are of one
   * endpoint, or of one token.
   *
   * @param most that the endpoint may have waiting
   * @param replaces a filtered request that the first of the rows replaces, under its id
   * @returns false if there is no room, or no such filtered request any more; then none is stored
   */
  async put(
    rows: readonly NewDelivery[],
    {
      most,
      replaces,
    }: { readonly most?: Bound | undefined; readonly replaces?: string | undefined } = {},
  ): Promise<boolean> {
    return this.room.within(roomRequest(rows), most, async () => {
      const [first = [], ...others] = rows.map((row) => [
        this.#insertion(row, true, row.id === replaces ? undefined : replaces),
        COUNT_ACCEPTED,
      ])
      // Others are stored only while the filtered request is there, so its own row comes last.
      const replaced = await this.write(
        replaces === undefined
          ? [...first, ...others.flat(), ...this.#heard(rows)]
          : [
              ...others.flat(),
              ...this.#heard(rows),
              ...this.#deletion([replaces], ['filtered']),
              ...first,
            ],
      )
      return replaces === undefined || replaced.length > 0
    })
  }

  /**
   * Records deliveries after the response: delivered, filtered, refused or dead. An endpoint has its last 50
   * filtered and its last 50 refused requests, and at most 10 refused ones a minute are recorded.
   */
  async record(rows: readonly NewDelivery[]): Promise<void> {
    const recorded = rows.filter((row) => this.#isRecorded(row))
    if (recorded.length === 0) return
    const rings = new Map(
      recorded
        .filter(({ state }) => state === 'filtered' || state === 'refused')
        .map((row) => [`${row.state} ${ownerOf(row.queue)}/${row.endpoint}`, row]),
    )
    await this.write([
      ...recorded.map((row) => this.#insertion(row, false)),
      ...[...rings.values()].flatMap((row): SqlStatement[] => {
        const values = [ownerOf(row.queue), row.endpoint, row.state] as const
        return [[`DELETE FROM delivery ${TRIM}`, ...values]]
      }),
      ...this.#heard(recorded),
    ])
    for (const row of recorded) {
      const request = roomRequest([row])
      if (!YIELDING.includes(row.state)) this.room.add(request)
      else this.room.addYielding(this.#parts.limits.retention > 0 ? request.bytes : ROW_BYTES)
    }
    await this.room.make()
  }

  async noteAccepted(queue: string): Promise<void> {
    await this.write([acceptance(queue, this.#parts.now())])
  }

  /** True if GitHub accepted the credential of a queue within 30 days. */
  async wasAccepted(queue: string): Promise<boolean> {
    const text = 'SELECT name FROM accepted WHERE name = ? AND at >= ?'
    return (await this.#read(text, queue, this.#parts.now() - ACCEPTED_AGE)).length > 0
  }

  /** The queues that have waiting or uncertain events, also collected ones. */
  async queues(): Promise<readonly string[]> {
    const rows = await this.#read(
      `SELECT DISTINCT queue FROM delivery WHERE next IS NOT NULL AND ${UNDELIVERED}
        AND ${this.#readable}`,
    )
    return rows.map(({ queue }) => String(queue))
  }

  /**
   * The first event or batch of a queue, in order of arrival, that is due.
   *
   * @param except ids of events and batches
   */
  async nextDue(
    queue: string,
    now: number,
    except: readonly string[],
  ): Promise<Delivery | undefined> {
    const first = (state: string) => `SELECT * FROM (SELECT seq FROM delivery
      WHERE next IS NOT NULL AND state = '${state}' AND ${COLLECTED} IS NULL AND queue = ?1
      AND next <= ?2 AND ${this.#readable} AND ${EXCEPT} ORDER BY seq LIMIT 1)`
    const text = `SELECT ${COLUMNS} FROM delivery WHERE seq = (SELECT min(seq) FROM
      (${first('waiting')} UNION ALL ${first('uncertain')}))`
    const [row] = await this.#read(text, queue, now, JSON.stringify(except))
    return row && deliveryOf(row)
  }

  /** When the first event or batch of a queue is due, apart from collected events. */
  async nextTime(queue: string, except: readonly string[]): Promise<number | undefined> {
    const text = `SELECT min(next) AS next FROM delivery WHERE next IS NOT NULL AND ${UNDELIVERED}
      AND ${COLLECTED} IS NULL AND queue = ?1 AND next <= ?2 AND ${this.#readable} AND ${EXCEPT}`
    const [row] = await this.#read(text, queue, Number.MAX_SAFE_INTEGER, JSON.stringify(except))
    return typeof row?.next === 'number' ? row.next : undefined
  }

  /** The members of a batch in order, or the one delivery with this id. */
  async members(id: string): Promise<readonly StoredDelivery[]> {
    const own = await this.find(id)
    if (own?.batch === null && isOpen(own.state)) return [own]
    // The first member of an undelivered batch may have been deleted.
    const first = `coalesce((SELECT seq FROM delivery WHERE id = ?1 AND batch = ?1),
      (SELECT seq FROM delivery WHERE next IS NOT NULL AND ${UNDELIVERED} AND batch = ?1))`
    const text = `SELECT ${prefixed('m')}, m.content FROM delivery f CROSS JOIN delivery m
      WHERE f.seq = ${first} AND ${IS_MEMBER} ORDER BY m.seq`
    const members = await this.#read(text, own?.batch ?? id)
    if (members.length > 0) return members.map(deliveryOf<StoredDelivery>)
    return own ? [own] : []
  }

  /** The uncertain events and batches of a queue by id, and when each was stored, or queued again. */
  async uncertain(queue: string): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#read(
      `SELECT coalesce(batch, id) AS id, at FROM delivery WHERE next IS NOT NULL
        AND state = 'uncertain' AND ${COLLECTED} IS NULL AND queue = ?`,
      queue,
    )
    return new Map(rows.map(({ id, at }) => [String(id), Number(at)]))
  }

  /**
   * Statements for an attempt that GitHub accepted. Events of token URLs leave, because only endpoints have a
   * list of deliveries. The endpoint may have been deleted during the attempt.
   *
   * @param queue whose credential GitHub accepted
   * @param ids of the event, or of all members of the batch
   */
  delivered(queue: string, ids: readonly string[], facts: Accepted): readonly SqlStatement[] {
    const { limits, now } = this.#parts
    const list = JSON.stringify(ids)
    const { accepted, githubMs, run, follows } = facts
    const outcome = follows ? outcomeOf(run) : null
    const content = limits.retention > 0 ? '' : ', key = NULL, bytes = 0, content = NULL'
    const leaving = `id IN ${LISTED} AND endpoint IS NULL AND ${UNDELIVERED}`
    return [
      acceptance(queue, now()),
      ...deletion(leaving, list),
      [
        `UPDATE delivery SET state = 'delivered', since = ?1, attempts = attempts + 1, wait = ?2,
          next = CASE WHEN next IS NULL OR ?3 IS NULL THEN NULL ELSE ?1 + ?2 END, accepted = ?4,
          githubMs = ?5, run = ?6, outcome = ?3, reason = '', outcomeReason = NULL, conclusion = NULL,
          details = NULL, failures = 0${content} WHERE id IN (SELECT value FROM json_each(?7)) AND (${UNDELIVERED}
            OR (state = 'dead' AND reason = 'endpoint_deleted'))`,
        ...[now(), FIRST_LOOKUP, outcome, accepted ?? now(), githubMs, run, list],
      ],
    ]
  }

  /**
   * Statements for an attempt that GitHub did not accept.
   *
   * @param ids of the event, or of all members of the batch
   * @param attempts calls of GitHub
   */
  failed(
    ids: readonly string[],
    next: FailedState,
    reason: string,
    attempts = 1,
  ): readonly SqlStatement[] {
    const now = this.#parts.now()
    const text = `UPDATE delivery SET state = ?, since = ?, attempts = attempts + ?, doubts = ?,
      next = CASE WHEN next IS NOT NULL THEN ? END, wait = ?, reason = ?,
      explanation = coalesce(?, explanation) WHERE id IN ${LISTED} AND ${UNDELIVERED}`
    const end =
      next.state === 'dead'
        ? [null, 0, next.reason, next.explanation ?? null]
        : [now + next.wait, next.wait, reason, null]
    return [[text, next.state, now, attempts, next.doubts, ...end, JSON.stringify(ids)]]
  }

  /** The events of a queue that are collected and not yet in a batch, by grouping. */
  async collecting(queue: string): Promise<readonly Collecting[]> {
    // No grouping is empty; for `IS NOT NULL`, SQLite would read all events of the queue.
    const rows = await this.#read(
      `SELECT ${COLLECTED} AS grouping, min(at) AS first, max(at) AS last, count(*) AS count,
          sum(length) AS length, min(period) AS period, min(quiet) AS quiet
        FROM delivery WHERE next IS NOT NULL AND state = 'waiting' AND ${COLLECTED} > ''
        AND queue = ? AND ${this.#readable} GROUP BY ${COLLECTED}`,
      queue,
    )
    // The columns are the fields.
    return rows as unknown as readonly Collecting[]
  }

  /**
   * Records a batch, which is due: the first collected events of a queue and grouping, of one endpoint, as far
   * as they fit. Its id is that of its first member.
   *
   * @returns the id; `undefined` if no event is collected
   */
  async group(queue: string, grouping: string): Promise<string | undefined> {
    const collected = `next IS NOT NULL AND state = 'waiting' AND ${COLLECTED} = ?2 AND queue = ?1
      AND ${this.#readable}`
    const text = `WITH fitting AS MATERIALIZED (SELECT seq, id FROM (
        SELECT seq, id, sum(length) OVER (ORDER BY seq) AS total, row_number() OVER (ORDER BY seq) AS number
        FROM (SELECT seq, id, length FROM delivery WHERE ${collected} AND endpoint IS
          (SELECT endpoint FROM delivery WHERE ${collected} ORDER BY seq LIMIT 1)
          ORDER BY seq LIMIT ${LIMITS.batchEvents}))
        WHERE number = 1 OR total <= ${LIMITS.batchUnpackedLength})
      UPDATE delivery SET batch = (SELECT id FROM fitting ORDER BY seq LIMIT 1), wait = 0,
        next = CASE WHEN seq = (SELECT min(seq) FROM fitting) THEN ?3 END
      WHERE seq IN (SELECT seq FROM fitting) RETURNING batch`
    const [row] = await this.write([[text, queue, grouping, this.#parts.now()]])
    return row && String(row.batch)
  }

  /** Statements that make several batches of one, which are due: each has the id of its first member. */
  divide(members: readonly Delivery[], parts: number): readonly SqlStatement[] {
    const now = this.#parts.now()
    const size = Math.ceil(members.length / parts)
    const text = `UPDATE delivery SET batch = ?1, wait = 0, next = CASE WHEN seq = (SELECT min(seq)
        FROM delivery WHERE id IN (SELECT value FROM json_each(?2)) AND ${UNDELIVERED}) THEN ?3 END
      WHERE id IN (SELECT value FROM json_each(?2)) AND ${UNDELIVERED}`
    const starts = Array.from({ length: Math.ceil(members.length / size) }, (_, n) => n * size)
    return starts.map((start) => {
      const ids = members.slice(start, start + size).map(({ id }) => id)
      return [text, ids[0] ?? null, JSON.stringify(ids), now]
    })
  }

  /** Makes a dead letter of an undelivered event. If it is a member of a batch, the others stay one. */
  async takeOut(id: string, reason: string): Promise<void> {
    await this.write([
      ...this.#heirs([id]),
      [
        `UPDATE delivery SET state = 'dead', reason = ?, since = ?, batch = NULL, grouping = NULL,
          next = NULL, wait = 0 WHERE id = ? AND ${UNDELIVERED}`,
        ...[reason, this.#parts.now(), id],
      ],
    ])
  }

  /**
   * Makes dead letters of the events of failing queues that are older than `age`, in chunks.
   *
   * @param except ids of events and batches
   */
  async endOld(
    age: number,
    failingQueues: readonly string[],
    except: readonly string[],
  ): Promise<readonly Delivery[]> {
    const now = this.#parts.now()
    const old = `SELECT seq, owner, endpoint, state, batch FROM delivery WHERE next IS NOT NULL
      AND ${UNDELIVERED} AND queue IN (SELECT value FROM json_each(?1)) AND at < ?2
      AND ${this.#readable} AND ${EXCEPT} LIMIT ${CHUNK}`
    const text = `WITH old AS MATERIALIZED (${old})
      UPDATE delivery SET state = 'dead', since = ?4, next = NULL, wait = 0,
        reason = CASE WHEN state = 'uncertain' THEN 'maybe_accepted' ELSE 'too_old' END
      WHERE seq IN (SELECT seq FROM old UNION ALL SELECT m.seq FROM old f CROSS JOIN delivery m
        WHERE f.batch IS NOT NULL AND ${IS_MEMBER}) RETURNING ${COLUMNS}`
    if (failingQueues.length === 0) return []
    const values = [JSON.stringify(failingQueues), now - age, JSON.stringify(except), now]
    return this.#inChunks([text, ...values])
  }

  /**
   * Makes dead letters of the undelivered events of a deleted endpoint, and renames it in all its deliveries, so
   * that they are not those of a later endpoint of the same name.
   *
   * @returns the dead letters
   */
  async endDeleted(owner: string, endpoint: string): Promise<readonly Delivery[]> {
    const name = endpoint + DELETED
    const chunk = (state: string) => `WHERE seq IN (SELECT seq FROM delivery WHERE owner = ?2
      AND endpoint = ?3 AND state = '${state}' ORDER BY seq DESC LIMIT ${CHUNK}) RETURNING ${COLUMNS}`
    // The newest first, so that a batch never lacks its first member.
    const ended: Delivery[] = []
    for (const state of ['waiting', 'uncertain']) {
      const text = `UPDATE delivery SET state = 'dead', reason = 'endpoint_deleted', batch = NULL,
        endpoint = ?1, since = ?4, next = NULL, wait = 0 ${chunk(state)}`
      ended.push(...(await this.#inChunks([text, name, owner, endpoint, this.#parts.now()])))
    }
    for (const state of ['dead', 'delivered', 'filtered', 'refused']) {
      await this.#inChunks([
        `UPDATE delivery SET endpoint = ?1 ${chunk(state)}`,
        ...[name, owner, endpoint],
      ])
    }
    return ended
  }

  /**
   * Deletes what is older than its time: dead letters after 30 days.
   *
   * @returns the deleted dead letters
   */
  async deleteExpired(): Promise<readonly Delivery[]> {
    const { limits, now } = this.#parts
    const [dead, others] = [now() - DEAD_AGE, now() - (limits.retention || SHOWN_TIME)]
    await this.write([['DELETE FROM accepted WHERE at < ?', now() - ACCEPTED_AGE]])
    const deleted: Delivery[] = []
    const page = `SELECT seq, id, state, since, at, received FROM delivery WHERE seq > ?
      ORDER BY seq LIMIT ${CHUNK}`
    for (let after = 0; ; ) {
      const rows = await this.#read(page, after)
      const isExpired = ({ state, since }: SqlRow) =>
        (state === 'dead' && Number(since) < dead) ||
        (YIELDING.some((yielding) => yielding === state) && Number(since) < others)
      const expired = rows.filter(isExpired).map(({ id }) => String(id))
      if (expired.length > 0) deleted.push(...(await this.#delete(expired, ENDED)))
      after = Number(rows.at(-1)?.seq ?? 0)
      // Rows are in order of arrival, so all that follow are younger.
      const isYoung = rows.every(
        ({ at, received }) => Math.min(Number(at), Number(received)) >= others,
      )
      if (rows.length < CHUNK || isYoung) return deleted.filter(({ state }) => state === 'dead')
    }
  }

  /** The accepted events whose run has to be looked up, the longest due first. */
  async dueRuns(now: number): Promise<readonly FollowedDelivery[]> {
    const text = `SELECT ${COLUMNS} FROM delivery WHERE next IS NOT NULL AND state = 'delivered'
      AND next <= ? ORDER BY next, seq LIMIT 10000`
    // A delivered row with `next` has the fields of its acceptance.
    return (await this.#read(text, now)).map((row) => deliveryOf(row) as FollowedDelivery)
  }

  async nextRun(): Promise<number | undefined> {
    const text = `SELECT min(next) AS next FROM delivery WHERE next IS NOT NULL AND state = 'delivered'`
    const [row] = await this.#read(text)
    return typeof row?.next === 'number' ? row.next : undefined
  }

  /** A statement that records the result of a lookup: for a batch, in all of its members. */
  progress(delivery: FollowedDelivery, step: RunStep): SqlStatement {
    const { seq, owner, endpoint, batch, accepted } = delivery
    const { outcome, outcomeReason, conclusion, details, run, failures, next } = step
    const wait = next === null ? 0 : Math.max(0, next - this.#parts.now())
    const rows =
      batch === null
        ? 'seq = ?9'
        : `owner = ?11 AND endpoint IS ?12 AND state = 'delivered' AND seq >= ?9 AND batch = ?13`
    const members = batch === null ? [] : [owner, endpoint, batch]
    return [
      `UPDATE delivery SET outcome = ?1, outcomeReason = ?2, conclusion = ?3, details = ?4, run = ?5,
        failures = ?6, next = CASE WHEN seq = ?9 THEN ?7 END, wait = ?8
        WHERE ${rows} AND state = 'delivered' AND accepted = ?10`,
      ...[outcome, outcomeReason, conclusion, details, run, failures, next, wait, seq, accepted],
      ...members,
    ]
  }

  /** The outcomes of the last events of an endpoint that are decided, newest first; a batch counts once. */
  async lastOutcomes(
    { owner, endpoint, repository }: Pick<Delivery, 'owner' | 'endpoint' | 'repository'>,
    count: number,
  ): Promise<readonly RunOutcome[]> {
    const text = `SELECT outcome FROM delivery WHERE owner = ? AND endpoint IS ? AND state = 'delivered'
      AND (batch IS NULL OR batch = id) AND repository = ?
      AND outcome NOT IN ('pending', 'unknown') ORDER BY seq DESC LIMIT ?`
    const rows = await this.#read(text, owner, endpoint, repository, count)
    return rows.map(({ outcome }) => outcome as RunOutcome)
  }

  /** The selected deliveries, newest first. */
  async list({ after, limit, ...filter }: DeliveryQuery): Promise<readonly Delivery[]> {
    const range = { after: 0, last: after === undefined ? await this.lastSeq() : after - 1 }
    const seqs = await this.#select(filter, range, limit, true)
    const text = `SELECT ${COLUMNS} FROM delivery WHERE seq IN ${LISTED} ORDER BY seq DESC`
    return (await this.#read(text, JSON.stringify(seqs))).map(deliveryOf)
  }

  /**
   * The first `limit` rows of a range that the filter selects. An index answers what it knows; everything else
   * is read in steps, because live events wait for each query.
   */
  async #select(
    filter: DeliveryFilter,
    { after, last }: SeqRange,
    limit: number,
    isNewestFirst = false,
  ): Promise<readonly number[]> {
    const { id, owner, endpoint, state, endpoints, repository, outcome, reason } = filter
    // Anyone may ask with an invented token, whose caller has no endpoints.
    const isOwn = (name: string) => owner === undefined || name.startsWith(`${owner}/`)
    if (endpoints?.some(isOwn) === false) return []
    const { request, since, until } = filter
    const rowFilters = [id, request, endpoints, repository, outcome, reason, since, until]
    const isInIndex = rowFilters.every((value) => value === undefined)
    const order = isNewestFirst ? 'DESC' : 'ASC'
    const read = async (source: string, conditions: readonly Condition[], range: SeqRange) => {
      const bounds: readonly Condition[] = [
        ['seq > ?', range.after],
        ['seq <= ?', range.last],
      ]
      const [where, values] = whereOf([...bounds, ...conditions])
      const text = `SELECT seq FROM delivery ${source} ${where} ORDER BY seq ${order} LIMIT ?`
      return (await this.#read(text, ...values, limit)).map(({ seq }) => Number(seq))
    }
    if (isInIndex && owner !== undefined && endpoint !== undefined) {
      const states = state === undefined ? STATES : [state]
      const parts = states.flatMap((one) => bothNames(endpoint).map((name) => [one, name] as const))
      const all = parts.map(([one, name]) => {
        const exact: Condition = ['owner = ? AND endpoint = ? AND state = ?', owner, name, one]
        return read('', [exact], { after, last })
      })
      const seqs = (await Promise.all(all)).flat()
      return seqs.sort((a, b) => (isNewestFirst ? b - a : a - b)).slice(0, limit)
    }
    const conditions = conditionsOf(filter)
    const hasIndex = id !== undefined || (isInIndex && (endpoint ?? state) !== undefined)
    if (hasIndex) return read('', conditions, { after, last })
    const found: number[] = []
    let [from, to] = [after, last]
    while (found.length < limit && from < to) {
      const step = isNewestFirst
        ? { after: Math.max(from, to - SCANNED), last: to }
        : { after: from, last: Math.min(to, from + SCANNED) }
      found.push(...(await read('NOT INDEXED', conditions, step)))
      if (isNewestFirst) to = step.after
      else from = step.last
    }
    return found.slice(0, limit)
  }

  async find(id: string): Promise<StoredDelivery | undefined> {
    const [row] = await this.#read(`SELECT ${COLUMNS}, content FROM delivery WHERE id = ?`, id)
    return row && deliveryOf<StoredDelivery>(row)
  }

  /**
   * Queues events of one state again that GitHub never accepted: dead letters anew, waiting and uncertain events
   * before their time. An event of a batch that ended is collected again, for a batch that is due; so is the
   * batch that collects it.
   *
   * @returns the events; the first one of a batch stands for all of it
   */
  async replayed(ids: readonly string[], state: DeliveryState): Promise<readonly Delivery[]> {
    const now = this.#parts.now()
    // A batch keeps its id if its first member becomes a dead letter, and no two may be sent under one id.
    const listed = `id IN (SELECT value FROM json_each(?2)) AND NOT EXISTS (SELECT 1 FROM delivery b
      WHERE b.next IS NOT NULL AND b.${UNDELIVERED} AND b.batch = delivery.id AND delivery.batch IS NULL)`
    const collected = 'period = CASE WHEN grouping IS NOT NULL THEN 0 END, quiet = NULL'
    const again = `UPDATE delivery SET state = 'waiting', at = ?1, since = ?1, attempts = 0, doubts = 0,
      next = ?1, wait = 0, reason = 'replayed', explanation = NULL, batch = NULL, ${collected}
      WHERE ${listed} AND state = ?3 AND content IS NOT NULL RETURNING ${COLUMNS}`
    const sooner = `UPDATE delivery SET next = min(next, ?1), wait = 0, ${collected} WHERE ${listed}
      AND state = ?3 AND next IS NOT NULL RETURNING ${COLUMNS}`
    const text = isOpen(state) ? sooner : again
    return (await this.write([[text, now, JSON.stringify(ids), state]])).map(deliveryOf)
  }

  /** The last `seq`, so that a replay of many does not replay its own deliveries. */
  async lastSeq(): Promise<number> {
    const [row] = await this.#read('SELECT max(seq) AS seq FROM delivery')
    return Number(row?.seq ?? 0)
  }

  /** Deliveries that the filter selects and whose payload is stored, in order of arrival; no refused requests. */
  async replayable(
    filter: DeliveryFilter,
    limit: number,
    { after, last }: SeqRange,
  ): Promise<readonly StoredDelivery[]> {
    const found: StoredDelivery[] = []
    const text = `SELECT ${COLUMNS}, content FROM delivery WHERE seq IN ${LISTED} ORDER BY seq`
    for (let from = after; ; ) {
      const seqs = await this.#select(filter, { after: from, last }, limit)
      const rows = (await this.#read(text, JSON.stringify(seqs))).map(deliveryOf<StoredDelivery>)
      found.push(...rows.filter(({ state, content }) => state !== 'refused' && content !== null))
      from = seqs.at(-1) ?? last
      if (found.length >= limit || seqs.length < limit) return found.slice(0, limit)
    }
  }

  /** Deletes deliveries that the filter selects. @returns how many */
  async delete(filter: DeliveryFilter, limit: number): Promise<number> {
    const seqs = await this.#select(filter, { after: 0, last: await this.lastSeq() }, limit)
    const text = `SELECT id FROM delivery WHERE seq IN ${LISTED}`
    const ids = (await this.#read(text, JSON.stringify(seqs))).map(({ id }) => String(id))
    const { state } = filter
    return (await this.#delete(ids, state === undefined ? [] : [state])).length
  }

  /** It reads an index of all rows. */
  async figures(): Promise<DeliveryTotals> {
    const counted = await this.room.countedRows()
    const meta = await this.#read('SELECT name, value FROM meta')
    // A batch counts once.
    const [open] = await this.#read(
      `SELECT min(at) AS oldest, count(*) AS count, coalesce(sum(${this.#readable}), 0) AS readable
        FROM delivery WHERE next IS NOT NULL AND ${UNDELIVERED}`,
    )
    const count = (name: string) => Number(meta.find((row) => row.name === name)?.value ?? 0)
    const total = (rows: readonly CountedRows[], field: 'count' | 'bytes' | 'queued') =>
      rows.reduce((sum, row) => sum + row[field], 0)
    const age = typeof open?.oldest === 'number' ? this.#parts.now() - open.oldest : 0
    const states = STATES.map((state) => {
      const rows = counted.filter((row) => row.state === state)
      return [state, total(rows, 'count')] as const
    })
    return {
      // Each state is a key.
      states: Object.fromEntries(states) as DeliveryTotals['states'],
      bytes: total(counted, 'bytes'),
      oldest: Math.max(0, Math.floor(age / SECOND)),
      unreadable: Number(open?.count ?? 0) - Number(open?.readable ?? 0),
      imbalance: count('accepted') - count('gone') - total(counted, 'queued'),
    }
  }

  /** Runs statements in one transaction. @returns the rows of all of them */
  async write(statements: readonly SqlStatement[]): Promise<readonly SqlRow[]> {
    return statements.length === 0 ? [] : this.#parts.database.write(statements)
  }

  /** Deletes what yields, oldest first: about so many bytes. */
  async #deleteYielding(bytes: number): Promise<void> {
    const text = `SELECT id FROM (SELECT id, sum(bytes + ${ROW_BYTES}) OVER (ORDER BY seq)
      - bytes - ${ROW_BYTES} AS before FROM delivery WHERE ${YIELDS}) WHERE before < ?`
    const ids = (await this.#read(text, bytes)).map(({ id }) => String(id))
    await this.#delete(ids, YIELDING)
  }

  /** Runs a statement again and again, until it returns less rows than a chunk has. */
  async #inChunks(statement: SqlStatement): Promise<readonly Delivery[]> {
    const all: Delivery[] = []
    for (;;) {
      const rows = await this.write([statement])
      all.push(...rows.map(deliveryOf))
      if (rows.length < CHUNK) return all
    }
  }

  /**
   * Deletes rows, in chunks.
   *
   * @param states that a row may have by now; empty for all
   * @returns the deleted rows
   */
  async #delete(
    ids: readonly string[],
    states: readonly DeliveryState[] = [],
  ): Promise<readonly Delivery[]> {
    const deleted: Delivery[] = []
    for (let start = 0; start < ids.length; start += CHUNK) {
      const statements = this.#deletion(ids.slice(start, start + CHUNK), states)
      deleted.push(...(await this.write(statements)).map(deliveryOf))
    }
    const yielded = deleted.filter(({ state }) => YIELDING.includes(state))
    this.room.addYielding(-yielded.reduce((sum, { bytes }) => sum + bytes + ROW_BYTES, 0))
    return deleted
  }

  #deletion(ids: readonly string[], states: readonly DeliveryState[]): readonly SqlStatement[] {
    const list = JSON.stringify(ids)
    const isSo = states.length > 0 ? `AND state IN (${states.map((s) => `'${s}'`).join(', ')})` : ''
    return [...this.#heirs(ids), ...deletion(`id IN ${LISTED} ${isSo}`, list)]
  }

  /** The first member of a batch that leaves it hands its time on to the next member. */
  #heirs(ids: readonly string[]): readonly SqlStatement[] {
    const text = `UPDATE delivery AS heir SET next = f.next, wait = f.wait FROM delivery AS f
      WHERE f.id IN (SELECT value FROM json_each(?1)) AND f.batch IS NOT NULL AND f.next IS NOT NULL
      AND heir.seq = (SELECT min(m.seq) FROM delivery m WHERE ${IS_MEMBER} AND m.seq > f.seq
        AND m.id NOT IN (SELECT value FROM json_each(?1)))`
    return [[text, JSON.stringify(ids)]]
  }

  /** Notes that endpoints accepted events: also filtered ones, whose sender is alive, but no refused ones. */
  #heard(rows: readonly NewDelivery[]): readonly SqlStatement[] {
    const heard = rows.filter(({ endpoint, state }) => endpoint !== null && state !== 'refused')
    const byName = new Map(heard.map((row) => [`${ownerOf(row.queue)}/${row.endpoint}`, row]))
    const text = `UPDATE endpoint SET lastEvent = ? WHERE owner = ? AND name = ? AND expect IS NOT NULL`
    return [...byName.values()].map(({ queue, endpoint }) => {
      return [text, this.#parts.now(), ownerOf(queue), endpoint]
    })
  }

  #isRecorded({ state, queue, endpoint }: NewDelivery): boolean {
    if (state !== 'refused') return true
    const now = this.#parts.now()
    const name = `${ownerOf(queue)}/${endpoint}`
    const known = this.#refused.get(name)
    const minute = known && now - known.at < MINUTE ? known : { at: now, count: 0 }
    minute.count++
    this.#refused.set(name, minute)
    return minute.count <= REFUSED_A_MINUTE
  }

  #insertion(row: NewDelivery, queued: boolean, replaces?: string): SqlStatement {
    const { limits, now: clock } = this.#parts
    const now = clock()
    const { endpointCreated, follows: mayFollow, collection, key, content, ...given } = row
    const { state, queue, run = null } = given
    const isUndelivered = isOpen(state)
    const isAccepted = state === 'delivered'
    const follows = isAccepted && mayFollow === true
    const wait = isUndelivered
      ? (collection?.period ?? given.wait ?? 0)
      : follows
        ? FIRST_LOOKUP
        : 0
    // Dead letters have their payload in any case, because nobody else has it.
    const isStored = isUndelivered || state === 'dead' || limits.retention > 0
    return insertion({
      ...{ attempts: 0, doubts: 0, failures: 0 },
      ...given,
      ...collection,
      bytes: 0,
      ...(isStored && { key, content, bytes: content?.length ?? 0 }),
      owner: ownerOf(queue),
      repository: repositoryOf(queue),
      created: endpointCreated ?? null,
      replaces: replaces ?? null,
      since: now,
      queued: queued ? 1 : 0,
      at: now,
      next: isUndelivered || follows ? now + wait : null,
      wait,
      accepted: isAccepted ? (given.accepted ?? now) : null,
      outcome: follows ? outcomeOf(run) : null,
    })
  }

  #read(...statement: SqlStatement): Promise<readonly SqlRow[]> {
    return this.#parts.database.read(...statement)
  }
}

const ENDED: readonly DeliveryState[] = [...YIELDING, 'dead']

/** @param rows of one owner, and one endpoint or token */
function roomRequest(rows: readonly NewDelivery[]): RoomRequest {
  const { queue, endpoint } = rows[0] ?? { queue: '', endpoint: null }
  const bytes = rows.reduce((sum, { content }) => sum + (content?.length ?? 0) + ROW_BYTES, 0)
  const hasToken = !isOwnQueue(queue)
  return { owner: ownerOf(queue), endpoint, events: rows.length, bytes, hasToken }
}

/** The statements of every deletion. The second returns the rows. */
function deletion(where: string, list: string): readonly SqlStatement[] {
  return [
    [
      `UPDATE meta SET value = value + (SELECT count(*) FROM delivery WHERE ${where} AND queued = 1)
        WHERE name = 'gone'`,
      list,
    ],
    [`DELETE FROM delivery WHERE ${where} RETURNING ${COLUMNS}`, list],
  ]
}

/** Notes that GitHub accepted the credential for the repository, at most once a day. */
function acceptance(queue: string, now: number): SqlStatement {
  const text = `INSERT INTO accepted VALUES (?1, ?2)
    ON CONFLICT (name) DO UPDATE SET at = ?2 WHERE at < ?2 - ${DAY}`
  return [text, queue, now]
}

function outcomeOf(run: string | null): RunOutcome {
  return run === null ? 'pending' : 'running'
}
