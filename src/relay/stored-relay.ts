// Assembles a relay with a database from two halves: `openDeliveries` delivers stored events, and `relayStoreOf`
// serves requests. On Node both run in one process. On Workers, the first runs in the Durable Object of an owner,
// and the second in the isolate that receives a request.

import { type AdminPorts, adminApi } from './admin/admin.ts'
import { accessCheck } from './admin/endpoints.ts'
import { passAgain } from './admin/pass-again.ts'
import {
  credentialKind,
  credentialsOf,
  type ForgeAccess,
  githubOf,
  type RelayConfig,
  type StorageSettings,
  steadyClock,
  systemClock,
} from './config.ts'
import {
  Acceptance,
  AcceptanceMemory,
  type AcceptPorts,
  type RelayStore,
  retryTimeOf,
} from './delivery/accept.ts'
import { Deliveries, isFollowed } from './delivery/deliveries.ts'
import type { ChangeLine } from './delivery/log-lines.ts'
import { isOwnNotification, type PostNotification } from './delivery/notify.ts'
import type { Task } from './delivery/schedule.ts'
import type { Credentials, TokenSource } from './github/credential.ts'
import type { Packer } from './github/payload.ts'
import { type Dispatch, dispatchTo } from './github/send.ts'
import type { Relay } from './relay.ts'
import type { Runtime } from './runtime.ts'
import { LargeBodies, type LargeBodiesParts } from './store/bodies.ts'
import { BodyTable } from './store/body-table.ts'
import type { Database } from './store/database.ts'
import { DeliveryTable } from './store/deliveries.ts'
import type { Encryption } from './store/encryption.ts'
import { EndpointLookup } from './store/endpoint-lookup.ts'
import { type EndpointStores, EndpointTable } from './store/endpoint-table.ts'
import type { RelayKeys } from './store/relay-key.ts'
import type { LoadChecks } from './webhook/checks.ts'

interface SharedParts extends Pick<Runtime, 'now' | 'report'> {
  readonly config: RelayConfig
  readonly access: ForgeAccess
  readonly settings: StorageSettings
  readonly encryption: Encryption
  log(line: ChangeLine): void
}

interface DatabaseParts extends SharedParts {
  readonly database: Database
  readonly pack: Packer
  /** Further recurring tasks for the schedule of the deliveries. */
  readonly tasks?: readonly Task[]
  /** Called if the schedule may be due earlier than before. */
  changed(): void
}

/**
 * The endpoints that requests find, and the GitHub credentials of their events.
 *
 * @param holds absent if every change passes this process
 */
export function openEndpoints(
  stores: EndpointStores,
  { config, access, encryption, report }: SharedParts,
  holds?: { readonly known: number; readonly unknown: number },
): Pick<StoreParts, 'endpoints' | 'credentials'> {
  const clocks = { now: steadyClock.now, date: systemClock.now }
  const ports = { stores, encryption, report, ...clocks, ...(holds && { holds }) }
  const endpoints = new EndpointLookup(ports)
  const credentials = credentialsOf(config, access.call, (key) => endpoints.current(key))
  return { endpoints, credentials }
}

/** The tables and recurring tasks of one database: on Node for all owners, in a RelayObject for one. */
export interface OpenDeliveries extends Pick<StoreParts, 'endpoints' | 'credentials'> {
  readonly bodies: BodyTable
  readonly deliveries: Deliveries
}

export function openDeliveries(parts: DatabaseParts): OpenDeliveries {
  const { database, settings, encryption, access, now, report, tasks = [] } = parts
  const { limits, mostBodyBytes: most, age, notify } = settings
  const { rateLimiters: limiters, metrics } = access
  const table = new DeliveryTable({ database, limits, keyIds: encryption.keyIds, now })
  const bodies = new BodyTable({ database, room: table.room, most, now, report })
  const endpoints = new EndpointTable(database)
  const found = openEndpoints(endpoints, parts)
  const deliveries = new Deliveries({
    ...parts,
    endpoints,
    credentials: found.credentials,
    table,
    limiters,
    github: githubOf(parts.config, access.call),
    age,
    notify,
    ...(notify && { post: postTo(notify.url) }),
    metrics,
    tasks: [bodies, ...tasks],
    random: Math.random,
    after: steadyClock.after,
  })
  return { ...found, bodies, deliveries }
}

interface StoreParts extends SharedParts {
  readonly keys: RelayKeys
  readonly credentials: Credentials
  readonly endpoints: EndpointLookup
  readonly loadChecks: LoadChecks
  /** Stores the events of requests: on Workers, by calls to the owner's Durable Object. */
  readonly deliveries: AcceptPorts['store']
  /** Storage of large bodies; without it, the relay refuses them. */
  readonly bodies: Pick<LargeBodiesParts, 'storeOf' | 'newHash'> | undefined
  /** The parts of the admin API that differ. */
  readonly admin: Pick<AdminPorts, 'deliveriesOf' | 'warnings' | 'uptime' | 'backup'>
  /** Whether an endpoint still has this id; absent where the list of endpoints is always current. */
  readonly isCurrent?: AcceptPorts['isCurrent']
  /** A function, because the relay contains the store that is built here. */
  relay(): Relay
}

/** Builds the store: on Node once for all requests, on Workers for each request. */
type StoreOf = (ports: Pick<AcceptPorts, 'background' | 'recorder'>) => RelayStore

/** Builds all that requests need of the database: delivery, records, large bodies and the admin API. */
export function relayStoreOf(parts: StoreParts): StoreOf {
  const { config, access, settings, encryption, endpoints, deliveries } = parts
  const { now, log, report, isCurrent } = parts
  const { limits, responseTime, notify } = settings
  const asked = {
    ...githubOf(config, access.call),
    retryTime: retryTimeOf(responseTime),
    govern: access.rateLimiters.live,
  }
  const { nameQueue } = access.rateLimiters
  const accept = {
    send: dispatchTo(asked, access.metrics),
    store: deliveries,
    encryption,
    nameQueue,
    endpoints,
    ...(isCurrent && { isCurrent }),
    follows: (dispatch: Dispatch) => isFollowed(dispatch, config),
    retains: limits.retention > 0,
    memory: new AcceptanceMemory(),
    responseTime,
    callTime: config.figures.GITHUB_TIMEOUT_MS,
    now,
    random: Math.random,
    after: steadyClock.after,
    log,
    report,
  }
  const own: TokenSource | undefined = config.githubCredential && {
    token: async (wanted) => (await parts.credentials.own()).token(wanted),
  }
  const largeBodies = largeBodiesOf(parts)
  const admin = adminApi({
    keys: parts.keys,
    encryption,
    allowsTokens: config.allowsTokens,
    ports: {
      ...parts.admin,
      endpoints,
      nameQueue,
      passAgain: passAgain(endpoints, parts.relay),
      newId: () => crypto.randomUUID(),
      hasCredential: config.githubCredential !== undefined,
      publicUrl: config.publicUrl,
      loadChecks: parts.loadChecks,
      now: systemClock.now,
      checkAccess: accessCheck(asked, own),
      metrics: access.metrics,
      credentialKind: credentialKind(config),
      storageLimit: limits.bytes,
      log,
    },
    report,
  })
  return (ports) => {
    const acceptance = new Acceptance({ ...accept, ...ports })
    return {
      endpoints,
      deliver: (events, endpoint) => acceptance.deliver(events, endpoint),
      record: (request) => acceptance.record(request),
      clientGone: (endpoint) => acceptance.clientGone(endpoint),
      wasAccepted: async (event) => deliveries.wasAccepted(await nameQueue(event)),
      isNotification: async ({ headers, body = new Uint8Array() }) =>
        notify !== undefined &&
        isOwnNotification((name) => headers.get(name), body, { secret: notify.secret, now: now() }),
      largeBodies,
      admin,
    }
  }
}

/** Absent without a public address, because the action could not fetch a body. */
function largeBodiesOf({ config: { publicUrl }, settings, bodies, now, report }: StoreParts) {
  if (!bodies || publicUrl === undefined) return undefined
  const { sleep } = systemClock
  return new LargeBodies({ ...bodies, most: settings.mostBodyBytes, publicUrl, now, sleep, report })
}

/** Milliseconds within which the receiver of a notification must respond; senders wait for `responseTime`. */
const RECEIVER_TIME = 15_000

/** Posts notifications to `url` alone: a redirect is not followed, and counts as a failure. */
function postTo(url: URL): PostNotification {
  return async (headers, body) => {
    const signal = AbortSignal.timeout(RECEIVER_TIME)
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    await response.body?.cancel()
    return response.status
  }
}
