import { readSetting } from '../../wire/settings.ts'
import { type AdminPorts, adminApi } from '../admin/admin.ts'
import { accessCheck } from '../admin/check-access.ts'
import {
  credentialKind,
  credentialsOf,
  type ForgeAccess,
  ownToken,
  type RelayConfig,
  steadyClock,
  systemClock,
} from '../config.ts'
import { deliverThrough, type RelayStore } from '../delivery/accept.ts'
import { queueNames } from '../delivery/queue-name.ts'
import { isReceiptId } from '../delivery/receipt.ts'
import { figure } from '../figures.ts'
import { runFinder } from '../github/find-run.ts'
import { PACK } from '../github/payload-limit.ts'
import type { dispatchTo } from '../github/send.ts'
import type { OutboxLine } from '../log-lines.ts'
import { Readiness } from '../readiness.ts'
import type { Relay } from '../relay.ts'
import { readStorageSettings } from '../storage-settings.ts'
import { Encryption } from '../store/encryption.ts'
import type { KnownEndpoints } from '../store/endpoint-lookup.ts'
import { EndpointLookup } from '../store/endpoint-lookup.ts'
import { type RelayKeys, readRelayKeys, relayKeyMissing } from '../store/relay-key.ts'
import { type Bindings, environmentOf, namespaceOf } from './bindings.ts'
import { bodiesOnWorkers } from './bodies.ts'
import { answerEndpointsCall, ENDPOINTS_PATH, endpointsInObjects } from './endpoint-objects.ts'
import { answerBodyCall, BODIES_OBJECT_PATH } from './object-bodies.ts'
import type { ObjectNamespace } from './object-call.ts'
import { indexIn } from './object-calls.ts'
import type { ObjectState, ObjectStorage } from './object-database.ts'
import { addCounts, objectDeliveries } from './object-deliveries.ts'
import { objectStore } from './object-store.ts'
import { QueueObject } from './queue-object.ts'

export { sweepBodiesIn } from './bodies.ts'
export { readable, readLargeBody } from './web-streams.ts'

/**
 * Milliseconds for which an isolate uses its list of endpoints: another isolate may have deleted one, or
 * created the one that a request names.
 */
const ENDPOINTS_HOLD = { known: 10_000, unknown: 1000 }

interface RelayObjectParts {
  /** A stateless relay. */
  readonly relay: Relay
  readonly access: ForgeAccess
  /** The worker's own module, so that it is loaded once. */
  readonly dispatchTo: typeof dispatchTo
  write(line: string): void
}

/** Takes the function that keeps the runtime alive after a response. */
type RelayOfRequest = (background: (work: Promise<unknown>) => void) => Relay

/**
 * A relay with a database: the binding `RELAY`. Without a relay key, endpoints and the admin
 * API respond with 503, and token URLs work as on a stateless relay.
 *
 * @throws UserError for an invalid setting
 */
export async function databaseRelay(
  env: Bindings,
  namespace: ObjectNamespace,
  config: RelayConfig,
  parts: RelayObjectParts,
): Promise<RelayOfRequest> {
  const { relay } = parts
  const { report } = relay
  const { allowsTokens } = config
  const text = readSetting(environmentOf(env), 'HOOKLINE_RELAY_KEY')
  if (!text) {
    const admin = adminApi({ relayKey: undefined, allowsTokens, ports: undefined, report })
    return () => ({
      ...relay,
      store: {
        ...WITHOUT_RECORDS,
        admin,
        endpoints: WITHOUT_KEY,
        deliver: ([event]) => relay.send(event),
      },
    })
  }
  const keys = await readRelayKeys(text, 'HOOKLINE_RELAY_KEY')
  return keyedRelay(env, namespace, config, parts, keys)
}

/** A relay without a key can neither find an endpoint nor create one. */
const WITHOUT_KEY: KnownEndpoints = {
  find: async () => {
    throw relayKeyMissing()
  },
}

const WITHOUT_RECORDS: Omit<RelayStore, 'admin' | 'deliver' | 'endpoints'> = {
  record: () => {},
  clientGone: () => {},
  isNotification: async ({ headers }) => isReceiptId(headers.get('webhook-id')),
  largeBodies: undefined,
}

function keyedRelay(
  env: Bindings,
  namespace: ObjectNamespace,
  config: RelayConfig,
  { relay, access, dispatchTo, write }: RelayObjectParts,
  keys: RelayKeys,
): RelayOfRequest {
  const { apiUrl, budget, forge, allowsTokens, githubCredential, publicUrl } = config
  const { report, loadChecks } = relay
  const { limits, responseTime } = readStorageSettings(environmentOf(env), true)
  const encryption = new Encryption(keys)
  const endpoints = endpointsOf(namespace, encryption, report)
  const credentials = credentialsOf(config, access.call, (key) => endpoints.current(key))
  const asked = {
    call: access.call,
    apiUrl,
    forge,
    budget,
    clock: systemClock,
    retryTime: responseTime,
    govern: access.rateLimiters.live,
  }
  const log = lineWriter(write)
  const deliveries = objectDeliveries(namespace)
  const started = performance.now()
  const adminPorts: AdminPorts = {
    endpoints,
    hasCredential: githubCredential !== undefined,
    publicUrl,
    loadChecks,
    now: systemClock.now,
    checkAccess: accessCheck(asked, ownToken(config, credentials)),
    deliveries,
    metrics: access.metrics,
    credentialKind: credentialKind(config),
    storageLimit: limits.bytes,
    uptime: () => (performance.now() - started) / 1000,
    rowsByKey: async () => {
      const none = Object.fromEntries(encryption.keyIds.map((id) => [id, 0]))
      return addCounts([none, await deliveries.rowsByKey()])
    },
    alarms: async () => [],
    warnings: async () => [],
    log,
  }
  const admin = adminApi({
    relayKey: { keys, encryption },
    allowsTokens,
    ports: adminPorts,
    report,
  })
  const store = objectStore(namespace, { now: Date.now, report })
  const accept = {
    ask: dispatchTo(asked),
    store,
    accepted: store.accepted,
    encryption,
    nameQueue: queueNames(access.rateLimiters),
    log,
    responseTime,
    callTime: budget,
    now: Date.now,
    random: Math.random,
    after: steadyClock.after,
    report,
  }
  const largeBodies = bodiesOnWorkers(env, config, relay)
  const readiness = new Readiness({
    now: steadyClock.now,
    servesOne: relay.repository !== undefined,
    shortage: async () => ((await indexIn(namespace).isFull()) ? 'storage_full' : undefined),
  })
  return (background) => ({
    ...relay,
    credentials,
    readiness,
    store: {
      ...WITHOUT_RECORDS,
      admin,
      endpoints,
      largeBodies,
      deliver: deliverThrough({ ...accept, background }, endpoints),
    },
  })
}

function endpointsOf(
  namespace: ObjectNamespace,
  encryption: Encryption,
  report: Relay['report'],
): EndpointLookup {
  return new EndpointLookup({
    stores: endpointsInObjects(namespace),
    encryption,
    holds: ENDPOINTS_HOLD,
    now: steadyClock.now,
    date: systemClock.now,
    report,
  })
}

function lineWriter(write: (line: string) => void): (line: object) => void {
  return (line) => write(JSON.stringify({ time: systemClock.now().toISOString(), ...line }))
}

/**
 * The object of one queue, which calls GitHub as the relay does; or the index.
 *
 * @throws RelayError without a relay key
 */
export async function openQueueObject(
  state: ObjectState,
  env: Bindings,
  config: RelayConfig,
  { relay, access, dispatchTo, write }: RelayObjectParts,
): Promise<QueueObject> {
  const { apiUrl, budget, forge } = config
  const namespace = namespaceOf(env)
  if (!namespace) throw new TypeError('the binding RELAY is missing')
  const settings = environmentOf(env)
  const { limits } = readStorageSettings(settings, true)
  const text = readSetting(settings, 'HOOKLINE_RELAY_KEY')
  if (!text) throw relayKeyMissing()
  const encryption = new Encryption(await readRelayKeys(text, 'HOOKLINE_RELAY_KEY'))
  const endpoints = endpointsOf(namespace, encryption, relay.report)
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
  const log: (line: OutboxLine) => void = lineWriter(write)
  return QueueObject.open(state, {
    namespace,
    rateLimiters,
    limits,
    minInterval: figure(settings, 'MIN_INTERVAL_MS'),
    sleep: systemClock.sleep,
    encryption,
    credentials: credentialsOf(config, call, (key) => endpoints.current(key)),
    send: dispatchTo(options),
    findRuns: runFinder({ ...options, govern: rateLimiters.lookup }),
    pack: PACK,
    age: limits.age,
    newId: relay.newDelivery,
    now: Date.now,
    random: Math.random,
    log,
    report: relay.report,
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
  env: Bindings,
): Promise<Response | undefined> {
  const { pathname } = new URL(request.url)
  if (pathname.startsWith(BODIES_OBJECT_PATH)) return answerBodyCall(storage, request, Date.now())
  if (!pathname.startsWith(ENDPOINTS_PATH)) return undefined
  const text = readSetting(environmentOf(env), 'HOOKLINE_RELAY_KEY')
  const encryption = text && new Encryption(await readRelayKeys(text, 'HOOKLINE_RELAY_KEY'))
  return answerEndpointsCall(storage, request, encryption || undefined)
}
