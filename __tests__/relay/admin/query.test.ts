import { describe, expect, test } from '@jest/globals'
import {
  invalidQuery,
  isoTime,
  queryOf,
  readJsonBody,
  readPage,
} from '../../../src/relay/admin/query.ts'

const page = (query: string) => {
  try {
    return readPage(queryOf(`/-admin/deliveries/octo?${query}`))
  } catch (error) {
    return error
  }
}

const LIMIT = 'limit must be a whole number from 1 to 1000'
const AFTER = 'after must be the "next" of the previous page'

test.each([
  ['', { limit: 100, after: undefined }],
  ['limit=1&after=0', { limit: 1, after: 0 }],
  ['limit=1000&after=1234567890123456', { limit: 1000, after: 1_234_567_890_123_456 }],
  ['limit=0', LIMIT],
  ['limit=1001', LIMIT],
  ['limit=1.5', LIMIT],
  ['limit=x', LIMIT],
  ['limit=', LIMIT],
  ['after=', AFTER],
  ['after=1x', AFTER],
  ['after=x1', AFTER],
  ['after=-1', AFTER],
  ['after=12345678901234567', AFTER],
])('the page of the query %j', (query, expected) => {
  const hint = typeof expected === 'string' ? expected : undefined
  const refusal = { code: 'invalid_query', status: 400, message: 'the query is invalid', hint }
  if (hint === undefined) expect(page(query)).toEqual(expected)
  else expect(page(query)).toMatchObject(refusal)
})

test('a target without a query has no page of its own', () => {
  expect(readPage(queryOf('/-admin/deliveries'))).toEqual({ limit: 100, after: undefined })
})

describe('the body of a request', () => {
  const read = (body: string | Error) => {
    const limits: number[] = []
    const readBody = async (most: number) => {
      limits.push(most)
      if (body instanceof Error) throw body
      return new TextEncoder().encode(body)
    }
    const request = { method: 'POST', target: '/', headers: [], readBody }
    return readJsonBody(request, invalidQuery).then(
      (value) => ({ value, limits }),
      ({ code, hint }) => ({ code, hint, limits }),
    )
  }
  const limits = [65_536]
  const NO_JSON = 'The body must be JSON, of at most 64 KB.'
  const NO_OBJECT = 'The body must be a JSON object.'

  test.each([
    ['', { value: {} }],
    ['{"a":1}', { value: { a: 1 } }],
    [' ', { code: 'invalid_query', hint: NO_JSON }],
    ['{"a"', { code: 'invalid_query', hint: NO_JSON }],
    [new Error('too long'), { code: 'invalid_query', hint: NO_JSON }],
    ['[]', { code: 'invalid_query', hint: NO_OBJECT }],
    ['null', { code: 'invalid_query', hint: NO_OBJECT }],
    ['"a"', { code: 'invalid_query', hint: NO_OBJECT }],
  ])('%p', async (body, expected) => {
    expect(await read(body)).toEqual({ ...expected, limits })
  })
})

test('times are ISO 8601 in UTC', () => {
  expect(isoTime(1_234)).toBe('1970-01-01T00:00:01.234Z')
})
