import type { RelayResponse } from '../wire/http.ts'
import { isObject, jsonOf } from '../wire/json.ts'
import { parseWebhookPath } from '../wire/path.ts'

/** The value if a response header can contain it: visible ASCII only. */
export function visibleAscii(value: string | undefined): string | undefined {
  return value !== undefined && /^[!-~]+$/.test(value) ? value : undefined
}

/** The query if it may contain the parameter; decoding most other requests is avoided. */
export function queryWith(path: string, name: string): URLSearchParams | undefined {
  return path.includes(name) ? new URLSearchParams(parseWebhookPath(path).querystring) : undefined
}

/** The value of a parameter that occurs exactly once. */
export function only(query: URLSearchParams | undefined, name: string): string | undefined {
  const values = query?.getAll(name) ?? []
  return values.length === 1 ? values[0] : undefined
}

/** The longest body of a handshake in characters; a longer one is an event, and is not read here. */
export const LARGEST_BODY = 8192

export function challengeBody(body = ''): Record<string, unknown> | undefined {
  if (body.length > LARGEST_BODY || !body.includes('challenge')) return undefined
  const value = jsonValue(body)
  return isObject(value) ? value : undefined
}

export function jsonValue(body = ''): unknown {
  return body.length > LARGEST_BODY ? undefined : jsonOf(body)
}

export function textResponse(body: string): RelayResponse {
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body }
}
