import { describe, expect, test } from '@jest/globals'
import {
  fieldsOf,
  GitHubCallError,
  type GitHubCallRequest,
  GitHubClient,
  type GitHubRequest,
  type GitHubResponse,
  listOf,
  RESPONSE_BYTES,
  type RetryPolicy,
  refusalOf,
  secondsToWait,
  type Tokens,
} from '../../src/wire/github-api.ts'
import { jsonOf } from '../../src/wire/json.ts'
import { Secret } from '../../src/wire/secret.ts'

const PATH = '/repos/octo/old/dispatches'

function answerOf(
  status: number,
  headers: Readonly<Record<string, string>> = {},
  text = '',
): GitHubResponse {
  return { status, text, header: (name) => headers[name] }
}

const lost = () => new GitHubCallError('lost', { sent: true })
const unreachable = () => new GitHubCallError('refused', { sent: false })

/** GitHub's responses, and the time of each call; the last response repeats. */
interface Scene {
  readonly apiUrl?: string
  readonly agent?: string
  readonly answers: readonly (GitHubResponse | Error)[]
  /** Milliseconds of each call. */
  readonly takes?: number
  readonly patience?: Partial<RetryPolicy>
  readonly tokens?: Tokens
  readonly random?: number
}

/** A client whose clock only advances by sleeping and by calls. */
function open({ apiUrl = 'https://h.example/api/v3', answers, ...scene }: Scene) {
  const calls: GitHubCallRequest[] = []
  const sleeps: number[] = []
  let time = 0
  const options = {
    apiUrl: new URL(apiUrl),
    clock: {
      now: () => new Date(time),
      sleep: async (milliseconds: number) => {
        sleeps.push(milliseconds)
        time += milliseconds
      },
      random: () => scene.random ?? 0.5,
    },
    ...(scene.agent !== undefined && { agent: scene.agent }),
    call: async (request: GitHubCallRequest) => {
      calls.push(request)
      time += scene.takes ?? 0
      const answer = answers[Math.min(calls.length, answers.length) - 1]
      if (!answer || answer instanceof Error) throw answer
      return answer
    },
  }
  const patience: RetryPolicy = { budget: 100_000, sideEffect: 'event', ...scene.patience }
  const tokens = scene.tokens ?? (async () => undefined)
  const questions = new GitHubClient(options, patience, tokens)
  const ask = async (question: Partial<GitHubRequest> = {}) => {
    const outcome = await questions.ask({ path: PATH, ...question })
    return outcome.accepted ? 'accepted' : outcome.refusal.kind
  }
  return { questions, ask, calls, sleeps }
}

describe('an answer means', () => {
  test.each([
    [100, 'strange'],
    [199, 'strange'],
    [300, 'redirected'],
    [399, 'redirected'],
    [400, 'rejected'],
    [401, 'unauthorized'],
    [403, 'forbidden'],
    [404, 'missing'],
    [408, 'unavailable'],
    [409, 'conflict'],
    [422, 'rejected'],
    [429, 'limited'],
    [499, 'rejected'],
    [500, 'failed'],
    [502, 'failed'],
    [503, 'unavailable'],
    [504, 'failed'],
  ] as const)('%i: %s', (status, kind) => {
    expect(refusalOf(answerOf(status), { now: () => new Date(0) })).toStrictEqual({ kind, status })
  })

  test.each([200, 204, 299])('%i: accepted', (status) => {
    expect(refusalOf(answerOf(status), { now: () => new Date(0) })).toBeUndefined()
    expect(
      refusalOf(answerOf(status), { now: () => new Date(0) }, { accepts: () => true }),
    ).toBeUndefined()
    expect(
      refusalOf(answerOf(status), { now: () => new Date(0) }, { accepts: () => false }),
    ).toStrictEqual({
      kind: 'strange',
      status,
    })
  })

  test('403 with the header of single sign-on: sso', () => {
    const answer = answerOf(403, { 'x-github-sso': 'required; url=https://github.com/orgs/o/sso' })
    expect(refusalOf(answer, { now: () => new Date(0) })).toStrictEqual({
      kind: 'sso',
      status: 403,
    })
  })

  test.each([429, 503])('%i with Retry-After: when to come back', (status) => {
    const kind = status === 429 ? 'limited' : 'unavailable'
    const answer = answerOf(status, { 'retry-after': '5' })
    expect(refusalOf(answer, { now: () => new Date(0) })).toStrictEqual({
      kind,
      status,
      wait: 5000,
    })
  })
})

describe('GitHub asks to wait', () => {
  const NOW = new Date('2026-01-01T00:00:00.500Z')
  const at = (seconds: number) => `${Date.parse('2026-01-01T00:00:00Z') / 1000 + seconds}`
  const SPENT = { 'x-ratelimit-remaining': '0' }

  test.each([
    ['nothing', {}, undefined],
    ['seconds', { 'retry-after': '5' }, 5],
    ['seconds between blanks', { 'retry-after': ' 17 ' }, 17],
    ['not at all', { 'retry-after': '0' }, 0],
    ['a word', { 'retry-after': 'soon' }, undefined],
    ['a number with a unit', { 'retry-after': '5s' }, undefined],
    ['more seconds than anyone can mean', { 'retry-after': '1234567890' }, undefined],
    ['until a date', { 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT' }, 60],
    ['until a date that is over', { 'retry-after': 'Wed, 31 Dec 2025 23:00:00 GMT' }, 0],
    [
      'until a date by its own clock',
      { 'retry-after': 'Thu, 01 Jan 2026 00:01:00 GMT', date: 'Thu, 01 Jan 2026 00:00:30 GMT' },
      30,
    ],
    ['until the limit is filled again', { ...SPENT, 'x-ratelimit-reset': at(90) }, 90],
    ['until then, by a header that is no date', reset('never'), 90],
    [
      'while calls are left',
      { 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': at(9) },
      undefined,
    ],
    ['for a limit without its end', SPENT, undefined],
    ['for a limit that ends at no time', { ...SPENT, 'x-ratelimit-reset': 'soon' }, undefined],
  ])('%s', (_, headers, seconds) => {
    expect(secondsToWait(answerOf(429, headers), NOW)).toBe(seconds)
  })

  function reset(date: string) {
    return { ...SPENT, 'x-ratelimit-reset': at(90), date }
  }
})

describe('requests with a side effect', () => {
  test.each([
    ['502', answerOf(502), 'failed', []],
    ['503', answerOf(503), 'accepted', [125]],
    ['503 that says when', answerOf(503, { 'retry-after': '2' }), 'accepted', [2000]],
    ['503 that says at once', answerOf(503, { 'retry-after': '0' }), 'accepted', [125]],
    ['a limit that says when', answerOf(429, { 'retry-after': '3' }), 'accepted', [3000]],
    ['no connection', unreachable(), 'accepted', [125]],
    ['a limit without an end', answerOf(429), 'limited', []],
    ['500', answerOf(500), 'failed', []],
    ['504', answerOf(504), 'failed', []],
    ['408', answerOf(408), 'unavailable', []],
    ['409', answerOf(409), 'conflict', []],
    ['no answer', lost(), 'unanswered', []],
    ['401', answerOf(401), 'unauthorized', []],
  ])('is asked again after %s only where it was surely not accepted', async (...row) => {
    const [, first, what, sleeps] = row
    const scene = open({ answers: [first, answerOf(204)] })
    expect([await scene.ask(), scene.sleeps]).toEqual([what, sleeps])
    expect(scene.calls).toHaveLength(sleeps.length + 1)
  })
})

describe('a 502 to a request with a side effect', () => {
  test.each([
    [0, 1],
    [1, 2],
    [2, 3],
  ])('is retried %i times, as the policy says', async (retriesOf502, calls) => {
    const scene = open({ answers: [answerOf(502)], patience: { retriesOf502 } })
    expect(await scene.ask()).toBe('failed')
    expect(scene.calls).toHaveLength(calls)
  })

  test('is retried once of three answers, also between others', async () => {
    const answers = [answerOf(503), answerOf(502), answerOf(503), answerOf(502), answerOf(204)]
    const scene = open({ answers, patience: { retriesOf502: 1 } })
    expect(await scene.ask()).toBe('failed')
    expect(scene.calls).toHaveLength(4)
  })
})

describe('requests without a side effect', () => {
  test.each([
    ['500', answerOf(500), 'accepted', [125]],
    ['504', answerOf(504), 'accepted', [125]],
    ['408', answerOf(408), 'accepted', [125]],
    ['no answer', lost(), 'accepted', [125]],
    ['a limit without an end', answerOf(429), 'accepted', [1500]],
    ['a limit that says when', answerOf(429, { 'retry-after': '3' }), 'accepted', [3000]],
    ['a limit that says at once', answerOf(429, { 'retry-after': '0' }), 'accepted', [125]],
    ['401', answerOf(401), 'unauthorized', []],
    ['404', answerOf(404), 'missing', []],
    ['409', answerOf(409), 'conflict', []],
    ['422', answerOf(422), 'rejected', []],
    ['a login page', answerOf(200), 'strange', []],
  ])('is asked again after %s where that may pass', async (_, first, what, sleeps) => {
    const scene = open({ answers: [first, answerOf(204)], patience: { sideEffect: 'none' } })
    const accepts = ({ status }: GitHubResponse) => status === 204
    expect([await scene.ask({ accepts }), scene.sleeps]).toEqual([what, sleeps])
  })
})

describe('the pauses', () => {
  test.each([
    ['double up to the longest', {}, [125, 250, 500, 750, 750, 750]],
    [
      'are those that were asked for',
      { budget: 1000, pause: { first: 100, longest: 300 } },
      [50, 100, 150, 150, 150, 150, 150],
    ],
    ['end before the last moment for a try', { retryTime: 500 }, [125, 250]],
    ['end with the budget', { budget: 500, retryTime: 5000 }, [125, 250]],
  ] as const)('%s', async (_, patience, sleeps) => {
    const scene = open({ answers: [answerOf(503)], patience: { budget: 3500, ...patience } })
    expect([await scene.ask(), scene.sleeps]).toEqual(['unavailable', sleeps])
  })

  test.each([
    [1000, []],
    [1001, [1000]],
  ])('of a second do not fit into %i ms', async (budget, sleeps) => {
    const answers = [answerOf(503, { 'retry-after': '1' })]
    const scene = open({ answers, patience: { budget } })
    expect([await scene.ask(), scene.sleeps]).toEqual(['unavailable', sleeps])
  })

  test('are fifty at most, however short', async () => {
    const scene = open({ answers: [answerOf(503)], random: 0 })
    await scene.ask()
    expect(scene.calls).toHaveLength(50)
  })

  test('are told of, but for a fault that is not outlived', async () => {
    const told: string[] = []
    const tell: RetryPolicy['tell'] = ({ kind, status }) => told.push(`${kind} ${status}`)
    const answers = [answerOf(503), answerOf(503, { 'retry-after': '2' }), answerOf(500)]
    await open({ answers, patience: { tell } }).ask()
    expect(told).toEqual(['unavailable 503', 'unavailable 503'])
  })
})

describe('the attempts', () => {
  test.each([
    ['one that is accepted', 'POST', [answerOf(204)], { tries: 1, githubStatus: 204 }],
    ['two', 'POST', [answerOf(503), answerOf(204)], { tries: 2, githubStatus: 204 }],
    ['a look', 'GET', [answerOf(502), answerOf(200)], { tries: 0, githubStatus: 200 }],
    ['one without an answer', 'POST', [lost()], { tries: 1 }],
    [
      'the last one without an answer',
      'POST',
      [answerOf(502), lost()],
      { tries: 2, mayBeAccepted: true },
    ],
  ] as const)('count %s', async (_, method, answers, attempts) => {
    const { questions, ask } = open({ answers, patience: { retriesOf502: 1 } })
    await ask({ method })
    expect(questions.attempts).toStrictEqual(attempts)
  })

  test.each([
    ['accepted', answerOf(204), { tries: 2, githubStatus: 204 }],
    ['rejected', answerOf(422), { tries: 2, githubStatus: 422 }],
    ['refused', answerOf(401), { tries: 2, githubStatus: 401, mayBeAccepted: true }],
  ])('leave nothing open after a 502 if the event is %s', async (_, then, attempts) => {
    const { questions, ask } = open({
      answers: [answerOf(502), then],
      patience: { retriesOf502: 1 },
    })
    await ask()
    expect(questions.attempts).toStrictEqual(attempts)
  })

  test('of a look are none, and it is retried after every 502', async () => {
    const first = open({ answers: [answerOf(502), lost()], patience: { retriesOf502: 1 } })
    expect(await first.ask({ method: 'GET' })).toBe('unanswered')
    expect(first.questions.attempts).toStrictEqual({ tries: 0 })
    const second = open({ answers: [answerOf(502), answerOf(502), answerOf(200)] })
    expect(await second.ask({ method: 'GET' })).toBe('accepted')
  })

  test.each([
    ['by GitHub’s clock', { date: 'Thu, 01 Jan 1970 00:00:10 GMT' }, 9675],
    ['by this clock without a date', {}, 0],
    ['by this clock without a right date', { date: 'soon' }, 0],
  ])('have their times %s, for a caller that stores events', async (_, headers, acceptedAt) => {
    const answers = [answerOf(503), answerOf(204, headers)]
    const { questions, ask } = open({ answers, takes: 100, patience: { retryTime: 5000 } })
    await ask({ method: 'GET' })
    expect(questions.attempts).toStrictEqual({ tries: 0, githubStatus: 204 })
    const event = open({ answers, takes: 100, patience: { retryTime: 5000 } })
    await event.ask()
    const times = { tries: 2, githubStatus: 204, acceptedAt, githubMs: 100 }
    expect(event.questions.attempts).toStrictEqual(times)
    await event.ask({ method: 'GET' })
    expect(event.questions.attempts).toStrictEqual(times)
  })

  test('are none before anything is asked', () => {
    expect(open({ answers: [] }).questions.attempts).toStrictEqual({ tries: 0 })
  })
})

describe('a token', () => {
  const [old, fresh] = [new Secret('old-token'), new Secret('fresh-token')]
  const authorizations = (calls: readonly GitHubCallRequest[]) =>
    calls.map(({ headers }) => headers.authorization)

  test('that is refused is replaced once, where there is another one', async () => {
    const refused: unknown[] = []
    const tokens: Tokens = async (one) => {
      refused.push(one)
      return one ? fresh : old
    }
    const scene = open({ answers: [answerOf(401), answerOf(204)], tokens })
    expect(await scene.ask()).toBe('accepted')
    expect(refused).toEqual([undefined, old])
    expect(authorizations(scene.calls)).toEqual(['Bearer old-token', 'Bearer fresh-token'])
  })

  test.each([
    ['refused, the other one too', 401, async (one?: Secret) => (one ? fresh : old), 2, 2],
    ['refused, without another one', 401, async (one?: Secret) => (one ? undefined : old), 1, 2],
    ['refused, with none but itself', 401, async () => old, 1, 2],
    ['not given at all', 401, async () => undefined, 1, 1],
    ['that may not', 403, async (one?: Secret) => (one ? fresh : old), 1, 1],
  ] as const)('%s is asked with so often', async (_, status, give, calls, asked) => {
    let count = 0
    const tokens: Tokens = (one) => {
      count++
      return give(one)
    }
    const scene = open({ answers: [answerOf(status)], tokens })
    expect(await scene.ask()).toBe(status === 401 ? 'unauthorized' : 'forbidden')
    expect([scene.calls.length, count]).toEqual([calls, asked])
  })

  const fault = new Error('no token now')
  const once = () => {
    let count = 0
    return async () => {
      if (count++ === 0) throw fault
      return old
    }
  }

  test('that cannot be had ends it', async () => {
    await expect(open({ answers: [answerOf(204)], tokens: once() }).ask()).rejects.toBe(fault)
    const patience = { passes: () => undefined }
    const scene = open({ answers: [answerOf(204)], tokens: once(), patience })
    await expect(scene.ask()).rejects.toBe(fault)
  })

  test.each([
    ['for a moment', {}, [125]],
    ['until a moment that is known', { wait: 700 }, [700]],
  ])('that cannot be had %s is asked for again', async (_, passing, sleeps) => {
    const told: unknown[] = []
    const patience: Partial<RetryPolicy> = {
      passes: (cause) => (cause === fault ? passing : undefined),
      tell: (refusal) => told.push(refusal),
    }
    const scene = open({ answers: [answerOf(204)], tokens: once(), patience })
    expect([await scene.ask(), scene.sleeps]).toEqual(['accepted', sleeps])
    expect(told).toEqual([{ kind: 'unasked', cause: fault, ...passing }])
  })

  test('that was given is not to blame for a fault of the call', async () => {
    const bug = new TypeError('a bug')
    await expect(open({ answers: [bug] }).ask()).rejects.toBe(bug)
    const cause = lost()
    const { questions } = open({ answers: [cause] })
    const refusal = { kind: 'unanswered', cause }
    expect(await questions.ask({ path: PATH })).toEqual({ accepted: false, refusal })
  })
})

describe('a call', () => {
  test('is what was asked for, with GitHub’s headers', async () => {
    const scene = open({ answers: [answerOf(204)], tokens: async () => new Secret('the-token') })
    await scene.ask({ method: 'PUT', body: '{}', reads: true })
    expect(scene.calls).toEqual([
      {
        method: 'PUT',
        path: `/api/v3${PATH}`,
        headers: {
          accept: 'application/vnd.github+json',
          'content-type': 'application/json',
          'user-agent': 'hookline',
          'x-github-api-version': '2026-03-10',
          authorization: 'Bearer the-token',
        },
        body: '{}',
        timeout: 100_000,
        reads: true,
      },
    ])
  })

  test('has a body that may depend on the version', async () => {
    const scene = open({ answers: [answerOf(400), answerOf(204)] })
    await scene.ask({ body: (isOlder) => `older: ${isOlder}` })
    expect(scene.calls.map(({ body }) => body)).toEqual(['older: false', 'older: true'])
  })

  test('is named, and takes another media type, and has no token', async () => {
    const scene = open({ answers: [answerOf(204)], agent: 'somebody' })
    await scene.ask({ accept: 'application/vnd.github.raw+json' })
    const [{ headers } = { headers: {} }] = scene.calls
    expect(headers).toMatchObject({
      accept: 'application/vnd.github.raw+json',
      'user-agent': 'somebody',
    })
    expect(headers).not.toHaveProperty('authorization')
  })

  test.each(['https://h.example', 'https://h.example/', 'https://h.example///'])(
    'goes to the root of %s',
    async (apiUrl) => {
      const scene = open({ apiUrl, answers: [answerOf(204)] })
      await scene.ask()
      expect(scene.calls.map(({ path }) => path)).toEqual([PATH])
    },
  )

  test('has what is left of the time, and no more than a call may take', async () => {
    const answers = [answerOf(503), answerOf(503), answerOf(204)]
    const left = open({ answers, patience: { budget: 3000 }, takes: 100 })
    await left.ask()
    expect(left.calls.map(({ timeout }) => timeout)).toEqual([3000, 2775, 2425])
    const short = open({ answers, patience: { budget: 1000, callTime: 700 }, takes: 100 })
    await short.ask()
    expect(short.calls.map(({ timeout }) => timeout)).toEqual([700, 700, 425])
  })

  test('has a moment at least: what was begun is asked to its end', async () => {
    const tokens: Tokens = async (one) => new Secret(one ? 'fresh-token' : 'old-token')
    const answers = [answerOf(401), answerOf(204)]
    const scene = open({ answers, patience: { budget: 1000 }, takes: 2000, tokens })
    expect(await scene.ask()).toBe('accepted')
    expect(scene.calls.map(({ timeout }) => timeout)).toEqual([1000, 1])
  })
})

describe('a repository that moved', () => {
  const moved = (location: string) => [answerOf(307, { location }), answerOf(204)]

  test('is asked about at its new place from then on, and no other is', async () => {
    const NEW = '/repos/octo/new-name'
    const scene = open({ answers: moved(`https://h.example/api/v3${NEW}/contents/a?ref=x`) })
    expect(scene.questions.movedTo).toBeUndefined()
    expect(await scene.ask({ path: '/repos/octo/old/contents/a?ref=x' })).toBe('accepted')
    expect(scene.questions.movedTo).toBe(NEW)
    await scene.ask({ path: '/repos/octo/old/git/refs' })
    await scene.ask({ path: '/repos/octo/other/git/refs' })
    expect(scene.calls.map(({ path }) => path.replace('/api/v3', ''))).toEqual([
      '/repos/octo/old/contents/a?ref=x',
      `${NEW}/contents/a?ref=x`,
      `${NEW}/git/refs`,
      '/repos/octo/other/git/refs',
    ])
  })

  test.each([
    ['its number', '/api/v3/repositories/77/dispatches', 'accepted'],
    ['a relative address', '../../octo/new/dispatches', 'accepted'],
    ['itself', `/api/v3${PATH}`, 'redirected'],
    ['another base', '/api/v33/repositories/7/dispatches', 'redirected'],
    ['no repository', '/api/v3/orgs/octo/dispatches', 'redirected'],
    ['a number with a letter', '/api/v3/repositories/7x/dispatches', 'redirected'],
    ['a repository below another path', '/api/v3/x/repos/octo/new/dispatches', 'redirected'],
    ['another question', '/api/v3/repos/octo/new/keys', 'redirected'],
    ['another host', 'https://elsewhere.example/api/v3/repositories/7/dispatches', 'redirected'],
    [
      'another host with as many letters',
      'https://x.example/api/v3/repositories/7/dispatches',
      'redirected',
    ],
    ['another question with as many letters', '/api/v3/repositories/7/dispatchez', 'redirected'],
    ['another port', 'https://h.example:8443/api/v3/repositories/7/dispatches', 'redirected'],
    ['no address', 'http://[', 'redirected'],
  ])('is not followed to %s, unless it is one', async (_, location, what) => {
    const scene = open({ answers: moved(location) })
    expect(await scene.ask()).toBe(what)
    expect(scene.calls).toHaveLength(what === 'accepted' ? 2 : 1)
  })

  test.each(['/user', '/x/repos/octo/old/dispatches', '/repos/octo'])(
    'is none of %s',
    async (path) => {
      const scene = open({ answers: moved(`https://h.example/api/v3/repositories/7${path}`) })
      expect([await scene.ask({ path }), scene.calls.length]).toEqual(['redirected', 1])
    },
  )

  test('is not looked for where nobody says where it is', async () => {
    const scene = open({ answers: [answerOf(308), answerOf(204)] })
    expect([await scene.ask(), scene.calls.length]).toEqual(['redirected', 1])
  })

  test('tries again at its new place', async () => {
    const [first] = moved('/api/v3/repositories/7/dispatches')
    const scene = open({ answers: [first ?? lost(), answerOf(503), answerOf(204)] })
    expect([await scene.ask(), scene.sleeps]).toEqual(['accepted', [125]])
    expect(scene.calls.at(-1)?.path).toBe('/api/v3/repositories/7/dispatches')
  })
})

describe('the text of an answer', () => {
  test.each([
    ['{"a":1}', { a: 1 }],
    ['[{"a":1}]', {}],
    ['null', {}],
    ['<html>', {}],
    ['', {}],
  ])('%s has these fields', (text, fields) => expect(fieldsOf({ text })).toEqual(fields))

  test.each([
    [
      [{ a: 1 }, 1, null, { b: 2 }],
      [{ a: 1 }, { b: 2 }],
    ],
    [{ a: 1 }, []],
    ['text', []],
  ])('%j is this list', (value, list) => expect(listOf(value)).toEqual(list))

  test('is JSON, or nothing', () => {
    expect([jsonOf('1'), jsonOf('{'), jsonOf('')]).toEqual([1, undefined, undefined])
  })

  test('is read for 64 KB', () => expect(RESPONSE_BYTES).toBe(65_536))
})
