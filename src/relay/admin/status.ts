import { jsonResponse, type RelayResponse } from '../../wire/http.ts'
import { VERSION } from '../../wire/version.ts'
import { gauge, type RelayMetrics } from '../metrics.ts'
import type { Figures } from '../store/delivery-rows.ts'
import type { Alarm } from '../store/notifications.ts'
import { isoTime } from './query.ts'

export interface StatusPorts {
  /** The numbers of all deliveries. */
  figures(): Promise<Figures>
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
  const { metrics, credentialKind: kind, storageLimit } = ports
  const { states, bytes, oldest, imbalance } = await ports.figures()
  const [failing] = metrics.failingReasons()
  return jsonResponse({
    version: VERSION,
    uptime: Math.floor(ports.uptime()),
    deliveries: states,
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
export async function respondToMetrics(ports: StatusPorts): Promise<RelayResponse> {
  const lines = [...ports.metrics.lines(), ...deliveryLines(await ports.figures())]
  const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }
  return { status: 200, headers, body: `${lines.join('\n')}\n` }
}

function deliveryLines({ states: counts, bytes, oldest, imbalance }: Figures): string[] {
  const name = 'hookline_deliveries'
  const states = Object.entries(counts).map(
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
