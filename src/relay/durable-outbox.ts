import { readSetting } from '../wire/settings.ts'
import { type Platform, type RelayConfig, steadyClock, systemClock } from './config.ts'
import type { dispatchTo } from './github/dispatch.ts'
import { type Bindings, namespaceOf, settingsOf } from './http/bindings.ts'
import { throughOutbox } from './outbox/accept.ts'
import { Batches } from './outbox/batches.ts'
import { collectInto } from './outbox/collect.ts'
import { durableLanes, durableView, LaneObject } from './outbox/durable.ts'
import { laneNames } from './outbox/lane.ts'
import { withOperator } from './outbox/operator.ts'
import type { OutboxLine } from './outbox/outbox.ts'
import { sealEventsFor } from './outbox/sealed-event.ts'
import { readOutboxSettings } from './outbox/settings.ts'
import type { ObjectState } from './outbox/sql.ts'
import type { RelayPorts } from './ports.ts'
import { PACK } from './request/client-payload.ts'

interface Given {
  /** Those of a relay without outbox. */
  readonly ports: RelayPorts
  readonly platform: Platform
  /** The worker's own, so that it is loaded once. */
  readonly dispatchTo: typeof dispatchTo
  write(line: string): void
}

/**
 * The ports of a relay with what its operator sees and, where `OUTBOX` is bound, an outbox. Each
 * request says what keeps the runtime from ending what goes on after its answer.
 *
 * @throws UserError for a setting that is wrong
 */
export function outboxPorts(
  env: Bindings,
  { apiUrl, budget, credentials }: RelayConfig,
  { ports, platform, dispatchTo, write }: Given,
): (background: (work: Promise<unknown>) => void) => RelayPorts {
  const namespace = namespaceOf(env)
  const key = readSetting(settingsOf(env), 'HOOKLINE_ADMIN_KEY')
  const { sealingKeys = [] } = credentials
  const operated = withOperator(ports, {
    key,
    outbox: namespace && durableView(namespace),
    keys: sealingKeys,
    log: (line) => write(JSON.stringify({ time: systemClock.now().toISOString(), ...line })),
  })
  if (!namespace) return () => operated
  const { acceptTime } = readOutboxSettings(settingsOf(env))
  const [sealingKey] = sealingKeys
  if (!sealingKey) throw new TypeError('there is no key to seal with')
  const { report } = ports
  const accept = {
    ask: dispatchTo({
      ...{ call: platform.call, apiUrl, budget, clock: systemClock, retryTime: acceptTime },
      govern: platform.governors.live,
    }),
    lanes: durableLanes(namespace, { now: Date.now, report }),
    seal: sealEventsFor(sealingKey),
    laneOf: laneNames(platform.governors),
    log: (line: OutboxLine) => write(JSON.stringify(line)),
    acceptTime,
    callTime: budget,
    now: Date.now,
    random: Math.random,
    after: steadyClock.after,
    report,
  }
  const collect = collectInto(accept)
  return (background) => ({
    ...{ ...operated, collect },
    dispatch: throughOutbox({ ...accept, background }),
  })
}

/** The object of one lane, which asks GitHub as the relay does. */
export function openLaneObject(
  state: ObjectState,
  env: Bindings,
  { apiUrl, budget, credentials }: RelayConfig,
  { ports, platform, dispatchTo, write }: Given,
): Promise<LaneObject> {
  const namespace = namespaceOf(env)
  if (!namespace) throw new TypeError('the binding OUTBOX is missing')
  const { limits } = readOutboxSettings(settingsOf(env))
  return LaneObject.open(state, {
    namespace,
    keys: credentials.sealingKeys ?? [],
    governors: platform.governors,
    limits,
    age: limits.age,
    pace: readSetting(settingsOf(env), 'HOOKLINE_OUTBOX_MIN_INTERVAL_MS'),
    revoked: credentials.revoked ?? new Set(),
    sleep: systemClock.sleep,
    credentials: ports.credentials,
    send: dispatchTo({
      ...{ call: platform.call, apiUrl, budget, clock: systemClock, retryTime: 0 },
      govern: platform.governors.granted,
    }),
    now: Date.now,
    random: Math.random,
    log: (line) => write(JSON.stringify(line)),
    report: ports.report,
    ...{ loadBatches: async () => ({ Batches }), pack: PACK, newId: ports.newDelivery },
  })
}
