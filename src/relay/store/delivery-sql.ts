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

/**
 * Stores a row. A row that is there already stays as it is: on Workers, a call may be repeated. If the
 * endpoint of the name was created later, the row belongs to a deleted one.
 *
 * @param created when the row's endpoint was created
 * @param replaces the row is stored only while a filtered request has this id
 */
export function insertion(
  row: Readonly<Record<string, SqlValue>>,
  created: number | null,
  replaces: string | null,
): SqlStatement {
  const names = Object.keys(row)
  const at = (name: string) => `?${names.indexOf(name) + 1}`
  const isLater = `SELECT 1 FROM endpoint WHERE owner = ${at('owner')} AND name = ${at('endpoint')}
    AND created > ?${names.length + 1}`
  const endpoint = `${at('endpoint')} || CASE WHEN EXISTS (${isLater}) THEN '${DELETED}' ELSE '' END`
  const values = names.map((name) => (name === 'endpoint' ? endpoint : at(name)))
  const text = `INSERT INTO delivery (${names.join(', ')}) SELECT ${values.join(', ')}
    WHERE ?${names.length + 2} IS NULL
      OR EXISTS (SELECT 1 FROM delivery WHERE id = ?${names.length + 2} AND state = 'filtered')
    ON CONFLICT (id) DO NOTHING`
  return [text, ...Object.values(row), created, replaces]
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
  const { owner, repository, endpoint, endpoints, state, outcome, reason, since, until } = filter
  const conditions: Condition[] = []
  if (owner !== undefined) conditions.push(['owner = ?', owner])
  if (endpoint !== undefined) conditions.push(['endpoint = ?', endpoint])
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

export function whereOf(conditions: readonly Condition[]): [text: string, values: SqlValue[]] {
  const texts = conditions.map(([text]) => text)
  const where = texts.length > 0 ? `WHERE ${texts.join(' AND ')}` : ''
  return [where, conditions.flatMap(([, ...values]) => values)]
}

/** The columns are the fields, and only the class of the table writes them. */
export function deliveryOf<Row extends Delivery = Delivery>(row: SqlRow): Row {
  return { ...row, queued: row.queued === 1 } as unknown as Row
}
