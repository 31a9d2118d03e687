import { describe, expect, test } from '@jest/globals'
import {
  type GitHubCallRequest,
  GitHubClient,
  type GitHubResponse,
  isRateLimit,
  type RetryPolicy,
} from '../../src/wire/github-api.ts'

const apiUrl = new URL('https://github.example.com/api/v3')

function answerOf(
  status: number,
  headers: Readonly<Record<string, string>> = {},
  text = '',
): GitHubResponse {
  return { status, text, header: (name) => headers[name] }
}

/**
 * Sends a request to a GitHub that gives these responses one after another, and repeats the last
 * one.
 */
async function asked(
  method: 'GET' | 'POST',
  answers: readonly GitHubResponse[],
  sideEffect: RetryPolicy['sideEffect'] = 'event',
) {
  const calls: GitHubCallRequest[] = []
  const options = {
    apiUrl,
    clock: { now: () => new Date(0), sleep: async () => {}, random: () => 0 },
    call: async (request: GitHubCallRequest) => {
      calls.push(request)
      return answers[Math.min(calls.length, answers.length) - 1] ?? answerOf(500)
    },
  }
  const questions = new GitHubClient(options, { budget: 1000, sideEffect }, async () => undefined)
  const outcome = await questions.ask({ method, path: '/repos/octo/old/dispatches' })
  const what = outcome.accepted ? 'accepted' : outcome.refusal.kind
  return { what, paths: calls.map(({ path }) => path) }
}

describe('of a repository that moved', () => {
  const OLD = '/api/v3/repos/octo/old/dispatches'
  const NEW = '/api/v3/repositories/7/dispatches'

  test.each([
    ['POST', 307, NEW, 'accepted'],
    ['POST', 308, NEW, 'accepted'],
    ['POST', 301, NEW, 'redirected'],
    ['POST', 302, NEW, 'redirected'],
    ['GET', 301, NEW, 'accepted'],
    ['GET', 302, NEW, 'accepted'],
    ['GET', 307, NEW, 'accepted'],
    ['GET', 308, NEW, 'accepted'],
    ['GET', 303, NEW, 'redirected'],
    ['POST', 307, '/api/v3/repos/octo/new/dispatches', 'accepted'],
    ['POST', 307, '/api/v3/repositories/7/keys', 'redirected'],
    ['POST', 307, '/login', 'redirected'],
    ['POST', 307, `https://elsewhere.example.com${NEW}`, 'redirected'],
  ] as const)('a %s that is answered %i to %s is %s', async (method, status, location, what) => {
    const found = await asked(method, [answerOf(status, { location }), answerOf(204)])
    expect(found).toEqual({ what, paths: what === 'accepted' ? [OLD, location] : [OLD] })
  })

  test('it is followed once', async () => {
    const found = await asked('POST', [answerOf(307, { location: NEW })])
    expect(found).toEqual({ what: 'redirected', paths: [OLD, NEW] })
  })
})

describe('a limit of calls is', () => {
  test.each([
    ['429', answerOf(429), true],
    ['403 with Retry-After', answerOf(403, { 'retry-after': '60' }), true],
    ['403 without a call left', answerOf(403, { 'x-ratelimit-remaining': '0' }), true],
    ['a secondary one', answerOf(403, {}, 'You have exceeded a secondary rate limit'), true],
    ['abuse', answerOf(403, {}, 'triggered an abuse detection mechanism'), true],
    ['wrong tokens', answerOf(403, {}, 'Maximum number of login attempts exceeded'), true],
    ['no other 403', answerOf(403, {}, 'Resource not accessible by integration'), false],
    ['no 503', answerOf(503, { 'retry-after': '1' }), false],
  ])('%s', (_, answer, isLimit) => expect(isRateLimit(answer)).toBe(isLimit))
})

describe('temporary faults are retried for a GET, and for a request without a side effect', () => {
  test.each([
    ['a 502', answerOf(502), 'accepted', 'failed'],
    ['a 503', answerOf(503), 'accepted', 'accepted'],
    ['a 429 that says when', answerOf(429, { 'retry-after': '0' }), 'accepted', 'accepted'],
    ['a 500', answerOf(500), 'accepted', 'failed'],
    ['a 504', answerOf(504), 'accepted', 'failed'],
    ['a 404', answerOf(404), 'missing', 'missing'],
  ])('%s', async (_, first, looking, sending) => {
    const then = answerOf(204)
    expect((await asked('GET', [first, then], 'none')).what).toBe(looking)
    expect((await asked('POST', [first, then])).what).toBe(sending)
  })
})
