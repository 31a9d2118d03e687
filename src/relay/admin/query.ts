import { RelayError } from '../errors.ts'

/** Entries of one page. */
const MOST_LISTED = 1000

export function isRead(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

export function queryOf(target: string): URLSearchParams {
  return new URLSearchParams(target.split('?')[1])
}

/**
 * Which page of a list is asked for.
 *
 * @param form of the cursor
 * @throws RelayError 400
 */
export function readPage(
  query: URLSearchParams,
  form: RegExp,
): { limit: number; cursor: string | undefined } {
  const limit = Number(query.get('limit') ?? 100)
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= MOST_LISTED)) {
    throw invalidQuery(`limit must be a whole number from 1 to ${MOST_LISTED}`)
  }
  const cursor = query.get('after') ?? undefined
  if (cursor !== undefined && !form.test(cursor)) {
    throw invalidQuery('after must be the "next" of the previous page')
  }
  return { limit, cursor }
}

/** @param time milliseconds since 1970 */
export function isoTime(time: number): string {
  return new Date(time).toISOString()
}

export function invalidQuery(hint: string): RelayError {
  return new RelayError(400, 'invalid_query', 'the query is invalid', { hint })
}

/** On Workers, where each owner has a database of its own. */
export function noOwner(): RelayError {
  return invalidQuery('name the owner: on Workers, each owner has a database of its own')
}
