import { describe, expect, test } from '@jest/globals'
import { RateLimiter, RateLimiters } from '../../../src/relay/github/rate-limiter.ts'
import { RelayMetrics } from '../../../src/relay/metrics.ts'
import { holderOf } from '../../../src/relay/store/queue-name.ts'
import { GitHubCallError, type GitHubResponse } from '../../../src/wire/github-api.ts'
import { Secret } from '../../../src/wire/secret.ts'
import { tokenCredential } from '../../support/credentials.ts'
import { FakeTime, HOUR, MINUTE, SECOND, START } from '../../support/fake-time.ts'

const REPOSITORY = 'o/r'

const REQUEST = { path: '/', headers: {}, timeout: 8 * SECOND }

function answer(status: number, headers: Record<string, string> = {}, text = ''): GitHubResponse {
  return { status, header: (name) => headers[name], text }
}

const ACCEPTED = answer(204)

function limited({ minInterval = 350 } = {}) {
  const time = new FakeTime()
  const metrics = new RelayMetrics()
  const ports = {
    now: () => time.now,
    date: () => new Date(time.now),
    after: (milliseconds: number, back: () => void) => time.at(Symbol('after'), milliseconds, back),
    ...{ minInterval, metrics },
  }
  return { time, metrics, limiter: new RateLimiter(ports), ports }
}

/** The code of the thrown error. */
function refusalOf(run: () => void): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}

describe('one credential', () => {
  test.each([
    ['429 with Retry-After', answer(429, { 'retry-after': '60' }), 60],
    ['429 without', answer(429), 60],
    ['403 that names a secondary limit', answer(403, {}, 'a secondary rate limit'), 60],
    [
      '403 for too many failed logins',
      answer(403, {}, 'Maximum number of login attempts exceeded. Please try again later.'),
      60,
    ],
    ['years are an hour', answer(429, { 'retry-after': '99999999' }), 3600],
    [
      'an accepted call that was the last',
      answer(204, {
        'x-ratelimit-remaining': '0',
        'x-ratelimit-reset': String(START / 1000 + 90),
        date: new Date(START).toUTCString(),
      }),
      90,
    ],
  ])('GitHub is not called again after %s', async (_name, told, seconds) => {
    const { limiter, time } = limited()
    await limiter.live(REPOSITORY)(async () => told)(REQUEST)
    await time.pass((seconds - 1) * SECOND)
    expect(refusalOf(() => limiter.admit())).toMatchObject({
      status: 429,
      code: 'rate_limited',
      retryAfter: 1,
    })
    await time.pass(SECOND)
    expect(refusalOf(() => limiter.admit())).toBeUndefined()
  })

  test.each([
    ['a refusal', answer(403)],
    ['an outage', answer(503)],
    ['a 503 with Retry-After, which concerns the repository', answer(503, { 'retry-after': '7' })],
    ['calls that are left', answer(204, { 'x-ratelimit-remaining': '1' })],
  ])('GitHub is called as before after %s', async (_name, told) => {
    const { limiter } = limited()
    await limiter.live(REPOSITORY)(async () => told)(REQUEST)
    expect(refusalOf(() => limiter.admit())).toBeUndefined()
  })

  test('the longer of two limits holds, and tells the whole seconds', async () => {
    const { limiter, time } = limited()
    limiter.hold(10_500)
    limiter.hold(3000)
    expect(limiter.heldFor).toBe(10_500)
    expect(refusalOf(() => limiter.admit())).toMatchObject({ retryAfter: 11 })
    expect(limiter.next([REPOSITORY])).toEqual({ wait: 10_500 })
    await time.pass(10_501)
    expect(limiter.heldFor).toBe(0)
    expect(limiter.minInterval).toBe(350)
  })

  test('the remaining calls of GitHub are in the metrics, if they are a number', async () => {
    const { limiter, metrics } = limited()
    const remaining = () => metrics.lines().find((line) => /^hookline_github_remaining /.test(line))
    const tell = (left: string) =>
      limiter.live(REPOSITORY)(async () => answer(204, { 'x-ratelimit-remaining': left }))(REQUEST)
    for (const text of ['1234567890', 'x1', '1x', '']) await tell(text)
    expect(remaining()).toBeUndefined()
    await tell('123456789')
    expect(remaining()).toBe('hookline_github_remaining 123456789')
  })

  test.each([
    ['50', 5],
    ['0', 500],
    ['05', 500],
    ['x50', 500],
    ['50x', 500],
    ['1234567890', 500],
    ['100000000', 500],
  ])('with the hourly limit %j, a lookup uses 1 of %i calls', async (limit, calls) => {
    const { limiter } = limited()
    const told = answer(200, { 'x-ratelimit-limit': limit })
    await limiter.lookup(REPOSITORY)(async () => told)(REQUEST)
    const isLargest = limit === '100000000'
    expect(limiter.lookupsUsed).toBe(isLargest ? 1 / 10_000_000 : 1 / calls)
  })

  test('a token that got 401 is refused for a minute without a call', async () => {
    const { limiter, time } = limited()
    await limiter.live(REPOSITORY)(async () => answer(401))(REQUEST)
    expect(refusalOf(() => limiter.admit())).toMatchObject({ code: 'invalid_token' })
    await time.pass(MINUTE)
    expect(refusalOf(() => limiter.admit())).toBeUndefined()
  })

  test('a token that GitHub accepted before is not refused after a 401', async () => {
    const { limiter } = limited()
    await limiter.live(REPOSITORY)(async () => ACCEPTED)(REQUEST)
    await limiter.live(REPOSITORY)(async () => answer(401))(REQUEST)
    expect(refusalOf(() => limiter.admit())).toBeUndefined()
  })

  test('at most 100 calls are open; the next waits within its time, then is 429', async () => {
    const { limiter, time } = limited()
    let open = 0
    let most = 0
    const call = limiter.live(REPOSITORY)(async () => {
      most = Math.max(most, ++open)
      await time.sleep(5 * SECOND)
      open--
      return ACCEPTED
    })
    const calls = Array.from({ length: 250 }, () =>
      call(REQUEST).then(
        () => 204,
        (error) => error.status,
      ),
    )
    await time.pass(MINUTE)
    const answers = await Promise.all(calls)
    expect(most).toBe(100)
    expect([204, 429].map((status) => answers.filter((each) => each === status).length)).toEqual([
      200, 50,
    ])
  })

  test('the wait for a turn is part of the time of a call', async () => {
    const { limiter, time } = limited()
    limiter.hold(3 * SECOND)
    const timeouts: number[] = []
    const call = async ({ timeout }: { readonly timeout: number }) => {
      timeouts.push(timeout)
      return ACCEPTED
    }
    const called = limiter.live(REPOSITORY)(call)(REQUEST)
    await time.pass(4 * SECOND)
    await called
    await limiter.live(REPOSITORY)(call)(REQUEST)
    expect(timeouts).toEqual([5 * SECOND, 8 * SECOND])
  })

  test('stored events of all queues take turns, 350 ms apart, and hold up no sender', async () => {
    const { limiter, time } = limited()
    const turns: [string, number][] = []
    const ready = ['o/a', 'o/b', 'o/c']
    while (turns.length < 6) {
      const turn = limiter.next(ready)
      if ('wait' in turn) await time.pass(turn.wait)
      else turns.push([turn.repository, time.now - START])
      await limiter.live('o/d')(async () => ACCEPTED)(REQUEST)
    }
    expect(turns).toEqual([
      ['o/a', 0],
      ['o/b', 350],
      ['o/c', 700],
      ['o/a', 1050],
      ['o/b', 1400],
      ['o/c', 1750],
    ])
  })

  test('after a secondary limit calls are 750 ms apart, until ten minutes without another one', async () => {
    const { limiter, time } = limited()
    await limiter.granted(REPOSITORY)(async () => answer(403, {}, 'secondary rate limit'))(REQUEST)
    expect(limiter.minInterval).toBe(750)
    await time.pass(10 * MINUTE)
    expect(limiter.minInterval).toBe(350)
  })

  test('after a secondary limit, requests and stored events wait for 750 ms after each call, and lookups do not wait', async () => {
    const { limiter, time } = limited()
    const limit = async () => answer(403, { 'retry-after': '10' }, 'secondary rate limit')
    await limiter.granted(REPOSITORY)(limit)(REQUEST)
    await time.pass(10 * SECOND)
    const from = time.now
    const starts: number[] = []
    const start = async () => {
      starts.push(time.now - from)
      return ACCEPTED
    }
    const call = limiter.live(REPOSITORY)(start)
    const lookup = limiter.lookup(REPOSITORY)(start)
    const calls = Promise.all([lookup(REQUEST), lookup(REQUEST), call(REQUEST), call(REQUEST)])
    expect(limiter.next([REPOSITORY])).toEqual({ wait: 750 })
    await time.pass(5 * SECOND)
    await calls
    expect(starts).toEqual([0, 0, 750, 1500])
    expect(limiter.next([REPOSITORY])).toEqual({ repository: REPOSITORY })
    expect(limiter.next([REPOSITORY])).toEqual({ wait: 750 })
  })

  test('at most 100 calls are open, then a queue asks again a second later', async () => {
    const { limiter } = limited()
    for (let n = 0; n < 99; n++) void limiter.granted('o/a')(() => new Promise(() => {}))(REQUEST)
    expect(limiter.next(['o/b'])).toEqual({ repository: 'o/b' })
    void limiter.granted('o/b')(() => new Promise(() => {}))(REQUEST)
    const { limiter: other } = limited({ minInterval: 0 })
    for (let n = 0; n < 100; n++) void other.granted('o/a')(() => new Promise(() => {}))(REQUEST)
    expect(other.next(['o/b'])).toEqual({ wait: 1000 })
  })

  test('no clock makes a queue wait for more than an hour', async () => {
    const { limiter, time } = limited()
    limiter.hold(1e12)
    expect(limiter.next([REPOSITORY])).toEqual({ wait: HOUR })
    await time.pass(HOUR)
    expect(limiter.next([REPOSITORY])).toEqual({ repository: REPOSITORY })
  })

  test('lookups of runs use a tenth of the hourly limit, and no more while a limit lasts', async () => {
    const { time, limiter } = limited()
    const small = answer(200, { 'x-ratelimit-limit': '50', 'x-ratelimit-remaining': '40' })
    const lookup = limiter.lookup(REPOSITORY)(async () => small)
    for (let n = 0; n < 5; n++) await lookup(REQUEST)
    expect(limiter.lookupsUsed).toBe(1)
    await expect(lookup(REQUEST)).rejects.toMatchObject({ code: 'rate_limited', retryAfter: 3600 })
    await time.pass(59 * MINUTE)
    await expect(lookup(REQUEST)).rejects.toMatchObject({ retryAfter: 60 })
    await time.pass(MINUTE)
    await lookup(REQUEST)
    limiter.hold(MINUTE)
    await expect(lookup(REQUEST)).rejects.toMatchObject({ code: 'rate_limited' })
  })

  test('counts what calls come to', async () => {
    const { limiter, metrics } = limited()
    for (const told of [ACCEPTED, answer(429), answer(500), answer(403)]) {
      await limiter.granted(REPOSITORY)(async () => told)(REQUEST)
    }
    const cut = limiter.granted(REPOSITORY)(() => Promise.reject(new Error('cut')))(REQUEST)
    await expect(cut).rejects.toThrow('cut')
    const text = metrics.lines().join('\n')
    for (const outcome of ['accepted', 'limited', 'refused', 'failed', 'unanswered']) {
      expect(text).toContain(`hookline_github_calls_total{outcome="${outcome}"} 1`)
    }
    expect(text).toContain('hookline_github_seconds_count 5')
  })
})

describe('credentials', () => {
  const limiters = (isApp: boolean) => new RateLimiters(limited().ports, isApp)
  const own = { ...tokenCredential(new Secret('own')), kind: 'endpoint' as const, isOwn: true }
  const repository = { owner: 'Octo', name: 'Shop' }

  test.each([
    ['a token has one for all repositories', true, tokenCredential(new Secret('a')), true],
    ['so has a token of the relay', false, own, true],
    ['an App has one on each account', true, own, false],
  ])('%s', async (_name, isApp, credential, isSame) => {
    const all = limiters(isApp)
    const holder = holderOf(await all.nameQueue({ repository, credential }))
    expect(all.of(holder, 'Octo') === all.of(holder, 'octo')).toBe(true)
    expect(all.of(holder, 'octo') === all.of(holder, 'other')).toBe(isSame)
  })

  test('a queue has the name of its repository and the SHA-256 of its token', async () => {
    const all = limiters(false)
    const name = await all.nameQueue({
      repository,
      credential: tokenCredential(new Secret('abc')),
    })
    const hash = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
    expect(name).toBe(`octo/shop#${hash}`)
    const again = { repository, credential: tokenCredential(new Secret('abc')) }
    expect(await all.nameQueue(again)).toBe(name)
  })
})

describe('a repository that fails', () => {
  const failing = (n: number) => `o/failing-${n}`

  /** Takes turns for a time, and answers each. @returns the repositories in order */
  async function turnsOf(
    ready: readonly string[],
    replies: (repository: string) => GitHubResponse | Error,
    milliseconds: number,
  ) {
    const { limiter, time } = limited()
    const turns: string[] = []
    const end = time.now + milliseconds
    while (time.now < end) {
      const turn = limiter.next(ready)
      if ('wait' in turn) {
        await time.pass(Math.max(1, turn.wait))
        continue
      }
      turns.push(turn.repository)
      const reply = replies(turn.repository)
      const call = async () => {
        if (reply instanceof Error) throw reply
        return reply
      }
      await limiter
        .granted(turn.repository)(call)({ ...REQUEST, method: 'POST' })
        .catch(() => {})
    }
    return { turns, limiter, time }
  }

  test.each([
    ['500', answer(500)],
    ['503', answer(503)],
    ['404', answer(404)],
    ['no response', new GitHubCallError('no response', { sent: true })],
    ['no connection', new GitHubCallError('no connection', { sent: false })],
  ])(
    'with %s gets at most a quarter of the turns while another one has events',
    async (_name, reply) => {
      const ready = ['o/healthy', ...Array.from({ length: 20 }, (_, n) => failing(n))]
      const { turns } = await turnsOf(
        ready,
        (repository) => (repository === 'o/healthy' ? ACCEPTED : reply),
        5 * MINUTE,
      )
      const later = turns.slice(30)
      const share = later.filter((one) => one !== 'o/healthy').length / later.length
      expect(share).toBeGreaterThan(0.1)
      expect(share).toBeLessThanOrEqual(0.26)
      // Each of them gets its turns.
      expect(new Set(later).size).toBe(21)
    },
  )

  test('after ambiguous answers of three repositories the one that worked last is tried first', async () => {
    const { limiter, time } = limited()
    const post = (repository: string, reply: GitHubResponse) =>
      limiter.live(repository)(async () => reply)({ ...REQUEST, method: 'POST' })
    for (const name of ['o/a', 'o/b', 'o/c', 'o/d', 'o/e']) await post(name, ACCEPTED)
    for (const name of ['o/a', 'o/b']) await post(name, answer(502))
    expect(limiter.mustWait('o/d')).toBe(false)
    await post('o/c', answer(502))
    expect(['o/a', 'o/e'].map((name) => limiter.mustWait(name))).toEqual([true, false])
    expect(limiter.next(['o/a', 'o/d', 'o/e'])).toEqual({ repository: 'o/e' })
    await post('o/e', ACCEPTED)
    expect(limiter.mustWait('o/d')).toBe(false)
    await time.pass(SECOND)
    expect(limiter.next(['o/d'])).toEqual({ repository: 'o/d' })
  })

  test('counts ambiguous answers that another process got, and each of its own once', async () => {
    const { limiter, time } = limited()
    for (const name of ['o/a', 'o/b', 'o/c']) limiter.noteDoubt(name)
    expect(limiter.mustWait('o/a')).toBe(true)
    await time.pass(SECOND)
    expect(limiter.next(['o/a'])).toEqual({ repository: 'o/a' })
    const call = limiter.granted('o/a')(async () => answer(502))
    await call({ ...REQUEST, method: 'POST' })
    limiter.noteDoubt('o/a')
    // The pause is doubled by the answer alone.
    await time.pass(SECOND)
    expect(limiter.next(['o/a'])).toEqual({ wait: SECOND })
  })

  test.each([
    [answer(500), true],
    [answer(502), true],
    [answer(504), true],
    [answer(499), false],
    [answer(503), false],
    [answer(400), false],
    [answer(413), false],
    [answer(422), false],
    [answer(204), false],
    [new GitHubCallError('no response', { sent: true }), true],
    [new GitHubCallError('no connection', { sent: false }), false],
    [Object.assign(new Error('of a proxy'), { sent: 'true' }), false],
    [new Error('of a proxy'), false],
  ])('puts the credential in doubt with two others: %j', async (reply, isDoubtful) => {
    const { limiter } = limited()
    for (const name of ['o/a', 'o/b', 'o/c']) {
      const call = async () => {
        if (reply instanceof Error) throw reply
        return reply
      }
      const post = limiter.live(name)(call)({ ...REQUEST, method: 'POST' })
      await post.catch(() => {})
    }
    expect(limiter.mustWait('o/c')).toBe(isDoubtful)
  })

  test('by a lookup leaves no doubt', async () => {
    const { limiter } = limited()
    for (const name of ['o/a', 'o/b', 'o/c']) {
      await limiter.lookup(name)(async () => answer(500))({ ...REQUEST, method: 'GET' })
      const cut = async () => Promise.reject(new GitHubCallError('cut', { sent: true }))
      await limiter
        .lookup(name)(cut)({ ...REQUEST, method: 'GET' })
        .catch(() => {})
    }
    expect(limiter.mustWait('o/c')).toBe(false)
  })

  test('again and again puts the credential in no doubt', async () => {
    const { limiter } = limited()
    const post = (repository: string, reply: GitHubResponse) =>
      limiter.live(repository)(async () => reply)({ ...REQUEST, method: 'POST' })
    for (let round = 0; round < 5; round++) {
      for (let n = 0; n < 20; n++) await post(failing(n), answer(500))
      if (round === 0) await post('o/healthy', ACCEPTED)
    }
    expect(limiter.mustWait('o/healthy')).toBe(false)
    expect(limiter.mustWait('o/new')).toBe(false)
  })

  test('holds at most 25 of 100 open calls, and a request of another one goes on', async () => {
    const { limiter, time } = limited()
    const silent = (repository: string) =>
      limiter
        .live(repository)(async () => {
          await time.sleep(8 * SECOND)
          throw new GitHubCallError('no response', { sent: true })
        })({ ...REQUEST, method: 'POST' })
        .catch(() => {})
    for (let n = 0; n < 30; n++) void silent(failing(n % 20))
    await time.pass(3 * SECOND)
    let isWaiting = true
    void silent(failing(1)).then(() => {
      isWaiting = false
    })
    await limiter.live('o/healthy')(async () => ACCEPTED)(REQUEST)
    expect(limiter.next([failing(2)])).toHaveProperty('wait')
    expect(isWaiting).toBe(true)
    await time.pass(MINUTE)
    expect(isWaiting).toBe(false)
  })
})
