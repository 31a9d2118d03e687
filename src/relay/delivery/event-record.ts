import { fromBase64, toBase64, utf8Text } from '../../wire/bytes.ts'
import { isObject } from '../../wire/json.ts'
import { splitOnce } from '../../wire/path.ts'
import { type StoredCredential, storedCredential } from '../github/credential.ts'
import type { NameQueue } from '../github/rate-limiter.ts'
import type { Dispatch } from '../github/send.ts'
import type { NewDelivery, StoredDelivery } from '../store/delivery-rows.ts'
import { type EncryptedRecord, type Encryption, EVENT } from '../store/encryption.ts'
import type { Endpoint } from '../store/endpoint-settings.ts'

/** An event and what is needed to restore its credential. */
export interface DecryptedEvent {
  readonly event: Omit<Dispatch, 'credential'>
  readonly credential: StoredCredential
}

/**
 * A request that started nothing: a filtered one as it was received, so that it can be replayed; of a refused
 * one only what explains the refusal.
 */
export interface StoredRequest {
  /** The raw request target: some schemes sign it. It contains the id of the endpoint. */
  readonly target: string
  readonly method: string
  /** ISO 8601, UTC. */
  readonly receivedAt: string
  /** The forwarded headers, by lower-case name; of a refused request the values are absent. */
  readonly headers: readonly (readonly [name: string, value?: string])[]
  /** Base64, or a string if it is valid UTF-8; `null` if it is not stored. */
  readonly body: { readonly text: string } | { readonly base64: string } | null
  /** True if only the beginning of the body is stored. */
  readonly isCut?: boolean
}

export type DeliveryContent =
  | (DecryptedEvent & { readonly received?: undefined })
  | { readonly received: StoredRequest; readonly event?: undefined }

export function encryptEvent(
  { credential, ...event }: Dispatch,
  encryption: Encryption,
): Promise<EncryptedRecord> {
  return encryptContent({ event, credential: storedCredential(credential) }, encryption)
}

export function encryptContent(
  content: DeliveryContent,
  encryption: Encryption,
): Promise<EncryptedRecord> {
  return encryption.encrypt(EVENT, content)
}

/** @returns `undefined` if it is not stored, no relay key decrypts it, or it is damaged */
export async function decryptContent(
  { key, content: encrypted }: Pick<StoredDelivery, 'key' | 'content'>,
  encryption: Encryption,
): Promise<DeliveryContent | undefined> {
  if (key === null || encrypted === null) return undefined
  const record = { key, content: encrypted }
  const content = await encryption.decrypt(EVENT, record).catch(() => undefined)
  const { event, received } = isObject(content) ? content : {}
  if (!isObject(event) && !isObject(received)) return undefined
  // The relay wrote it to its own disk.
  return content as DeliveryContent
}

/** The stored form of a body: it is shown as JSON. */
export function storedBody(bytes: Uint8Array): NonNullable<StoredRequest['body']> {
  const text = utf8Text(bytes)
  return text === undefined ? { base64: toBase64(bytes) } : { text }
}

export function bodyOf(body: NonNullable<StoredRequest['body']>): Uint8Array {
  return 'text' in body ? new TextEncoder().encode(body.text) : fromBase64(body.base64)
}

/** A request to an endpoint that started nothing. */
export interface RecordedRequest {
  readonly state: 'filtered' | 'refused'
  /** UUID of the request. */
  readonly delivery: string
  readonly endpoint: Endpoint
  /** The raw request target with the id of the endpoint; some schemes sign this target. */
  readonly target: string
  readonly method: string
  /** `<workflow>/<trigger>[/<rest>]`, with the query, without tokens. */
  readonly path: string
  /** ISO 8601, UTC. */
  readonly receivedAt: string
  /** The forwarded headers, without tokens. */
  readonly headers: ReadonlyMap<string, string>
  /** Empty if none was read, or it contains the GitHub token. */
  readonly body: Uint8Array
  /** Bytes of the received body. */
  readonly size: number
  /** The code of the error, or `if`. */
  readonly reason: string
  /** The mismatch in words. */
  readonly explanation: string | undefined
}

/** The columns about a request, which are not encrypted: they omit the query. */
export function requestColumns(
  request: Dispatch['request'],
  now: number,
): Pick<NewDelivery, 'path' | 'method' | 'received' | 'size'> {
  const { path = '', method = '', receivedAt, size = 0 } = request ?? {}
  const received = receivedAt === undefined ? now : Date.parse(receivedAt)
  return { path: splitOnce(path, '?')[0], method, received, size }
}

export async function requestRow(
  request: RecordedRequest,
  {
    nameQueue,
    encryption,
  }: {
    readonly nameQueue: NameQueue
    readonly encryption: Encryption
  },
): Promise<NewDelivery> {
  const { state, delivery: id, endpoint, receivedAt, reason, explanation } = request
  const [owner, name] = splitOnce(endpoint.repository, '/')
  const credential = queueCredential(endpoint)
  return {
    id,
    request: id,
    queue: await nameQueue({ repository: { owner, name }, credential }),
    endpoint: endpoint.name,
    endpointCreated: endpoint.created,
    path: splitOnce(request.path, '?')[0],
    method: request.method,
    received: Date.parse(receivedAt),
    size: request.size,
    ...(await encryptContent({ received: recordedContent(request) }, encryption)),
    state,
    reason,
    explanation: explanation ?? null,
  }
}

/** Names the queue of an endpoint: GitHub is not asked with it. */
function queueCredential({ owner, name, created, token }: Endpoint): Dispatch['credential'] {
  return {
    kind: 'endpoint',
    isOwn: token === undefined,
    endpoint: { owner, name, created },
    secrets: [],
    token: async () => token,
    ...(token && { githubToken: token }),
  }
}

/** Bytes of the body of a refused request that are stored. */
const REFUSED_BODY = 2048

/** The stored part of a request that started nothing. docs/learn/security.md promises that a refused one has no values of headers. */
function recordedContent(request: RecordedRequest): StoredRequest {
  const { state, target, method, receivedAt, headers, body, size } = request
  const isRefused = state === 'refused'
  const shown = isRefused ? body.subarray(0, REFUSED_BODY) : body
  return {
    target,
    method,
    receivedAt,
    headers: [...headers].map(([name, value]) => (isRefused ? [name] : [name, value])),
    body: shown.length === 0 && size > 0 ? null : storedBody(shown),
    ...(shown.length < size && { isCut: true }),
  }
}
