// SQL of the table of deliveries that several of its queries share.

import type { SqlRow, SqlStatement, SqlValue } from './database.ts'
import type { Delivery, DeliveryFilter, StoredDelivery } from './delivery-rows.ts'
import { YIELDING } from './room.ts'

/** The column of each field. */
const COLUMN_OF: Readonly<Record<keyof Delivery, string>> = {
  seq: 'seq',
  id: 'id',
  request: 'request',
  replayOf: 'replay_of',
  batch: 'batch',
  owner: 'owner',
  repository: 'repository',
  queue: 'queue',
  endpoint: 'endpoint',
  path: 'path',
  method: 'method',
  received: 'received',
  size: 'size',
  state: 'state',
  reason: 'reason',
  since: 'since',
  queued: 'queued',
  at: 'at',
  attempts: 'attempts',
  doubts: 'doubts',
  next: 'next',
  wait: 'wait',
  accepted: 'accepted',
  githubMs: 'github_ms',
  run: 'run',
  outcome: 'outcome',
  outcomeReason: 'outcome_reason',
  conclusion: 'conclusion',
  details: 'details',
  failures: 'failures',
  explanation: 'explanation',
  key: 'key',
  bytes: 'bytes',
}

export const COLUMNS = Object.entries(COLUMN_OF)
  .map(([field, column]) => (field === column ? column : `${column} AS ${field}`))
  .join(', ')

const INSERTED = [
  ...['id', 'request', 'replay_of', 'owner', 'repository', 'queue', 'endpoint', 'path', 'method'],
  ...[
    'received',
    'size',
    'state',
    'reason',
    'since',
    'queued',
    'at',
    'attempts',
    'doubts',
    'next',
    'wait',
  ],
  ...[
    'grouping',
    'period',
    'quiet',
    'length',
    'accepted',
    'github_ms',
    'run',
    'outcome',
    'failures',
  ],
  ...['explanation', 'key', 'bytes', 'content'],
]

/** A row that is there already is not stored again: on Workers, a call may be repeated. */
export const INSERT = `INSERT INTO delivery (${INSERTED.join(', ')})
  VALUES (${INSERTED.map(() => '?').join(', ')}) ON CONFLICT (id) DO NOTHING`

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

/** SQL: a row is a member of the batch of `first`, which comes first. Members have the same state. */
export function isMember(row: string, first: string): string {
  return `${row}.owner = ${first}.owner AND ${row}.endpoint IS ${first}.endpoint
    AND ${row}.state = ${first}.state AND ${row}.seq >= ${first}.seq AND ${row}.batch = ${first}.batch`
}

export function prefixed(table: string): string {
  return Object.entries(COLUMN_OF)
    .map(([field, column]) => `${table}.${column} AS ${field}`)
    .join(', ')
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
export function deliveryOf(row: SqlRow): Delivery {
  return { ...row, queued: row.queued === 1 } as unknown as Delivery
}

export function storedDeliveryOf(row: SqlRow): StoredDelivery {
  return { ...row, queued: row.queued === 1 } as unknown as StoredDelivery
}
