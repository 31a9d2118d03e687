// SQL of the table of deliveries that several of its queries share.

import type { SqlRow, SqlStatement, SqlValue } from './database.ts'
import type { Delivery, DeliveryFilter } from './delivery-rows.ts'
import { YIELDING } from './room.ts'
import { ALL_COLUMNS, DELIVERY_COLUMNS } from './schema.ts'

/** The end of the endpoint's name in the deliveries of a deleted endpoint; no name contains it. */
export const DELETED = '#deleted'

export function isDeleted({ endpoint }: Pick<Delivery, 'endpoint'>): boolean {
  return endpoint?.endsWith(DELETED) === true
}

export const COLUMNS = DELIVERY_COLUMNS.join(', ')

/** The parameters of an insertion. */
const PARAMETERS = ['created', 'replaces', ...ALL_COLUMNS]

const at = (name: string) => `?${PARAMETERS.indexOf(name) + 1}`

const ENDPOINT = `${at('endpoint')} || CASE WHEN EXISTS (SELECT 1 FROM endpoint WHERE owner = ${at('owner')}
  AND name = ${at('endpoint')} AND created > ${at('created')}) THEN '${DELETED}' ELSE '' END`

const INSERTION = `INSERT INTO delivery (${ALL_COLUMNS.join(', ')})
  SELECT ${ALL_COLUMNS.map((name) => (name === 'endpoint' ? ENDPOINT : at(name))).join(', ')}
  WHERE ${at('replaces')} IS NULL
    OR EXISTS (SELECT 1 FROM delivery WHERE id = ${at('replaces')} AND state = 'filtered')
  ON CONFLICT (id) DO NOTHING`

/**
 * Stores a row. A row that is there already stays as it is: on Workers, a call may be repeated. If the
 * endpoint of the name was created later, the row belongs to a deleted one.
 *
 * @param row its columns; `created` is when its endpoint was created, and with `replaces` it is stored only
 *   while a filtered request has this id. An absent field is `null`.
 */
export function insertion(row: Readonly<Record<string, SqlValue>>): SqlStatement {
  return [INSERTION, ...PARAMETERS.map((name) => row[name] ?? null)]
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

export function conditionsOf(filter: DeliveryFilter): readonly Condition[] {
  const { id, request, owner, repository, endpoint, endpoints, state, outcome } = filter
  const { reason, since, until } = filter
  const comparisons = [
    ['id = ?', id],
    ['request = ?', request],
    ['owner = ?', owner],
    ['state = ?', state],
    ['repository = ?', repository],
    ['outcome = ?', outcome],
    ['reason = ?', reason],
    ['received >= ?', since],
    ['received < ?', until],
    [`owner || '/' || endpoint IN ${LISTED}`, endpoints && JSON.stringify(endpoints)],
  ] as const
  const given = comparisons.flatMap(([text, value]): Condition[] =>
    value === undefined ? [] : [[text, value]],
  )
  if (endpoint === undefined) return given
  return [...given, ['endpoint IN (?, ?)', ...bothNames(endpoint)]]
}

/** The endpoint of a name, and the deleted ones that had it. */
export function bothNames(endpoint: string): readonly [string, string] {
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
