import { jsonResponse, type RelayResponse } from '../../wire/http.ts'
import type { FollowedRow, ReceiptStore } from '../receipts/store.ts'
import { RelayError } from '../relay-errors.ts'

/** Events of one response. */
const MOST_LISTED = 1000

/**
 * The admin API of receipts: the events whose run is followed, newest first, and the alarms that last.
 *
 * @throws RelayError 400 for an invalid query, or StorageError
 */
export async function respondToReceipts(
  store: ReceiptStore,
  query: URLSearchParams,
): Promise<RelayResponse> {
  const limit = Number(query.get('limit') ?? 100)
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= MOST_LISTED)) {
    throw invalidQuery(`limit must be a whole number from 1 to ${MOST_LISTED}`)
  }
  const cursor = query.get('after')
  if (cursor !== null && !/^\d{1,15}$/.test(cursor)) {
    throw invalidQuery('after must be the "next" of the previous page')
  }
  const filter = {
    repository: query.get('repository')?.toLowerCase(),
    credential: query.get('credential') ?? undefined,
    outcome: query.get('outcome') ?? undefined,
  }
  const before = cursor === null ? Number.MAX_SAFE_INTEGER : Number(cursor)
  const events = await store.list(filter, before, limit)
  const last = events.length === limit ? events.at(-1) : undefined
  const alarms = await store.alarms()
  const { receipts } = await store.counts()
  return jsonResponse({
    events: events.map(shownEvent),
    alarms: alarms.map(({ kind, subject, since }) => ({ alarm: kind, subject, since: iso(since) })),
    unsent: receipts,
    ...(last && { next: String(last.seq) }),
  })
}

function shownEvent(event: FollowedRow) {
  const { delivery, repository, credential, at, outcome, reason, conclusion, run, since } = event
  return {
    delivery,
    repository,
    credential,
    at: iso(at),
    outcome,
    since: iso(since),
    ...(reason !== '' && { reason }),
    ...(conclusion !== '' && { conclusion }),
    ...(run !== '' && { run }),
  }
}

function iso(time: number): string {
  return new Date(time).toISOString()
}

function invalidQuery(hint: string): RelayError {
  return new RelayError(400, 'invalid_query', 'the query is invalid', { hint })
}
