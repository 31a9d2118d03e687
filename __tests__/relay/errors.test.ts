import { expect, test } from '@jest/globals'
import {
  bodyTooLarge,
  ERROR_CODES,
  githubUnavailable,
  isAmbiguous,
  methodNotAllowed,
  notFound,
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

const EARLIER =
  'GitHub may have accepted the event in an earlier call, so let the workflow drop duplicates.'

test.each([
  ['github_unavailable', { tries: 1 }, false, false],
  ['github_unavailable', { tries: 1, githubStatus: 199 }, false, false],
  ['github_unavailable', { tries: 1, githubStatus: 200 }, true, false],
  ['github_unavailable', { tries: 1, githubStatus: 299 }, true, false],
  ['github_unavailable', { tries: 1, githubStatus: 300 }, false, false],
  ['event_rejected', { tries: 1, githubStatus: 499 }, false, false],
  ['github_unavailable', { tries: 1, githubStatus: 500 }, true, false],
  ['github_unavailable', { tries: 1, githubStatus: 503 }, false, false],
  ['github_unavailable', { tries: 1, githubStatus: 504 }, true, false],
  ['github_timeout', { tries: 1 }, true, false],
  ['github_unavailable', { tries: 2, githubStatus: 503, mayBeAccepted: true }, true, true],
  ['github_unavailable', { tries: 2, githubStatus: 502, mayBeAccepted: true }, true, false],
  ['github_timeout', { tries: 2, mayBeAccepted: true }, true, false],
  ['invalid_token', { tries: 2, githubStatus: 401, mayBeAccepted: false }, false, false],
] as const)(
  '%s after %j: accepted perhaps %p, and in an earlier call %p',
  (code, attempts, may, earlier) => {
    const cause = new Error('cut')
    const error = new RelayError(code, { message: 'm', retryAfter: 7, cause }).after(attempts)
    const hint = ERROR_CODES[code].hint.replace('later', 'in 7 seconds')
    expect({ ...error, message: error.message, cause: error.cause }).toEqual({
      ...{ name: 'RelayError', code, message: 'm', status: ERROR_CODES[code].status },
      hint: earlier ? `${hint} ${EARLIER}` : hint,
      ...{ retryAfter: 7, attempts, allowed: undefined, cause },
    })
    expect(isAmbiguous(error)).toBe(may)
  },
)

test('an error without calls is ambiguous by its code alone', () => {
  expect(isAmbiguous(new RelayError('github_timeout'))).toBe(true)
  expect(isAmbiguous(new RelayError('github_unavailable'))).toBe(false)
})

test.each([
  [notFound('/x'), 404, 'not a webhook URL', 'Use a URL of the form /x.'],
  [bodyTooLarge(), 413, 'the body is too large for the relay', 'Send at most 262144 bytes.'],
  [bodyTooLarge(7), 413, 'the body is too large for the relay', 'Send at most 7 bytes.'],
  [methodNotAllowed(['A', 'B']), 405, 'method not allowed', 'Use one of A, B.'],
])('%s', (error, status, message, hint) => {
  expect([error.status, error.message, error.hint]).toEqual([status, message, hint])
})

test('an error of another bundle is known by its name', () => {
  const named = (name: string) => Object.assign(new Error('x'), { name })
  const values = [named('RelayError'), named('Error'), { name: 'RelayError' }, undefined]
  expect(values.map((value) => value instanceof RelayError)).toEqual([true, false, false, false])
})
