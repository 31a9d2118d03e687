import type { RelayRequest } from '../../wire/http.ts'
import { isObject, parsePlainJson } from '../../wire/json.ts'
import { RelayError } from '../errors.ts'

/** Bytes of a request to the admin API. */
const MOST_BYTES = 64 * 1024

/** Entries of one page. */
const MOST_LISTED = 1000

export function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

export function queryOf(target: string): URLSearchParams {
  return new URLSearchParams(target.split('?')[1])
}

/** Which page of a list is asked for. @throws RelayError 400 */
export function readPage(query: URLSearchParams): { limit: number; after: number | undefined } {
  const limit = Number(query.get('limit') ?? 100)
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= MOST_LISTED)) {
    throw invalidQuery(`limit must be a whole number from 1 to ${MOST_LISTED}`)
  }
  const cursor = query.get('after')
  if (cursor !== null && !/^\d{1,16}$/.test(cursor)) {
    throw invalidQuery('after must be the "next" of the previous page')
  }
  return { limit, after: cursor === null ? undefined : Number(cursor) }
}

/**
 * The body of a request to the admin API; none is an empty object.
 *
 * @param invalid the error for any other body than a JSON object
 */
export async function readJsonBody(
  request: RelayRequest,
  invalid: (hint: string) => RelayError,
): Promise<Readonly<Record<string, unknown>>> {
  let body: unknown
  try {
    const text = new TextDecoder().decode(await request.readBody(MOST_BYTES))
    body = text === '' ? {} : parsePlainJson(text)
  } catch {
    throw invalid('The body must be JSON, of at most 64 KB.')
  }
  if (!isObject(body)) throw invalid('The body must be a JSON object.')
  return body
}

/** @param time milliseconds since 1970 */
export function isoTime(time: number): string {
  return new Date(time).toISOString()
}

export function invalidQuery(hint: string): RelayError {
  return new RelayError('invalid_query', { hint })
}

/** On Workers, where each owner has a database of its own. */
export function noOwner(): RelayError {
  return invalidQuery(
    'name the owner, for example by --repository owner/name: on Workers, each owner has a database of its own',
  )
}
