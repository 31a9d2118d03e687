import { expect, test } from '@jest/globals'
import {
  githubUnavailable,
  methodNotAllowed,
  RelayError,
  rateLimited,
} from '../../src/relay/errors.ts'
import { errorResponse } from '../../src/relay/webhook/responses.ts'

test.each([
  [new RelayError('overloaded'), 'Send the request again in 1 second.'],
  [rateLimited(30), 'Send the request again in 30 seconds.'],
  [githubUnavailable(), 'Send the request again later.'],
  [new RelayError('rate_limited', { hint: 'Try it later.', retryAfter: 2 }), 'Try it later.'],
])('the hint of the table names the time if it is known: %#', (error, hint) => {
  expect(error.hint).toBe(hint)
})

test.each([
  [methodNotAllowed(['GET', 'POST']), 'GET, POST'],
  [new RelayError('method_not_allowed'), 'GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS'],
  [new RelayError('not_found'), undefined],
])('a 405 lists the methods of its address: %#', (error, allow) => {
  expect(errorResponse(error, 'id').headers).toHaveProperty('content-type')
  expect(errorResponse(error, 'id').headers.allow).toBe(allow)
})
