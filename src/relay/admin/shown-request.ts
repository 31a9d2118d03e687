import { bodyBytes } from '../../wire/bytes.ts'
import { splitOnce } from '../../wire/path.ts'
import { HEADER, RESERVED_HEADER_PREFIX, readClientPayload } from '../../wire/payload.ts'
import { CREDENTIAL_HEADERS } from '../../wire/webhook-request.ts'
import { type DeliveryContent, storedBody } from '../delivery/event-record.ts'
import type { Endpoint } from '../store/endpoint-settings.ts'
import type { LoadChecks } from '../webhook/checks.ts'

/** A request as the admin API shows it: without credentials and signatures. */
interface ShownRequest {
  readonly method: string
  /** `<workflow>/<trigger>[/<rest>]` */
  readonly path: string
  /** Without the parameters that authenticated the sender. */
  readonly query: string
  /** Values are `null` for a refused request. */
  readonly headers: Readonly<Record<string, string | null>>
  /** `null` if it is not stored. */
  readonly body: string | null
  /** Set if `body` is base64. */
  readonly bodyEncoding?: 'base64'
  /** True if only the beginning of the body is stored. */
  readonly isCut?: true
  /** Address of a body that the relay stores because it is too large for an event. */
  readonly bodyUrl?: string
}

/** Cookies do not travel to GitHub, but a request that was refused may have had some. */
const HIDDEN: ReadonlySet<string> = new Set([
  ...CREDENTIAL_HEADERS,
  'cookie',
  'proxy-authorization',
])

/**
 * @param path of the delivery, without its query
 * @param endpoint whose signatures are omitted
 */
export async function shownRequest(
  content: DeliveryContent,
  path: string,
  endpoint: Endpoint | undefined,
  loadChecks: LoadChecks,
): Promise<ShownRequest> {
  const locations = endpoint?.verify
    ? (await loadChecks()).signatureLocations({ verify: endpoint.verify })
    : {}
  const isShown = (name: string) =>
    !HIDDEN.has(name) &&
    !name.startsWith(RESERVED_HEADER_PREFIX) &&
    !locations.headers?.includes(name)
  const queryOf = (url: string) =>
    splitOnce(url, '?')[1]
      .split('&')
      .filter((pair) => {
        const [name = ''] = new URLSearchParams(`&${pair}`).keys()
        return !name.startsWith('__') && !locations.query?.includes(name)
      })
      .join('&')
  if (content.received) {
    const { method, target, headers, body, isCut } = content.received
    const shown = headers.filter(([name]) => isShown(name))
    return {
      method,
      path,
      query: queryOf(target),
      headers: Object.fromEntries(shown.map(([name, value = null]) => [name, value])),
      ...shownBody(body),
      ...(isCut && { isCut }),
    }
  }
  const payload = readClientPayload(JSON.parse(content.event.clientPayload))
  const { method, headers, body } = payload
  const bodyUrl = headers[HEADER.bodyUrl]
  const bytes =
    typeof body === 'string' ? await bodyBytes(body, headers[HEADER.bodyEncoding]) : undefined
  return {
    method,
    path,
    query: queryOf(payload.path),
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => isShown(name))),
    ...shownBody(bytes ? storedBody(bytes) : bodyUrl === undefined ? { text: '' } : null),
    ...(bodyUrl !== undefined && { bodyUrl }),
  }
}

function shownBody(
  body: ReturnType<typeof storedBody> | null,
): Pick<ShownRequest, 'body' | 'bodyEncoding'> {
  if (body === null) return { body: null }
  return 'text' in body ? { body: body.text } : { body: body.base64, bodyEncoding: 'base64' }
}
