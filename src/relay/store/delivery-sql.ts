// SQL of the table of deliveries that several of its queries share.

import type { SqlRow, SqlStatement, SqlValue } from './database.ts'
import type { Delivery, DeliveryFilter } from './delivery-rows.ts'
import { YIELDING } from './room.ts'
import { DELIVERY_COLUMNS } from './schema.ts'

/** The end of the endpoint's name in the deliveries of a deleted endpoint; no name contains it. */
export const DELETED = '#deleted'

export function isDeleted({ endpoint }: Pick<Delivery, 'endpoint'>): boolean {
  return endpoint?.endsWith(DELETED) === true
}

export const COLUMNS = DELIVERY_COLUMNS.join(', ')

/** The columns of a new row, and two parameters of its statement. */
const INSERTED = [
  ...[
    'owner',
    'endpoint',
    'created',
    'replaces',
    'id',
    'request',
    'replayOf',
    'repository',
    'queue',
  ],
  ...['path', 'method', 'received', 'size', 'state', 'reason', 'since', 'queued', 'at', 'attempts'],
  ...[
    'doubts',
    'next',
    'wait',
    'accepted',
    'githubMs',
    'run',
    'outcome',
    'failures',
    'explanation',
  ],
  ...['key', 'bytes', 'grouping', 'period', 'quiet', 'length', 'content'],
]

const [OWNER, ENDPOINT, CREATED, REPLACES, ...OTHERS] = INSERTED.map((_, index) => `?${index + 1}`)

const INSERTION = `INSERT INTO delivery (owner, endpoint, ${INSERTED.slice(4).join(', ')})
  SELECT ${OWNER}, ${ENDPOINT} || CASE WHEN EXISTS (SELECT 1 FROM endpoint WHERE owner = ${OWNER}
    AND name = ${ENDPOINT} AND created > ${CREATED}) THEN '${DELETED}' ELSE '' END, ${OTHERS.join(', ')}
  WHERE ${REPLACES} IS NULL
    OR EXISTS (SELECT 1 FROM delivery WHERE id = ${REPLACES} AND state = 'filtered')
  ON CONFLICT (id) DO NOTHING`

/**
 * Stores a row. A row that is there already stays as it is: on Workers, a call may be repeated. If the
 * endpoint of the name was created later, the row belongs to a deleted one.
 *
 * @param row its columns; `created` is when its endpoint was created, and with `replaces` it is stored only
 *   while a filtered request has this id. An absent field is `null`.
 */
export function insertion(row: Readonly<Record<string, SqlValue>>): SqlStatement {
  return [INSERTION, ...INSERTED.map((name) => row[name] ?? null)]
}

export const COUNT_ACCEPTED: SqlStatement = [
  "UPDATE meta SET value = value + changes() WHERE name = 'accepted'",
]

/** The values of a parameter that is a JSON list, since a statement binds at most 100 values. */
export const LISTED = '(SELECT value FROM json_each(?))'

export const UNDELIVERED = "state IN ('waiting', 'uncertain')"

export const YIELDS = `state IN (${YIELDING.map((state) => `'${state}'`).join(', ')})`

/** Excludes the events and batches in the third parameter. */
export const EXCEPT = `(batch IS NULL OR batch NOT IN (SELECT value FROM json_each(?3)))
  AND seq NOT IN (SELECT seq FROM delivery WHERE id IN (SELECT value FROM json_each(?3)))`

/** The row `m` is a member of the batch of `f`, which comes first. Members have the same state. */
export const IS_MEMBER = `m.owner = f.owner AND m.endpoint IS f.endpoint
    AND m.state = f.state AND m.seq >= f.seq AND m.batch = f.batch`

export function prefixed(table: string): string {
  return DELIVERY_COLUMNS.map((name) => `${table}.${name} AS ${name}`).join(', ')
}

export type Condition = readonly [text: string, ...values: SqlValue[]]

export function conditionsOf(filter: DeliveryFilter): Condition[] {
  const { id, owner, repository, endpoint, endpoints, state, outcome, reason, since, until } =
    filter
  const conditions: Condition[] = []
  if (id !== undefined) conditions.push(['id = ?', id])
  if (owner !== undefined) conditions.push(['owner = ?', owner])
  if (endpoint !== undefined) conditions.push(['endpoint IN (?, ?)', ...namesOf(endpoint)])
  if (endpoints && owner !== undefined) {
    const own = endpoints.filter((name) => name.startsWith(`${owner}/`))
    const names = own.map((name) => name.slice(owner.length + 1))
    conditions.push([`endpoint IN ${LISTED}`, JSON.stringify(names)])
  } else if (endpoints) {
    conditions.push([`owner || '/' || endpoint IN ${LISTED}`, JSON.stringify(endpoints)])
  }
  if (state !== undefined) conditions.push(['state = ?', state])
  if (repository !== undefined) conditions.push(['repository = ?', repository])
  if (outcome !== undefined) conditions.push(['outcome = ?', outcome])
  if (reason !== undefined) conditions.push(['reason = ?', reason])
  if (since !== undefined) conditions.push(['received >= ?', since])
  if (until !== undefined) conditions.push(['received < ?', until])
  return conditions
}

/** The endpoint of a name, and the deleted ones that had it. */
export function namesOf(endpoint: string): readonly [string, string] {
  return [endpoint, endpoint + DELETED]
}

export function whereOf(conditions: readonly Condition[]): [text: string, values: SqlValue[]] {
  const texts = conditions.map(([text]) => text)
  const where = texts.length > 0 ? `WHERE ${texts.join(' AND ')}` : ''
  return [where, conditions.flatMap(([, ...values]) => values)]
}

/** The columns are the fields, and only the class of the table writes them. */
export function deliveryOf<Row extends Delivery = Delivery>(row: SqlRow): Row {
  return { ...row, queued: row.queued === 1 } as unknown as Row
}
