import { jsonResponse, type RelayResponse } from '../../wire/http.ts'
import type { FollowedRow, ReceiptStore } from '../receipts/store.ts'
import { methodNotAllowed, RelayError } from '../relay-errors.ts'
import type { RelayRequest } from '../relay-ports.ts'
import { isoTime, isRead, queryOf, readPage } from './query.ts'

/**
 * The admin API of receipts, for a request that brought the admin key: `/-/receipts` lists the events
 * whose run is followed, newest first, and the alarms that last.
 *
 * @throws RelayError, or StorageError if the disk fails
 */
export async function respondToReceipts(
  { method, target }: RelayRequest,
  store: ReceiptStore | undefined,
): Promise<RelayResponse> {
  if (!isRead(method)) throw methodNotAllowed(['GET'])
  if (!store) throw noReceipts()
  const query = queryOf(target)
  const { limit, cursor } = readPage(query, /^\d{1,15}$/)
  const filter = {
    repository: query.get('repository')?.toLowerCase(),
    credential: query.get('credential') ?? undefined,
    outcome: query.get('outcome') ?? undefined,
  }
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(cursor)
  const events = await store.list(filter, before, limit)
  const last = events.length === limit ? events.at(-1) : undefined
  const alarms = await store.alarms()
  const { receipts } = await store.counts()
  return jsonResponse({
    events: events.map(shownEvent),
    alarms: alarms.map(({ kind, subject, since }) => ({
      alarm: kind,
      subject,
      since: isoTime(since),
    })),
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
    at: isoTime(at),
    outcome,
    since: isoTime(since),
    ...(reason !== '' && { reason }),
    ...(conclusion !== '' && { conclusion }),
    ...(run !== '' && { run }),
  }
}

function noReceipts(): RelayError {
  return new RelayError(404, 'no_outbox', 'this relay follows no events', {
    hint: 'Start the relay on Node with --outbox <file> and --receipts.',
  })
}
