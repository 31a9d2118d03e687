import { jsonResponse, type RelayResponse } from '../../wire/http.ts'
import { VERSION } from '../../wire/version.ts'
import type { DeliveryView } from '../delivery/delivery-list.ts'
import type { OutboxFigures } from '../delivery/event.ts'
import type { Alarm } from '../delivery/receipt-store.ts'
import { gauge, type RelayMetrics } from '../metrics.ts'
import { isoTime } from './query.ts'

export interface StatusPorts {
  readonly deliveries: Pick<DeliveryView, 'figures'>
  readonly metrics: RelayMetrics
  /** The relay's own GitHub credential. */
  readonly credentialKind: 'none' | 'token' | 'app'
  /** Room for events, in bytes. */
  readonly storageLimit: number
  /** Seconds since the start. */
  uptime(): number
  /** Rows by the id of the relay key that encrypted them, of every key in use. */
  rowsByKey(): Promise<Readonly<Record<string, number>>>
  alarms(): Promise<readonly Alarm[]>
  /** Whatever an admin has to know: one sentence each. */
  warnings(): Promise<readonly string[]>
}

/** `/-admin/status`. @throws StorageError if the disk fails */
export async function respondToStatus(ports: StatusPorts): Promise<RelayResponse> {
  const { deliveries, metrics, credentialKind: kind, storageLimit } = ports
  const { events, bytes, oldest, imbalance } = await deliveries.figures()
  const [failing] = metrics.failingReasons()
  return jsonResponse({
    version: VERSION,
    uptime: Math.floor(ports.uptime()),
    deliveries: events,
    oldestWaitingSeconds: oldest,
    imbalance,
    storage: { bytes, limitBytes: storageLimit },
    keys: await ports.rowsByKey(),
    credential: { kind, ...(failing !== undefined && { failing }) },
    alarms: (await ports.alarms()).map(({ kind: alarm, subject, since }) => ({
      alarm,
      subject,
      since: isoTime(since),
    })),
    warnings: await ports.warnings(),
  })
}

/** `/-admin/metrics`. @throws StorageError if the disk fails */
export async function respondToMetrics({
  deliveries,
  metrics,
}: StatusPorts): Promise<RelayResponse> {
  const lines = [...metrics.lines(), ...deliveryLines(await deliveries.figures())]
  const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }
  return { status: 200, headers, body: `${lines.join('\n')}\n` }
}

function deliveryLines({ events, bytes, oldest, imbalance }: OutboxFigures): string[] {
  const name = 'hookline_deliveries'
  const states = Object.entries(events).map(
    ([state, count]) => `${name}{state="${state}"} ${count}`,
  )
  return [
    `# TYPE ${name} gauge`,
    ...states,
    ...gauge('hookline_imbalance', imbalance),
    ...gauge('hookline_oldest_waiting_seconds', oldest),
    ...gauge('hookline_storage_bytes', bytes),
  ]
}
