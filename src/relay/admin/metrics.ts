import type { RelayResponse } from '../../wire/http.ts'
import type { OutboxFigures } from '../outbox/event.ts'
import { gauge, type RelayMetrics } from '../pages/metrics.ts'
import { methodNotAllowed } from '../relay-errors.ts'
import type { RelayRequest } from '../relay-ports.ts'
import type { OutboxView } from './outbox.ts'
import { isRead } from './query.ts'

/**
 * The admin API of metrics, for a request that brought the admin key: `/metrics`.
 *
 * @throws RelayError 405, or StorageError if the disk fails
 */
export async function respondToMetrics(
  { method }: RelayRequest,
  metrics: RelayMetrics | undefined,
  outbox: Pick<OutboxView, 'figures'> | undefined,
): Promise<RelayResponse> {
  if (!isRead(method)) throw methodNotAllowed(['GET'])
  const figures = await outbox?.figures()
  const lines = [...(metrics?.lines() ?? []), ...(figures ? outboxLines(figures) : [])]
  const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }
  return { status: 200, headers, body: `${lines.join('\n')}\n` }
}

function outboxLines({ events, bytes, oldest, unreadable, imbalance }: OutboxFigures): string[] {
  const name = 'hookline_outbox_events'
  const states = Object.entries(events).map(
    ([state, count]) => `${name}{state="${state}"} ${count}`,
  )
  return [
    ...gauge('hookline_outbox_waiting', events.waiting + events.uncertain),
    ...gauge('hookline_outbox_bytes', bytes),
    ...gauge('hookline_outbox_oldest_seconds', oldest),
    ...gauge('hookline_outbox_dead', events.dead),
    ...gauge('hookline_outbox_unreadable', unreadable),
    ...gauge('hookline_outbox_imbalance', imbalance),
    `# TYPE ${name} gauge`,
    ...states,
  ]
}
