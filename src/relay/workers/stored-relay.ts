// A relay on Workers with the binding `RELAY`: its requests ask the objects of the owners.

import { toHex } from '../../wire/bytes.ts'
import { readSetting } from '../../wire/settings.ts'
import { type ForgeAccess, type RelayConfig, readStorageSettings, steadyClock } from '../config.ts'
import type { RelayStore } from '../delivery/accept.ts'
import { recordEach } from '../delivery/recorder.ts'
import { RelayError } from '../errors.ts'
import type { Relay } from '../relay.ts'
import type { StreamedHash } from '../store/bodies.ts'
import { Encryption } from '../store/encryption.ts'
import type { EndpointLookup } from '../store/endpoint-lookup.ts'
import { endpointHash } from '../store/endpoint-records.ts'
import type { Endpoint } from '../store/endpoint-settings.ts'
import { holderOf, ownerOf, repositoryOf } from '../store/queue-name.ts'
import { type RelayKeys, readRelayKeys } from '../store/relay-key.ts'
import { openEndpoints, relayStoreOf } from '../stored-relay.ts'
import { errorResponse } from '../webhook/responses.ts'
import { type Bindings, environmentOf } from './bindings.ts'
import { githubFetch } from './github-fetch.ts'
import { logChange } from './log.ts'
import type { ObjectNamespace } from './object-call.ts'
import { LOOK_HOLDS, OwnerObjects } from './owner-objects.ts'

/** Milliseconds for which an isolate uses its answer for an id that is unknown: another one may have created it. */
const UNKNOWN_HOLDS = 1000

/** Takes the function that keeps the runtime alive after a response. */
export type RelayOfRequest = (background: (work: Promise<unknown>) => void) => Relay

interface StoredRelayParts {
  readonly env: Bindings
  readonly namespace: ObjectNamespace
  readonly config: RelayConfig
  readonly access: ForgeAccess
  /** The same relay without a database. */
  readonly stateless: Relay
}

/**
 * A relay with a database. Without a relay key, endpoints and the admin API respond with 503, and token URLs
 * work as on a stateless relay.
 *
 * @throws UserError for an invalid setting
 */
export async function storedRelay(parts: StoredRelayParts): Promise<RelayOfRequest> {
  const text = readSetting(environmentOf(parts.env), 'HOOKLINE_RELAY_KEY')
  if (text) return relayWithKey(parts, await readRelayKeys(text, 'HOOKLINE_RELAY_KEY'))
  const { stateless } = parts
  const relay = { ...stateless, store: storeWithoutKey(stateless) }
  return () => relay
}

function storeWithoutKey({ send }: Relay): RelayStore {
  return {
    endpoints: {
      find: async () => {
        throw new RelayError('relay_key_missing')
      },
    },
    deliver: ([event]) => send(event),
    record: () => {},
    clientGone: () => {},
    wasAccepted: async () => false,
    isNotification: async () => false,
    largeBodies: undefined,
    admin: async (_, delivery) => errorResponse(new RelayError('relay_key_missing'), delivery),
  }
}

function relayWithKey(
  { env, namespace, config, access: ofWorker, stateless }: StoredRelayParts,
  keys: RelayKeys,
): RelayOfRequest {
  // This bundle knows only the errors of its own calls.
  const access = { ...ofWorker, call: githubFetch(config.apiUrl) }
  const { report, loadChecks } = stateless
  const settings = readStorageSettings(environmentOf(env), config.figures, true)
  const encryption = new Encryption(keys)
  const objects = new OwnerObjects(namespace, { now: steadyClock.now, report })
  const shared = { config, access, settings, encryption, now: Date.now, log: logChange, report }
  const holds = { known: LOOK_HOLDS, unknown: UNKNOWN_HOLDS }
  const { endpoints, credentials } = openEndpoints(objects, shared, holds)
  const deliveries = {
    ...objects.deliveries,
    waits: async (queue: string) => {
      const limiter = access.rateLimiters.of(holderOf(queue), ownerOf(queue))
      return limiter.mustWait(repositoryOf(queue)) || objects.deliveries.waits(queue)
    },
  }
  const started = performance.now()
  const storeOf = relayStoreOf({
    ...shared,
    credentials,
    keys,
    endpoints,
    loadChecks,
    deliveries,
    bodies: { storeOf: (owner) => objects.bodiesOf(owner), newHash },
    isCurrent: (endpoint) => isCurrent(endpoint, endpoints),
    relay: () => relay,
    admin: {
      deliveriesOf: (owner) => (owner === undefined ? undefined : objects.deliveriesOf(owner)),
      uptime: () => (performance.now() - started) / 1000,
      warnings: async () => [],
    },
  })
  const relayOf: RelayOfRequest = (background) => {
    const recorder = recordEach({ record: deliveries.record, background, report })
    return { ...stateless, credentials, store: storeOf({ recorder, background }) }
  }
  // A replay checks and builds events, and leaves no work behind.
  const relay = relayOf(() => {})
  return relayOf
}

/** False for an endpoint that was deleted, or has another id by now. */
async function isCurrent(endpoint: Endpoint, endpoints: EndpointLookup): Promise<boolean> {
  const current = await endpoints.current(endpoint)
  if (!current) return false
  const [now, then] = await Promise.all([current, endpoint].map(({ id }) => endpointHash(id)))
  return now === then
}

/** https://developers.cloudflare.com/workers/runtime-apis/web-crypto/#constructors */
interface DigestStream {
  getWriter(): { write(bytes: Uint8Array): Promise<void>; close(): Promise<void> }
  readonly digest: Promise<ArrayBuffer>
}

/** Web Crypto hashes only whole values, and the runtime has a stream of its own. */
function newHash(): StreamedHash {
  // The types of the runtime are not installed.
  const { DigestStream } = crypto as unknown as {
    readonly DigestStream: new (algorithm: string) => DigestStream
  }
  const stream = new DigestStream('SHA-256')
  const writer = stream.getWriter()
  return {
    update: (bytes) => writer.write(bytes),
    digest: async () => {
      await writer.close()
      return toHex(new Uint8Array(await stream.digest))
    },
  }
}
