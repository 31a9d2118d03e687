import type { RelayResponse } from '../wire/http.ts'
import { isObject, parsePlainJson } from '../wire/json.ts'
import { parseWebhookPath } from '../wire/path.ts'

/** A value that may stand in a header of the answer: visible ASCII and nothing else. */
export function visible(value: string | undefined): string | undefined {
  return value !== undefined && /^[!-~]+$/.test(value) ? value : undefined
}

/** The query, where it may hold a parameter of that name: most requests need not be decoded. */
export function queryOf(path: string, name: string): URLSearchParams | undefined {
  return path.includes(name) ? new URLSearchParams(parseWebhookPath(path).querystring) : undefined
}

/** A parameter that is there once. */
export function only(query: URLSearchParams | undefined, name: string): string | undefined {
  const values = query?.getAll(name) ?? []
  return values.length === 1 ? values[0] : undefined
}

/** Characters of the body of a handshake: larger ones are events, and are not read here. */
const LARGEST_BODY = 8192

export function jsonObject(body = ''): Record<string, unknown> | undefined {
  if (body.length > LARGEST_BODY || !body.includes('challenge')) return undefined
  const value = jsonValue(body)
  return isObject(value) ? value : undefined
}

export function jsonValue(body = ''): unknown {
  try {
    return body.length > LARGEST_BODY ? undefined : parsePlainJson(body)
  } catch {
    return undefined
  }
}

export function text(body: string): RelayResponse {
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body }
}

export function json(value: object): RelayResponse {
  const headers = { 'content-type': 'application/json' }
  return { status: 200, headers, body: JSON.stringify(value) }
}
