import { jsonResponse, type RelayRequest, type RelayResponse } from '../../wire/http.ts'
import { VERSION } from '../../wire/version.ts'
import type { Alarm } from '../delivery/alarms.ts'
import { gauge, type RelayMetrics } from '../metrics.ts'
import type { DeliveryTotals } from '../store/delivery-rows.ts'
import type { Encryption } from '../store/encryption.ts'
import { isEndpointOwner } from '../store/endpoint-settings.ts'
import type { DeliveryPorts } from './deliveries.ts'
import { invalidQuery, isoTime, noOwner, queryOf } from './query.ts'

export interface StatusPorts extends Pick<DeliveryPorts, 'deliveriesOf'> {
  readonly endpoints: { readonly encryption: Pick<Encryption, 'keyIds'> }
  readonly metrics: RelayMetrics
  /** The relay's own GitHub credential. */
  readonly credentialKind: 'none' | 'token' | 'app'
  /** Room for events, in bytes. */
  readonly storageLimit: number
  /** Seconds since the start. */
  uptime(): number
  /** Whatever an admin has to know: one sentence each. */
  warnings(): Promise<readonly string[]>
}

/** `/-admin/status`. @throws StorageError if the disk fails, RelayError 400 on Workers without an owner */
export async function respondToStatus(
  { target }: Pick<RelayRequest, 'target'>,
  ports: StatusPorts,
): Promise<RelayResponse> {
  const { metrics, credentialKind: kind, storageLimit, endpoints } = ports
  const { keyIds } = endpoints.encryption
  const deliveries = ports.deliveriesOf(ownerIn(target))
  if (!deliveries) throw noOwner()
  const { states, bytes, oldest, imbalance } = await deliveries.table.figures()
  const [failing] = metrics.failingReasons()
  return jsonResponse({
    version: VERSION,
    uptime: Math.floor(ports.uptime()),
    deliveries: states,
    oldestWaitingSeconds: oldest,
    imbalance,
    storage: { bytes, limitBytes: storageLimit },
    keys: { ...Object.fromEntries(keyIds.map((id) => [id, 0])), ...(await deliveries.rowsByKey()) },
    credential: { kind, failing },
    alarms: (await deliveries.alarms()).map(({ kind: alarm, subject, since }) => ({
      alarm,
      subject,
      since: isoTime(since),
    })),
    warnings: await ports.warnings(),
  })
}

/** `/-admin/metrics`; on Workers without an owner, those of the isolate. @throws StorageError if the disk fails */
export async function respondToMetrics(
  { target }: Pick<RelayRequest, 'target'>,
  ports: StatusPorts,
): Promise<RelayResponse> {
  const deliveries = ports.deliveriesOf(ownerIn(target))
  const lines = [
    ...ports.metrics.lines(),
    ...(deliveries ? deliveryLines(await deliveries.table.figures()) : []),
    ...(deliveries ? alarmLines(await deliveries.alarms()) : []),
  ]
  const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }
  return { status: 200, headers, body: `${lines.join('\n')}\n` }
}

/** @throws RelayError 400 */
function ownerIn(target: string): string | undefined {
  const owner = queryOf(target).get('owner') ?? undefined
  if (owner === undefined || isEndpointOwner(owner)) return owner
  throw invalidQuery('owner is not the owner of a repository, in lower case')
}

function alarmLines(alarms: readonly Alarm[]): string[] {
  // Neither kind nor subject contains a quotation mark.
  const lines = alarms.map(
    ({ kind, subject }) => `hookline_alarm{alarm="${kind}",subject="${subject}"} 1`,
  )
  return ['# TYPE hookline_alarm gauge', ...lines.toSorted()]
}

function deliveryLines({ states: counts, bytes, oldest, imbalance }: DeliveryTotals): string[] {
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
