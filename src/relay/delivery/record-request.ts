import { splitOnce } from '../../wire/path.ts'
import type { NameQueue } from '../github/rate-limiter.ts'
import type { Dispatch } from '../github/send.ts'
import type { NewDelivery } from '../store/delivery-rows.ts'
import type { Encryption } from '../store/encryption.ts'
import type { Endpoint } from '../store/endpoint-settings.ts'
import { encryptContent, type StoredRequest, storedBody } from './event-record.ts'

/** A request to an endpoint that started nothing. */
export interface RecordedRequest {
  readonly state: 'filtered' | 'refused'
  /** UUID of the request. */
  readonly delivery: string
  readonly endpoint: Endpoint
  /** The raw request target, which some schemes sign. It contains the id of the endpoint. */
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
  /** What did not match, for a person. */
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

/** The row of a filtered or refused request. */
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

/** What is stored of a request that started nothing. */
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
