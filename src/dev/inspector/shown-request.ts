import { bodyBytes, toBase64, utf8Text } from '../../wire/bytes.ts'
import { record } from '../../wire/json.ts'
import { type ClientPayload, HEADER, RESERVED_HEADER_PREFIX } from '../../wire/payload.ts'
import { CREDENTIAL_HEADERS } from '../../wire/request.ts'
import type { Withheld } from './recorder.ts'
import type { ShownRequest } from './wire.ts'

/** Stands for what authenticates the sender: kept for a replay, never shown. */
export const HIDDEN = '***'

/** The request of a payload, and what of it is not shown. */
export async function shownRequest(
  payload: ClientPayload,
): Promise<{ readonly request: ShownRequest; readonly withheld: Withheld }> {
  const { method, path } = payload
  const headers = Object.entries(payload.headers).filter(
    ([name]) => !name.startsWith(RESERVED_HEADER_PREFIX),
  )
  const shown = headers.map(
    ([name, value]) => [name, CREDENTIAL_HEADERS.has(name) ? HIDDEN : value] as const,
  )
  const withheld = record(headers.filter(([name]) => CREDENTIAL_HEADERS.has(name)))
  return { request: { method, path, headers: record(shown), ...(await body(payload)) }, withheld }
}

async function body({
  body,
  headers,
}: ClientPayload): Promise<Pick<ShownRequest, 'body' | 'encoding'>> {
  // Here a payload comes from the relay, which writes text or nothing.
  const text = typeof body === 'string' ? body : ''
  const bytes = await bodyBytes(text, headers[HEADER.bodyEncoding])
  const read = utf8Text(bytes)
  return read === undefined
    ? { body: toBase64(bytes), encoding: 'base64' }
    : { body: read, encoding: 'text' }
}
