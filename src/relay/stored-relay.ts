// Puts a relay with a database together: what delivers its events, and what its requests ask. On Node both run
// in one process; on Workers the first in the object of an owner, and the second in the isolate of a request.

import { type AdminPorts, adminApi } from './admin/admin.ts'
import { accessCheck } from './admin/check-access.ts'
import { passAgain } from './admin/pass-again.ts'
import {
  credentialKind,
  type ForgeAccess,
  ownToken,
  type RelayConfig,
  steadyClock,
  systemClock,
} from './config.ts'
import { Acceptance, type AcceptPorts, type RelayStore } from './delivery/accept.ts'
import { Deliveries } from './delivery/deliveries.ts'
import type { ChangeLine } from './delivery/log-lines.ts'
import { isOwnNotification, postTo } from './delivery/notify.ts'
import { queueNames } from './delivery/queue-name.ts'
import type { Credentials } from './github/credential.ts'
import { runFinder, runReader } from './github/find-run.ts'
import type { Packer } from './github/payload-limit.ts'
import { detailsReader } from './github/run-details.ts'
import {
  countingRefusals,
  type Dispatch,
  type DispatchOptions,
  type DispatchPort,
  dispatchTo,
  type Govern,
} from './github/send.ts'
import type { Relay } from './relay.ts'
import type { StorageSettings } from './storage-settings.ts'
import type { LargeBodies } from './store/bodies.ts'
import { BodyTable } from './store/body-table.ts'
import type { Database } from './store/database.ts'
import { DeliveryTable, ENCRYPTED_DELIVERIES } from './store/deliveries.ts'
import { type Encryption, type Reencrypted, reencrypt, rowsByKey } from './store/encryption.ts'
import type { EndpointLookup } from './store/endpoint-lookup.ts'
import { ENCRYPTED_ENDPOINTS, reencryptEndpoints } from './store/endpoint-records.ts'
import type { EndpointStore } from './store/endpoint-table.ts'
import { NotificationTable } from './store/notifications.ts'
import type { RelayKeys } from './store/relay-key.ts'
import type { LoadChecks } from './webhook/checks.ts'

interface SharedParts {
  readonly config: RelayConfig
  readonly access: ForgeAccess
  readonly settings: StorageSettings
  readonly encryption: Encryption
  readonly credentials: Credentials
  /** Milliseconds since 1970; never jumps while the process runs. */
  now(): number
  log(line: ChangeLine): void
  report(error: unknown): void
}

interface DatabaseParts extends SharedParts {
  readonly database: Database
  /** The endpoints of the database. */
  readonly endpoints: Pick<EndpointStore, 'versions' | 'list'>
  readonly pack: Packer
  /** To be told that something is due earlier than before. */
  changed(): void
}

/** What runs over one database: on Node for all owners, in a RelayObject for one. */
export interface OpenDeliveries {
  readonly table: DeliveryTable
  readonly bodies: BodyTable
  readonly deliveries: Deliveries
}

export function openDeliveries(parts: DatabaseParts): OpenDeliveries {
  const { database, settings, encryption, access, config, now } = parts
  const { limits, mostBodyBytes: most, age, notify } = settings
  const { rateLimiters, metrics } = access
  const table = new DeliveryTable({ database, limits, keyIds: encryption.keyIds, now })
  const bodies = new BodyTable({ database, room: table, most, now })
  const lookups = callsOf(parts, 0, rateLimiters.lookup)
  const deliveries = new Deliveries({
    ...parts,
    table,
    notifications: new NotificationTable(database),
    limiters: rateLimiters,
    send: senderOf(parts, 0, rateLimiters.granted),
    findRuns: runFinder(lookups),
    readRuns: runReader(lookups),
    readDetails: detailsReader(lookups),
    listsRuns: listsRuns(config),
    age,
    notify: notify && { ...notify, post: postTo(notify.url) },
    metrics,
    random: Math.random,
    after: steadyClock.after,
  })
  return { table, bodies, deliveries }
}

interface StoreParts extends SharedParts {
  readonly keys: RelayKeys
  readonly endpoints: EndpointLookup
  readonly loadChecks: LoadChecks
  /** The deliveries that requests add to. */
  readonly deliveries: AcceptPorts['store']
  readonly recorder: AcceptPorts['recorder']
  readonly largeBodies: LargeBodies | undefined
  /** The parts of the admin API that differ. */
  readonly admin: Pick<
    AdminPorts,
    'deliveriesOf' | 'figures' | 'rowsByKey' | 'alarms' | 'warnings' | 'uptime' | 'backup'
  >
  /** Whether an endpoint still has this id; absent where the list of endpoints is always current. */
  readonly isCurrent?: AcceptPorts['isCurrent']
  /** Takes work that goes on after the response. */
  background(work: Promise<void>): void
  relay(): Relay
}

/** What requests ask of the database. */
export function openStore(parts: StoreParts): RelayStore {
  const { config, access, settings, encryption, credentials, endpoints, deliveries } = parts
  const { limits, responseTime, notify } = settings
  const { allowsTokens, budget: callTime, githubCredential, publicUrl } = config
  const { now, log, report, background, recorder, loadChecks, largeBodies, isCurrent } = parts
  const nameQueue = queueNames(access.rateLimiters)
  const acceptance = new Acceptance({
    send: senderOf(parts, responseTime, access.rateLimiters.live),
    store: deliveries,
    recorder,
    encryption,
    nameQueue,
    hadEvent: (endpoint) => endpoints.hadEvent(endpoint),
    ...(isCurrent && { isCurrent }),
    used: (endpoint) => endpoints.accepted(endpoint),
    follows: (dispatch) => isFollowed(dispatch, config),
    retains: limits.retention > 0,
    responseTime,
    callTime,
    now,
    random: Math.random,
    after: steadyClock.after,
    background,
    log,
    report,
  })
  const ports: AdminPorts = {
    ...parts.admin,
    endpoints,
    nameQueue,
    passAgain: passAgain(endpoints, parts.relay),
    newId: () => crypto.randomUUID(),
    hasCredential: githubCredential !== undefined,
    publicUrl,
    loadChecks,
    now: systemClock.now,
    checkAccess: accessCheck(
      callsOf(parts, responseTime, access.rateLimiters.live),
      ownToken(config, credentials),
    ),
    metrics: access.metrics,
    credentialKind: credentialKind(config),
    storageLimit: limits.bytes,
    log,
  }
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
    admin: adminApi({ relayKey: { keys: parts.keys, encryption }, allowsTokens, ports, report }),
  }
}

function senderOf(parts: SharedParts, retryTime: number, govern: Govern): DispatchPort {
  return countingRefusals(dispatchTo(callsOf(parts, retryTime, govern)), parts.access.metrics)
}

function callsOf(
  { config: { apiUrl, budget, forge }, access: { call } }: SharedParts,
  retryTime: number,
  govern: Govern,
): DispatchOptions {
  return { call, apiUrl, budget, forge, clock: systemClock, retryTime, govern }
}

/** The API of other forges lists no runs as GitHub's does. */
function listsRuns({ forge }: RelayConfig): boolean {
  return forge === undefined || forge === 'github'
}

/** Deliveries of endpoints are followed, but for those that a notification about a run caused. */
function isFollowed({ credential, isNotification }: Dispatch, config: RelayConfig): boolean {
  return listsRuns(config) && credential.endpoint !== undefined && isNotification !== true
}

/** Encrypts the rows of older relay keys by the first one. */
export async function reencryptAll(
  database: Database,
  encryption: Encryption,
): Promise<Reencrypted> {
  const endpoints = await reencryptEndpoints(database, encryption)
  const deliveries = await reencrypt(database, ENCRYPTED_DELIVERIES, encryption)
  return {
    rows: endpoints.rows + deliveries.rows,
    unreadable: endpoints.unreadable + deliveries.unreadable,
  }
}

/** Rows by the id of their relay key. */
export async function rowsOfKeys(database: Database): Promise<Readonly<Record<string, number>>> {
  const sums = new Map<string, number>()
  for (const table of [ENCRYPTED_DELIVERIES, ENCRYPTED_ENDPOINTS]) {
    for (const [key, count] of Object.entries(await rowsByKey(database, table))) {
      sums.set(key, (sums.get(key) ?? 0) + count)
    }
  }
  return Object.fromEntries(sums)
}
