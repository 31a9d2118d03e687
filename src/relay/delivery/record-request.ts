import { splitOnce } from '../../wire/path.ts'
import type { Secret } from '../../wire/secret.ts'
import type { Dispatch } from '../github/send.ts'
import type { NewDelivery } from '../store/delivery-rows.ts'
import type { Encryption } from '../store/encryption.ts'
import type { Endpoint } from '../store/endpoint-settings.ts'
import { encryptRequest, type StoredRequest, storedBody } from './event-record.ts'

/** A request to an endpoint that started nothing. */
export interface RecordedRequest {
  readonly state: 'filtered' | 'refused'
  /** Id of the request. */
  readonly delivery: string
  readonly endpoint: Endpoint
  /** The raw request target. */
  readonly target: string
  readonly method: string
  /** `<workflow>/<trigger>[/<rest>]` */
  readonly path: string
  /** ISO 8601, UTC. */
  readonly receivedAt: string
  /** The forwarded headers, by lower-case name. */
  readonly headers: ReadonlyMap<string, string>
  /** The received body; `undefined` if it is too large for memory, or was not read. */
  readonly body: Uint8Array | undefined
  /** Bytes of the received body. */
  readonly size: number
  /** An error code, or `if`. */
  readonly reason: string
  /** What did not match, for a person. */
  readonly explanation: string | undefined
  /** The strings that must not be stored. */
  readonly secrets: readonly Secret[]
}

/** The columns of a delivery that say what GitHub knows of it: nothing. */
export const NO_FACTS = {
  accepted: null,
  githubMs: null,
  run: null,
  explanation: null,
  follows: false,
  collection: null,
} as const

/** The columns about a request, which are not encrypted: they omit the query. */
export function shownRequest(
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
    readonly nameQueue: (event: Pick<Dispatch, 'repository' | 'credential'>) => Promise<string>
    readonly encryption: Encryption
  },
): Promise<NewDelivery> {
  const { state, delivery: id, endpoint, receivedAt, reason, explanation } = request
  const [owner, name] = splitOnce(endpoint.repository, '/')
  const credential = queueCredential(endpoint)
  return {
    id,
    request: id,
    replayOf: null,
    queue: await nameQueue({ repository: { owner, name }, credential }),
    endpoint: endpoint.name,
    path: splitOnce(request.path, '?')[0],
    method: request.method,
    received: Date.parse(receivedAt),
    size: request.size,
    ...NO_FACTS,
    ...(await encryptRequest(recordedContent(request), encryption)),
    state,
    attempts: 0,
    doubts: 0,
    wait: 0,
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

/** What is stored of a request that started nothing: no body that contains a token. */
function recordedContent(request: RecordedRequest): StoredRequest {
  const { state, endpoint, target, method, receivedAt, headers, body, size, secrets } = request
  const isRefused = state === 'refused'
  // Some senders repeat the URL that they call in the body, so it may contain the id of the endpoint.
  const id = endpoint.id.reveal()
  const tokens = secrets.filter((secret) => secret.reveal() !== id)
  const kept = body && !hasSecret(body, tokens) ? body : undefined
  const shown = isRefused ? kept?.subarray(0, REFUSED_BODY) : kept
  const isCut = (shown?.length ?? 0) < size
  return {
    target,
    method,
    receivedAt,
    headers: [...headers].map(([name, value]) =>
      isRefused ? [name] : [name, scrubbed(name, value, secrets)],
    ),
    body: shown === undefined ? null : storedBody(shown),
    ...(isCut && { isCut }),
  }
}

function hasSecret(body: Uint8Array, secrets: readonly Secret[]): boolean {
  const text = new TextDecoder('latin1').decode(body)
  return secrets.some((secret) => secret.isIn(text))
}

/** A signed header may contain the URL, and must stay as it is; `authorization` is never shown. */
function scrubbed(name: string, value: string, secrets: readonly Secret[]): string {
  if (name === 'authorization') return value
  return secrets.reduce((text, secret) => secret.scrub(text), value)
}
