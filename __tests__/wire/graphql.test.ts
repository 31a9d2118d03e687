import { expect, test } from '@jest/globals'
import type { GitHubResponse } from '../../src/wire/github-api.ts'
import { graphqlCall, graphqlData } from '../../src/wire/graphql.ts'

const REQUEST = { path: '/graphql', headers: {}, timeout: 1 }

function answerOf(status: number, value: unknown): GitHubResponse {
  const header = (name: string) => (name === 'retry-after' ? '5' : undefined)
  return { status, header, text: typeof value === 'string' ? value : JSON.stringify(value) }
}

const asked = (answer: GitHubResponse) => graphqlCall(async () => answer)(REQUEST)

test.each([
  ['with data', 200, { data: {} }],
  ['with no error in its list', 200, { data: {}, errors: [] }],
  ['that is no JSON', 200, '<html>'],
  ['that a gateway gave', 502, { errors: [{ type: 'FORBIDDEN', message: 'x' }] }],
])('an answer %s stays as it is', async (_, status, value) => {
  const answer = answerOf(status, value)
  expect(await asked(answer)).toBe(answer)
})

test.each([
  ['RATE_LIMITED', 'API rate limit exceeded', 403],
  ['FORBIDDEN', 'Resource not accessible', 403],
  ['INSUFFICIENT_SCOPES', 'Your token has not been granted', 403],
  ['NOT_FOUND', 'Could not resolve to a Repository', 404],
  ['STALE_DATA', 'Expected branch to point to', 409],
  ['UNPROCESSABLE', 'A path was requested for deletion', 422],
  ['ANYTHING_ELSE', 'Field does not exist', 422],
  [undefined, 'Something went wrong while executing your query', 502],
  [undefined, 'We saw that Something went wrong', 422],
  [undefined, 'timeout', 502],
  [undefined, 'Your request timed out', 502],
  [undefined, 'it will time out', 502],
  [undefined, undefined, 422],
])('an error of type %s, "%s", is what REST says by %i', async (type, message, status) => {
  const answer = await asked(answerOf(200, { errors: [{ type, message }, { type: 'OTHER' }] }))
  expect(answer.status).toBe(status)
  expect(JSON.parse(answer.text)).toEqual({ ...(type && { type }), message: message ?? '' })
  expect(answer.header('retry-after')).toBe('5')
})

test.each([
  ['of points', 'RATE_LIMITED', 'API rate limit exceeded', '0'],
  ['that is a secondary one', 'RATE_LIMITED', 'You exceeded a Secondary rate limit', undefined],
  ['of nothing', 'FORBIDDEN', 'Resource not accessible', undefined],
])('a limit %s says so of the calls that are left', async (_, type, message, left) => {
  const answer = await asked(answerOf(200, { errors: [{ type, message }] }))
  expect(answer.header('x-ratelimit-remaining')).toBe(left)
})

test('the data of a response is its field data', () => {
  expect(graphqlData({ ...answerOf(200, { data: { a: 1 } }) })).toEqual({ a: 1 })
  expect(graphqlData(answerOf(200, '<html>'))).toBeUndefined()
})
