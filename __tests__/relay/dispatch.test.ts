import { describe, expect, test } from '@jest/globals'
import { isAmbiguous, RelayError } from '../../src/relay/errors.ts'
import { dispatchTo } from '../../src/relay/github/send.ts'
import { RelayMetrics } from '../../src/relay/metrics.ts'
import {
  GitHubCallError,
  type GitHubCallRequest,
  type GitHubResponse,
} from '../../src/wire/github-api.ts'
import { Secret } from '../../src/wire/secret.ts'
import { tokenCredential } from '../support/credentials.ts'
import { FakeTime, START } from '../support/fake-time.ts'
import { fc } from '../support/properties.ts'

const BUDGET = 8000

/** GitHub's reaction: a response or a fault, after some milliseconds. */
interface Turn {
  readonly status?: number
  readonly headers?: Record<string, string>
  readonly fault?: 'unsent' | 'sent'
  readonly after?: number
  readonly text?: string
}

const DISPATCH = {
  repository: { owner: 'o', name: 'r' },
  target: { event: 'repository_dispatch' } as const,
  clientPayload: '{"path":"p"}',
  delivery: 'd',
  credential: tokenCredential(new Secret('token')),
}

/** Dispatches once to a GitHub with these reactions; the last one repeats. */
async function dispatch(
  turns: readonly Turn[],
  random = () => 0.5,
  api = 'https://api.test',
  retryTime?: number,
) {
  const time = new FakeTime()
  const { clock, sleeps } = clockOf(time, random)
  const requests: GitHubCallRequest[] = []
  const call = async (request: GitHubCallRequest): Promise<GitHubResponse> => {
    const turn = turns[Math.min(requests.length, turns.length - 1)] ?? {}
    requests.push(request)
    await time.sleep(Math.min(turn.after ?? 0, request.timeout))
    if ((turn.after ?? 0) > request.timeout) throw new GitHubCallError('late', { sent: true })
    if (turn.fault) throw new GitHubCallError('fault', { sent: turn.fault === 'sent' })
    const { status = 204, headers = {}, text = '' } = turn
    return { status, header: (name) => headers[name], text }
  }
  const options = { call, apiUrl: new URL(api), budget: BUDGET, clock }
  const retry = retryTime === undefined ? {} : { retryTime }
  const forward = dispatchTo({ ...options, ...retry }, new RelayMetrics())
  const outcome = await time.run(forward(DISPATCH).catch((error: unknown) => error))
  return { outcome, requests, sleeps, elapsed: time.now - START }
}

/** The clock of a dispatch, and its pauses in milliseconds. */
function clockOf(time: FakeTime, random: () => number) {
  const sleeps: number[] = []
  const sleep = (milliseconds: number) => {
    sleeps.push(milliseconds)
    return time.sleep(milliseconds)
  }
  return { clock: { now: () => new Date(time.now), sleep, random }, sleeps }
}

const limited = (retryAfter: string, status = 429) => ({
  status,
  headers: { 'retry-after': retryAfter },
})

describe('the time of acceptance, for a relay that stores events', () => {
  const date = (ahead: number) => ({ date: new Date(START + ahead).toUTCString() })

  test('begins with the first call, by the clock of GitHub', async () => {
    // GitHub's clock is 30 s ahead, and the response takes 6 s.
    const accepted = { after: 6000, headers: date(36_000) }
    const { outcome } = await dispatch([accepted], undefined, undefined, 2500)
    expect(outcome).toMatchObject({ acceptedAt: START + 30_000, githubMs: 6000 })
  })

  test('is not later because of retries; the response time is that of the last call', async () => {
    const { outcome, requests } = await dispatch(
      [{ status: 503, after: 100 }, { after: 200 }],
      undefined,
      undefined,
      2500,
    )
    expect(requests).toHaveLength(2)
    expect(outcome).toMatchObject({ acceptedAt: START, githubMs: 200 })
  })

  test('is known after an ambiguous response, too', async () => {
    const failed = { status: 500, after: 50, headers: date(-8000 + 50) }
    const { outcome } = await dispatch([failed], undefined, undefined, 2500)
    expect(outcome).toMatchObject({ attempts: { githubMs: 50 } })
    const { acceptedAt = 0 } = (outcome as RelayError).attempts ?? {}
    expect(Math.abs(acceptedAt - (START - 8000))).toBeLessThan(1000)
  })

  test('is not measured without a database', async () => {
    const { outcome } = await dispatch([{}])
    expect(outcome).toStrictEqual({ tries: 1, githubStatus: 204 })
  })
})

describe('tries', () => {
  test.each([
    ['502 once', [{ status: 502 }, {}], 2],
    ['503 twice', [{ status: 503 }, { status: 503 }, {}], 3],
    ['503 once', [{ status: 503 }, {}], 2],
    ['not connected once', [{ fault: 'unsent' }, {}], 2],
    ['429 with a short Retry-After', [limited('1'), {}], 2],
    ['403 with a short Retry-After', [limited('1', 403), {}], 2],
  ] as const)('%s: then accepted', async (_, turns, tries) => {
    const { outcome, requests } = await dispatch(turns)
    expect(outcome).toEqual({ tries, githubStatus: 204 })
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1)
  })

  test.each([
    ['200', { status: 200, text: '{"success":true}' }, 502],
    ['201', { status: 201 }, 502],
    ['500', { status: 500 }, 502],
    ['504', { status: 504 }, 502],
    ['408', { status: 408 }, 502],
    ['409', { status: 409 }, 502],
    ['401', { status: 401 }, 401],
    ['403', { status: 403 }, 403],
    ['404', { status: 404 }, 403],
    ['422', { status: 422 }, 422],
    ['429 without Retry-After', { status: 429 }, 429],
    ['reset after it was sent', { fault: 'sent' }, 504],
    ['no answer in time', { after: 60_000 }, 504],
  ] as const)('%s: one try only', async (_, turn, status) => {
    const { outcome, requests } = await dispatch([turn])
    expect(outcome).toMatchObject({ status })
    expect(requests).toHaveLength(1)
  })

  test.each([
    ['without a database', undefined, 2],
    ['with a database', 2500, 1],
  ] as const)('502 %s: %s ms for retries, so %i calls', async (_, retryTime, calls) => {
    const { requests } = await dispatch([{ status: 502 }], undefined, undefined, retryTime)
    expect(requests).toHaveLength(calls)
  })

  test.each([
    ['200, as a login page has it', { status: 200, text: '<html>' }],
    ['201', { status: 201 }],
    ['500', { status: 500 }],
    ['502, tried to the end', { status: 502 }],
    ['504', { status: 504 }],
    ['no answer in time', { fault: 'sent' }],
  ] as const)('%s: the hint says that GitHub may have accepted the event', async (_, turn) => {
    const { outcome } = await dispatch([turn])
    expect(outcome).toMatchObject({ hint: expect.stringMatching(/may have accepted the event/) })
  })

  test.each([
    ['503', { status: 503 }, 'github_unavailable'],
    ['429', limited('60'), 'rate_limited'],
    ['401', { status: 401 }, 'invalid_token'],
    ['403', { status: 403 }, 'repository_not_accessible'],
    ['404', { status: 404 }, 'repository_not_accessible'],
    ['408', { status: 408 }, 'github_unavailable'],
    ['301', { status: 301 }, 'github_unavailable'],
    ['no connection', { fault: 'unsent' }, 'github_unavailable'],
  ] as const)(
    '502, then %s: GitHub may have accepted the event in the first try',
    async (_, turn, code) => {
      const { outcome } = await dispatch([{ status: 502 }, turn])
      expect(outcome).toMatchObject({
        code,
        hint: expect.stringMatching(/may have accepted the event in an earlier call/),
      })
      expect(outcome instanceof RelayError && isAmbiguous(outcome)).toBe(true)
    },
  )

  test.each([
    ['503, then 429', [{ status: 503 }, limited('60')]],
    [
      '502, then 422, which GitHub gives the content in every try',
      [{ status: 502 }, { status: 422 }],
    ],
  ])('%s: GitHub has not accepted the event', async (_, turns) => {
    const { outcome } = await dispatch(turns)
    expect(outcome).toMatchObject({ hint: expect.not.stringMatching(/may have accepted/) })
    expect(outcome instanceof RelayError && isAmbiguous(outcome)).toBe(false)
  })

  test.each([
    ['not connected', { fault: 'unsent' }],
    ['503', { status: 503 }],
  ] as const)('an outage of 3 seconds, %s, costs nothing', async (_, turn) => {
    // Each try fails immediately, so only the pauses pass the time.
    const turns = Array.from({ length: 40 }, () => turn)
    const { requests, elapsed, sleeps } = await dispatch(turns)
    expect(elapsed).toBeGreaterThan(6500)
    expect(elapsed).toBeLessThan(BUDGET)
    expect(requests.length).toBeGreaterThan(8)
    expect(Math.max(...sleeps)).toBeLessThanOrEqual(1500)
  })

  test('1,000 ways in which GitHub responds: never beyond the budget', async () => {
    const turn = fc.record({
      status: fc.constantFrom(204, 307, 308, 401, 403, 404, 422, 429, 500, 502, 503),
      headers: fc.constantFrom(
        {},
        { 'retry-after': '1' },
        { 'retry-after': '7' },
        { location: '/repositories/1/dispatches' },
      ),
      after: fc.integer({ min: 0, max: 9000 }),
    })
    const faulty = fc.record({
      fault: fc.constantFrom('sent' as const, 'unsent' as const),
      after: fc.nat(9000),
    })
    const turns = fc.array(fc.oneof(turn, faulty), { minLength: 1, maxLength: 5 })
    const property = fc.asyncProperty(turns, async (list) => {
      const { outcome, requests, elapsed } = await dispatch(list)
      expect(elapsed).toBeLessThanOrEqual(BUDGET)
      const last = list[Math.min(requests.length, list.length) - 1]
      const accepted = !(outcome instanceof RelayError)
      if (accepted) expect(last).toMatchObject({ status: 204 })
    })
    await fc.assert(property, { numRuns: 1000 })
  })

  test('full jitter: any part of 250 ms, then of twice as much, up to 1.5 s', async () => {
    const property = fc.asyncProperty(fc.double({ min: 0.1, max: 0.99 }), async (part) => {
      const { sleeps } = await dispatch([{ status: 503 }], () => part)
      const ranges = [250, 500, 1000, ...sleeps.map(() => 1500)]
      expect(sleeps).toEqual(ranges.slice(0, sleeps.length).map((range) => part * range))
    })
    await fc.assert(property, { numRuns: 200 })
  })

  test('every try has only what is left of the budget', async () => {
    const { requests } = await dispatch([{ status: 503, after: 3000 }, { after: 0 }], () => 0.4)
    expect(requests.map(({ timeout }) => timeout)).toEqual([8000, 4900])
  })
})

describe('Retry-After', () => {
  test.each([
    ['seconds', '7', 7000],
    ['a date', new Date(START + 3000).toUTCString(), 3000],
    ['a date that has passed', new Date(START - 3000).toUTCString(), 125],
    ['0', '0', 125],
  ])('%s within the budget is slept through', async (_, retryAfter, sleep) => {
    const { outcome, sleeps } = await dispatch([limited(retryAfter), {}])
    expect(outcome).toMatchObject({ tries: 2 })
    expect(sleeps).toEqual([sleep])
  })

  test.each([
    ['seconds', limited('8'), 8],
    ['many seconds', limited('3600'), 3600],
    ['a date', limited(new Date(START + 90_000).toUTCString()), 90],
    ['nothing', { status: 429 }, 60],
    ['nonsense', limited('soon'), 60],
    ['a spent limit and its end', spent(String(START / 1000 + 1800)), 1800],
    ['a spent limit without an end', spent(undefined), 60],
    [
      'an end told by a clock that is ahead of ours',
      spent(String(START / 1000 + 73_800), 20),
      1800,
    ],
    ['an end told by a clock that is behind ours', spent(String(START / 1000 - 70_200), -20), 1800],
    ['a date told by such a clock', dated(20, 90), 90],
  ] as const)('%s beyond it is passed on', async (_, turn, retryAfter) => {
    const { outcome, sleeps } = await dispatch([turn])
    expect(outcome).toMatchObject({ status: 429, code: 'rate_limited', retryAfter })
    expect(sleeps).toEqual([])
  })

  test('of a 503 is obeyed, or passed on where it does not fit', async () => {
    const soon = await dispatch([limited('2', 503), {}])
    expect([soon.outcome, soon.sleeps]).toMatchObject([{ tries: 2 }, [2000]])
    const late = await dispatch([limited('90', 503), {}])
    expect(late.outcome).toMatchObject({ code: 'github_unavailable', retryAfter: 90 })
    expect(late.requests).toHaveLength(1)
  })

  test.each([
    'You have triggered an abuse detection mechanism.',
    'Maximum number of login attempts exceeded. Please try again later.',
  ])('a 403 is a rate limit: %s', async (text) => {
    const { outcome } = await dispatch([{ status: 403, text }])
    expect(outcome).toMatchObject({ status: 429, code: 'rate_limited', retryAfter: 60 })
  })

  /** @param ahead hours that GitHub's clock is ahead of ours */
  function spent(reset: string | undefined, ahead = 0): Turn {
    const left = { 'x-ratelimit-remaining': '0', ...(reset && { 'x-ratelimit-reset': reset }) }
    return { status: 403, headers: { ...left, date: dateIn(ahead * 3600) } }
  }

  function dated(ahead: number, seconds: number): Turn {
    const { status, headers } = limited(dateIn(ahead * 3600 + seconds))
    return { status, headers: { ...headers, date: dateIn(ahead * 3600) } }
  }

  function dateIn(seconds: number): string {
    return new Date(START + seconds * 1000).toUTCString()
  }
})

describe('redirects', () => {
  const moved = (location: string, status = 307) => ({ status, headers: { location } })

  test.each([
    [moved('/repositories/42/dispatches'), '/repositories/42/dispatches'],
    [moved('https://api.test/repositories/42/dispatches'), '/repositories/42/dispatches'],
    [moved('/repos/new-owner/new.name/dispatches', 308), '/repos/new-owner/new.name/dispatches'],
  ])('%j is followed', async (turn, path) => {
    const { outcome, requests } = await dispatch([turn, {}])
    expect(outcome).toEqual({ tries: 2, githubStatus: 204 })
    expect(requests.map((request) => request.path)).toEqual(['/repos/o/r/dispatches', path])
  })

  test.each([
    '',
    'https://elsewhere.test/repositories/42/dispatches',
    'http://api.test/repositories/42/dispatches',
    'https://api.test:8443/repositories/42/dispatches',
    'https://user@api.test/repositories/42/dispatches',
    '//elsewhere.test/repositories/42/dispatches',
    'http://169.254.169.254/latest/meta-data',
    'http://127.0.0.1/repositories/42/dispatches',
    'http://[::1]/repositories/42/dispatches',
    '/user/repos',
    '/repositories/42/dispatches?x=1',
    '/repositories/42/dispatches#x',
    '/repos/o/r/../../user/repos',
    '/repos/o/r/dispatches/x',
    '/repos/o%2Fr/r/dispatches',
    'javascript:alert(1)',
    'https://api.test:99999/',
  ])('%s is not followed', async (location) => {
    const { outcome, requests } = await dispatch([moved(location), {}])
    expect(outcome).toMatchObject({ status: 502, code: 'github_unavailable' })
    expect(outcome).toMatchObject({ hint: expect.stringContaining('HOOKLINE_API_URL') })
    expect(requests).toHaveLength(1)
  })

  test.each([301, 302, 303])('%i is named, with what to look at', async (status) => {
    const { outcome, requests } = await dispatch([moved('/login', status)])
    expect(outcome).toMatchObject({
      code: 'github_unavailable',
      message: expect.stringContaining(`${status}`),
      hint: expect.stringContaining('HOOKLINE_API_URL'),
    })
    expect(requests).toHaveLength(1)
  })

  test('a second one is not followed', async () => {
    const turns = [moved('/repositories/1/dispatches'), moved('/repositories/2/dispatches'), {}]
    const { outcome, requests } = await dispatch(turns)
    expect(outcome).toMatchObject({ status: 502 })
    expect(requests).toHaveLength(2)
  })

  test('an API below a path stays below it', async () => {
    const api = 'https://ghes.test/api/v3/'
    const inside = await dispatch([moved('/api/v3/repositories/4/dispatches'), {}], undefined, api)
    expect(inside.requests.map(({ path }) => path)).toEqual([
      '/api/v3/repos/o/r/dispatches',
      '/api/v3/repositories/4/dispatches',
    ])
    const outside = await dispatch([moved('/repositories/4/dispatches'), {}], undefined, api)
    expect(outside.requests).toHaveLength(1)
  })
})

test('a fault of the relay itself is an internal error, not the sender’s', async () => {
  const { clock } = clockOf(new FakeTime(), () => 0)
  const call = async () => {
    throw new TypeError('a mistake')
  }
  const options = { call, apiUrl: new URL('https://api.test'), budget: BUDGET, clock }
  const forward = dispatchTo(options, new RelayMetrics())
  await expect(forward(DISPATCH)).rejects.toThrow(TypeError)
})

test('the call carries what GitHub asks of a client', async () => {
  const { requests } = await dispatch([{}])
  expect(requests[0]).toMatchObject({
    path: '/repos/o/r/dispatches',
    body: '{"event_type":"webhook","client_payload":{"path":"p"}}',
    headers: {
      accept: 'application/vnd.github+json',
      authorization: 'Bearer token',
      'content-type': 'application/json',
      'user-agent': 'hookline-relay',
      'x-github-api-version': '2026-03-10',
    },
  })
})
