import { readSetting } from '../wire/settings.ts'
import { withAdmin } from './admin/admin.ts'
import { objectView } from './admin/object-view.ts'
import { answerBodyCall, BODIES_OBJECT_PATH } from './bodies/object-bodies.ts'
import { bodiesOnWorkers } from './bodies/on-workers.ts'
import type { ObjectState, ObjectStorage } from './database/durable-object.ts'
import { ENDPOINTS_OBJECT_PATH } from './endpoints/address.ts'
import { Endpoints } from './endpoints/endpoints.ts'
import { answerEndpointCall, endpointsInObject } from './endpoints/object-store.ts'
import { figure } from './figures.ts'
import type { dispatchTo } from './github/dispatch.ts'
import { runFinder } from './github/find-run.ts'
import { type Bindings, environmentOf, namespaceOf } from './http/bindings.ts'
import type { OutboxLine } from './log-lines.ts'
import { collectInto, throughOutbox } from './outbox/accept.ts'
import { indexIn } from './outbox/object-calls.ts'
import { objectStore } from './outbox/object-store.ts'
import { queueNames } from './outbox/queue-name.ts'
import { OutboxObject } from './outbox/queue-object.ts'
import { sealEventsFor } from './outbox/sealed-event.ts'
import { readOutboxSettings } from './outbox-settings.ts'
import { Readiness } from './pages/readiness.ts'
import { type ForgeAccess, type RelayConfig, steadyClock, systemClock } from './relay-config.ts'
import type { RelayPorts } from './relay-ports.ts'
import { PACK } from './request/client-payload.ts'

export { sweepBodiesIn } from './bodies/on-workers.ts'
export { readable, readLargeBody } from './bodies/web-streams.ts'

/**
 * Milliseconds for which an isolate uses its list of endpoints: another isolate may have deleted one, or
 * created the one that a request names.
 */
const ENDPOINTS_HOLD = { known: 10_000, unknown: 1000 }

interface DurableOutboxParts {
  /** The ports of a relay without an outbox. */
  readonly ports: RelayPorts
  readonly access: ForgeAccess
  /** The worker's own module, so that it is loaded once. */
  readonly dispatchTo: typeof dispatchTo
  write(line: string): void
}

/**
 * The ports of a relay with the admin API and, if `OUTBOX` is bound, an outbox. Each request passes
 * the function that keeps the runtime alive after its response.
 *
 * @throws UserError for an invalid setting
 */
export function outboxPorts(
  env: Bindings,
  config: RelayConfig,
  { ports, access, dispatchTo, write }: DurableOutboxParts,
): (background: (work: Promise<unknown>) => void) => RelayPorts {
  const { apiUrl, budget, sealingKeys, forge, githubCredential } = config
  const namespace = namespaceOf(env)
  const key = readSetting(environmentOf(env), 'HOOKLINE_ADMIN_KEY')
  const endpoints =
    namespace &&
    new Endpoints({
      store: endpointsInObject(namespace),
      keys: sealingKeys,
      holds: ENDPOINTS_HOLD,
      now: steadyClock.now,
      date: systemClock.now,
      report: ports.report,
    })
  const withApi = withAdmin(
    { ...ports, ...(endpoints && { endpoints }) },
    {
      key,
      outbox: namespace && objectView(namespace),
      keys: sealingKeys,
      hasCredential: githubCredential !== undefined,
      log: lineWriter(write),
    },
  )
  if (!namespace) return () => withApi
  const { responseTime } = readOutboxSettings(environmentOf(env))
  const [sealKey] = sealingKeys
  if (!sealKey) throw new TypeError('there is no key to seal with')
  const { report } = ports
  const store = objectStore(namespace, { now: Date.now, report })
  const accept = {
    ask: dispatchTo({
      call: access.call,
      apiUrl,
      forge,
      budget,
      clock: systemClock,
      retryTime: responseTime,
      govern: access.rateLimiters.live,
    }),
    store,
    accepted: store.accepted,
    seal: sealEventsFor(sealKey),
    nameQueue: queueNames(access.rateLimiters),
    log: lineWriter(write),
    responseTime,
    callTime: budget,
    now: Date.now,
    random: Math.random,
    after: steadyClock.after,
    report,
  }
  const largeBodies = bodiesOnWorkers(env, config, ports)
  const readiness = new Readiness({
    now: steadyClock.now,
    servesOne: ports.repository !== undefined,
    shortage: async () => ((await indexIn(namespace).isFull()) ? 'outbox_full' : undefined),
  })
  return (background) => ({
    ...withApi,
    readiness,
    ...(largeBodies && { largeBodies }),
    collect: collectInto({ ...accept, background }),
    dispatch: throughOutbox({ ...accept, background }),
  })
}

function lineWriter(write: (line: string) => void): (line: OutboxLine) => void {
  return (line) => write(JSON.stringify({ time: systemClock.now().toISOString(), ...line }))
}

/** The object of one queue, which calls GitHub as the relay does; or the index. */
export function openOutboxObject(
  state: ObjectState,
  env: Bindings,
  { apiUrl, budget, sealingKeys, forge }: RelayConfig,
  { ports, access, dispatchTo, write }: DurableOutboxParts,
): Promise<OutboxObject> {
  const namespace = namespaceOf(env)
  if (!namespace) throw new TypeError('the binding OUTBOX is missing')
  const settings = environmentOf(env)
  const { limits } = readOutboxSettings(settings)
  const { rateLimiters, call } = access
  const options = {
    call,
    apiUrl,
    forge,
    budget,
    clock: systemClock,
    retryTime: 0,
    govern: rateLimiters.granted,
  }
  return OutboxObject.open(state, {
    namespace,
    rateLimiters,
    limits,
    minInterval: figure(settings, 'MIN_INTERVAL_MS'),
    sleep: systemClock.sleep,
    keys: sealingKeys,
    credentials: ports.credentials,
    send: dispatchTo(options),
    findRuns: runFinder({ ...options, govern: rateLimiters.lookup }),
    pack: PACK,
    age: limits.age,
    newId: ports.newDelivery,
    now: Date.now,
    random: Math.random,
    log: lineWriter(write),
    report: ports.report,
  })
}

/**
 * Runs in an object: answers a call that is not about events, but about bodies or endpoints.
 *
 * @returns `undefined` for any other call
 */
export async function answerOtherCall(
  storage: ObjectStorage,
  request: Request,
  now: number,
): Promise<Response | undefined> {
  const { pathname } = new URL(request.url)
  if (pathname.startsWith(BODIES_OBJECT_PATH)) return answerBodyCall(storage, request, now)
  return pathname === ENDPOINTS_OBJECT_PATH ? answerEndpointCall(storage, request) : undefined
}
