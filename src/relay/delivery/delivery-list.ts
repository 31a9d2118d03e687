import type { Database, SqlRow, SqlValue } from '../store/database.ts'
import type { EventState, OutboxFigures, StoredEvent } from './event.ts'

/** Selects deliveries; an absent field matches all. Times are milliseconds since 1970. */
export interface DeliveryFilter {
  /** Owner of the repository, in lower case. */
  readonly owner?: string | undefined
  readonly repository?: string | undefined
  /** Name of an endpoint. */
  readonly endpoint?: string | undefined
  /** Shown credentials: `endpoint:<owner>/<name>`. */
  readonly credentials?: readonly string[] | undefined
  readonly state?: EventState | undefined
  readonly reason?: string | undefined
  readonly since?: number | undefined
  readonly until?: number | undefined
}

export interface DeliveryQuery extends DeliveryFilter {
  /** Of the run. */
  readonly outcome?: string | undefined
  readonly id?: string | undefined
  /** The last delivery of the page before. */
  readonly after?: { readonly received: number; readonly id: string } | undefined
  readonly limit: number
}

/** A delivery as lists show it: an event of the ledger, or one that GitHub accepted and whose run is followed. */
export interface ListedDelivery {
  readonly id: string
  /** Id of the batch, or the id itself. */
  readonly unit: string
  /** `owner/name` in lower case. */
  readonly repository: string
  readonly credential: string
  readonly path: string
  /** Empty for a batch. */
  readonly method: string
  readonly state: EventState
  readonly reason: string
  readonly received: number
  readonly attempts: number
  readonly next: number | null
  readonly bytes: number
  readonly run: string | null
  readonly outcome: string | null
  readonly conclusion: string | null
}

/** The deliveries of a relay, as an admin sees and changes them. */
export interface DeliveryView {
  /** Newest first. */
  list(query: DeliveryQuery): Promise<readonly ListedDelivery[]>
  /** The stored events with an id, or of a batch. */
  find(id: string): Promise<readonly StoredEvent[]>
  /** Queues a dead letter or a delivered copy again. @returns how many events */
  replay(id: string, filter: DeliveryFilter): Promise<number>
  /** The same for all that the filter selects; `state` is set. */
  replayAll(filter: DeliveryFilter): Promise<number>
  delete(id: string, filter: DeliveryFilter): Promise<number>
  /** Deletes all that the filter selects; `state` is set. */
  deleteAll(filter: DeliveryFilter): Promise<number>
  /**
   * Makes dead letters of the waiting events of a deleted endpoint, and renames its other deliveries, so that a
   * later endpoint of the same name does not show them.
   *
   * @param credential `endpoint:<owner>/<name>`
   * @returns how many events became dead letters
   */
  endDeleted(credential: string): Promise<number>
  figures(): Promise<OutboxFigures>
  /** Rows by the id of the relay key that encrypted them. */
  rowsByKey(): Promise<Readonly<Record<string, number>>>
}

/** The repository of a queue: SQL. */
const REPOSITORY = "substr(e.queue, 1, instr(e.queue, '#') - 1)"

const DELIVERIES = `SELECT e.delivery AS id, e.unit, ${REPOSITORY} AS repository, e.credential, e.path, e.method,
    e.state, e.reason, e.received, e.attempts,
    CASE WHEN e.state IN ('waiting', 'uncertain') THEN e.next END AS next, e.bytes, f.run, f.outcome,
    f.conclusion
  FROM event e LEFT JOIN followed f ON f.delivery = e.unit AND e.state = 'delivered'
  UNION ALL
  SELECT f.delivery, f.delivery, f.repository, f.credential, f.path, f.method, 'delivered', f.reason,
    f.received, 1, NULL, 0, f.run, f.outcome, f.conclusion
  FROM followed f WHERE NOT EXISTS (SELECT 1 FROM event e WHERE e.unit = f.delivery)`

/** The deliveries in one database, newest first. @throws StorageError */
export async function listDeliveries(
  database: Database,
  { outcome, id, after, limit, ...filter }: DeliveryQuery,
): Promise<readonly ListedDelivery[]> {
  const conditions = deliveryConditions(filter)
  if (outcome !== undefined) conditions.push(['outcome = ?', outcome])
  if (id !== undefined) conditions.push(['id = ?', id])
  if (after) conditions.push(['(received, id) < (?, ?)', after.received, after.id])
  const where = conditions.map(([text]) => text).join(' AND ') || '1'
  const values = conditions.flatMap(([, ...given]) => given)
  const text = `SELECT * FROM (${DELIVERIES}) WHERE ${where} ORDER BY received DESC, id DESC LIMIT ?`
  return (await database.read(text, ...values, limit)).map(deliveryOf)
}

/** Deliveries of which only the run is known. */
export async function countFollowed(database: Database): Promise<number> {
  const text = `SELECT count(*) AS count FROM followed f
    WHERE NOT EXISTS (SELECT 1 FROM event e WHERE e.unit = f.delivery)`
  const [row] = await database.read(text)
  return Number(row?.count ?? 0)
}

type Condition = [text: string, ...values: SqlValue[]]

/**
 * The conditions of a filter over `repository`, `credential`, `state`, `reason` and `received`.
 *
 * @param repository SQL of the repository
 */
export function deliveryConditions(filter: DeliveryFilter, repository = 'repository'): Condition[] {
  const { owner, endpoint, credentials, state, reason, since, until } = filter
  const conditions: Condition[] = []
  // '0' follows '/'.
  if (owner !== undefined) {
    conditions.push([`${repository} BETWEEN ? AND ?`, `${owner}/`, `${owner}0`])
  }
  if (filter.repository !== undefined) conditions.push([`${repository} = ?`, filter.repository])
  // The characters of names have no meaning in GLOB.
  if (endpoint !== undefined) {
    conditions.push(['credential GLOB ?', `endpoint:${owner ?? '*'}/${endpoint}`])
  }
  if (credentials) {
    const listed = '(SELECT value FROM json_each(?))'
    conditions.push([`credential IN ${listed}`, JSON.stringify(credentials)])
  }
  if (state !== undefined) conditions.push(['state = ?', state])
  if (reason !== undefined) conditions.push(['reason = ?', reason])
  if (since !== undefined) conditions.push(['received >= ?', since])
  if (until !== undefined) conditions.push(['received < ?', until])
  return conditions
}

/** The columns are the fields. */
function deliveryOf(row: SqlRow): ListedDelivery {
  return row as unknown as ListedDelivery
}
