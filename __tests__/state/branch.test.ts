import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { githubApi } from '../../src/action/store.ts'
import { openBranch } from '../../src/state/branch.ts'
import { createStore, MOST_CLAIMS, type Run, type StateStore } from '../../src/state/store.ts'
import { type ContentsApi, startContentsApi } from '../support/contents-api.ts'
import { problemsOf } from '../support/problems.ts'
import { named, storePlace } from '../support/stores.ts'

const ID = { workflow: 'hook', trigger: 'webhook' }
const RUN = { id: '1', at: 1_000 }
/** Real waits would only make the tests slow: the order of calls is what counts. */
const PORTS = { sleep: async () => {}, random: () => 0 }
const LEASE = { lease: 3_600_000 }

let api: ContentsApi
let store: StateStore

beforeEach(async () => {
  api = await startContentsApi()
  process.env.GITHUB_API_URL = api.url
  process.env.GITHUB_REPOSITORY = 'octo/repo'
  store = open()
})
afterEach(() => api.close())

function open(branch = 'state', token = 'token'): StateStore {
  return createStore(openBranch(branch, storePlace('', { ...PORTS, github: githubApi(token) })))
}

async function claim(keys: string[], run: Run, from = store): Promise<string[]> {
  const states = await from.claim(ID, named(keys), run, LEASE)
  return states.map(({ status }) => status)
}

function calls(): string[] {
  return api.calls.map(({ method, path }) => `${method} ${path.replace('/repos/octo/repo', '')}`)
}

test('the first write makes a branch without a parent, later ones add to it', async () => {
  await claim(['a'], RUN)
  await store.commit(ID, RUN)
  expect(api.history('state')).toEqual({ commits: 2, roots: 1 })
  expect(calls()).toEqual([
    'GET /contents/hook/webhook.json',
    'PUT /contents/hook/webhook.json',
    'POST /git/trees',
    'POST /git/commits',
    'POST /git/refs',
    'PUT /contents/hook/webhook.json',
  ])
  expect(api.calls.flatMap(({ violations }) => violations)).toEqual([])
})

describe('where nobody interferes', () => {
  /** What the folder of the job's own files holds between its processes. */
  let texts: Map<string, string>
  const known = {
    read: async (name: string) => texts.get(name),
    write: async (name: string, text: string) => void texts.set(name, text),
  }
  const process = () =>
    createStore(
      openBranch('state', storePlace('', { ...PORTS, github: githubApi('token'), known })),
    )

  beforeEach(() => {
    texts = new Map()
    api.put('state', 'hook/webhook.json', stateOf('x', '9'))
  })

  test('main costs one read and one write, and post one write', async () => {
    const main = process()
    await main.read(ID)
    await claim(['a'], RUN, main)
    await process().commit(ID, RUN, 7)
    expect(calls().map((call) => call.split(' ')[0])).toEqual(['GET', 'PUT', 'PUT'])
    const { claims, cursor } = (await open().read(ID)).state
    expect([claims.map(({ key, done }) => [key, done]), cursor]).toEqual([
      [
        ['x', false],
        ['a', true],
      ],
      7,
    ])
  })

  test('a run that was given nothing writes nothing', async () => {
    const main = process()
    await main.read(ID)
    expect(await claim(['x'], RUN, main)).toEqual(['claimed'])
    expect(calls()).toEqual(['GET /contents/hook/webhook.json'])
  })

  test('a commit that took effect unheard is not written again', async () => {
    await claim(['a'], RUN, process())
    let dropped = false
    api.afterwards(() => {
      if (dropped) return undefined
      dropped = true
      return 'drop'
    })
    await process().commit(ID, RUN)
    expect(api.history('state').commits).toBe(3)
  })

  test.each([
    ['another run wrote meanwhile', (text: string) => text, true],
    ['somebody changed it', (text: string) => text.replace('"a"', '"b"'), false],
    ['it is no state', () => 'my notes', false],
  ])('what post knows from main is not trusted: %s', async (_, change, isOvertaken) => {
    await claim(['a'], RUN, process())
    for (const [name, text] of texts) texts.set(name, change(text))
    if (isOvertaken) await claim(['c'], { id: '2', at: 1 }, open())
    await process().commit(ID, RUN)
    const { claims } = (await open().read(ID)).state
    const done = claims.filter((one) => one.done).map(({ key }) => key)
    expect(done).toEqual(['a'])
    expect(claims.map(({ key }) => key)).toEqual(isOvertaken ? ['x', 'a', 'c'] : ['x', 'a'])
  })
})

test('the time is GitHub’s', async () => {
  api.clock.ahead = 31 * 60_000
  const { now } = await store.read(ID)
  expect(Math.abs(now - Date.now() - 31 * 60_000)).toBeLessThan(10_000)
  await claim(['a'], RUN)
  const [claimed] = (await open().read(ID)).state.claims
  expect(Math.abs((claimed?.at ?? 0) - now)).toBeLessThan(10_000)
})

test('a state file says what it is, and has a claim a line', async () => {
  await claim(['a', 'b'], RUN, store)
  const text = api.files('state')?.get('hook/webhook.json')
  expect(text?.replace(/"at":\d+/g, '"at":0')).toBe(
    [
      '{"format":"hookline-state","version":1,"workflow":"hook","trigger":"webhook","lastSuccess":null,"claims":[',
      '{"key":"a","run":"1","at":0,"done":false},',
      '{"key":"b","run":"1","at":0,"done":false}]}',
      '',
    ].join('\n'),
  )
})

test('with all of its keys it stays below the 1 MB that GitHub hands out whole', async () => {
  const keys = Array.from({ length: MOST_CLAIMS }, (_, index) => String(index).padStart(43, 'k'))
  const marked = named(keys, 'd'.repeat(22))
  await store.claim(ID, marked, { id: '99999999999', at: 1_900_000_000_000 }, LEASE)
  const text = api.files('state')?.get('hook/webhook.json') ?? ''
  expect(text.length).toBeLessThan(1_000_000)
  expect((await open().read(ID)).state.claims).toHaveLength(MOST_CLAIMS)
})

describe('another run comes in between:', () => {
  test.each([
    ['it makes the branch first', 'GET', 1],
    ['it makes the branch while this one is at it', 'POST', 3],
  ])('%s', async (_, method, number) => {
    let done = false
    api.intervene((call) => {
      if (done || call.method !== method || api.calls.length < number) return undefined
      done = true
      api.put('state', 'hook/webhook.json', stateOf('a', '2'))
      return undefined
    })
    expect(await claim(['a', 'b'], RUN, store)).toEqual(['claimed', 'new'])
    expect(api.history('state').roots).toBe(1)
  })

  test('it changes the file between reading and writing', async () => {
    api.put('state', 'hook/webhook.json', stateOf('x', '9'))
    let done = false
    api.intervene(({ method }) => {
      if (done || method !== 'PUT') return undefined
      done = true
      api.put('state', 'hook/webhook.json', stateOf('a', '2'))
      return undefined
    })
    expect(await claim(['a', 'b'], RUN, store)).toEqual(['claimed', 'new'])
    const { claims } = (await store.read(ID)).state
    expect(claims.map(({ key, run }) => `${key} ${run}`)).toEqual(['a 2', 'b 1'])
  })

  test('it makes the file on a branch that is there', async () => {
    api.put('state', 'other.json', '{}')
    let done = false
    api.intervene(({ method }) => {
      if (done || method !== 'PUT') return undefined
      done = true
      api.put('state', 'hook/webhook.json', stateOf('a', '2'))
      return undefined
    })
    expect(await claim(['a'], RUN, store)).toEqual(['claimed'])
  })

  test('it commits another file, and the branch moves on', async () => {
    let refused = 0
    api.intervene(({ method }) => {
      if (method !== 'PUT' || refused++ > 0) return undefined
      return { status: 409, body: { message: 'is at 1a2b but expected 3c4d' } }
    })
    expect(await claim(['a'], RUN, store)).toEqual(['new'])
    expect(refused).toBeGreaterThan(1)
  })
})

test('a file that GitHub does not hand out whole is refused', async () => {
  api.put('state', 'hook/webhook.json', ' '.repeat(1024 * 1024 + 1))
  const [problem] = await problemsOf(store.read(ID))
  expect(problem?.message).toBe('hook/webhook.json on the branch state is not a state of Hookline')
  expect(problem?.notes?.[0]).toContain('git push origin --delete state')
})

test('an empty token is named before anything is called', async () => {
  const [problem] = await problemsOf(open('state', '').read(ID))
  expect(problem?.message).toContain('"github-token" is empty')
  expect(api.calls).toEqual([])
})

test('runs that never get a turn give up, and say what helps', async () => {
  api.put('state', 'hook/webhook.json', stateOf('x', '9'))
  api.intervene(({ method }) =>
    method === 'PUT' ? { status: 409, body: { message: 'does not match' } } : undefined,
  )
  const [problem] = await problemsOf(claim(['a'], RUN))
  expect(problem?.message).toMatch(/the branch state: too many runs write at once/)
  expect(problem?.notes?.[0]).toContain('`queue: max`')
})

describe('no answer comes', () => {
  test.each(['GET', 'PUT', 'POST'])(
    'to a %s that had no effect: it is asked again',
    async (method) => {
      let dropped = false
      api.intervene((call) => {
        if (dropped || call.method !== method) return undefined
        dropped = true
        return 'drop'
      })
      expect(await claim(['a'], RUN, store)).toEqual(['new'])
      expect(dropped).toBe(true)
    },
  )

  test.each([
    ['PUT', /contents/],
    ['POST', /refs$/],
  ])('to a %s that took effect: the claim is the run’s own', async (method, path) => {
    if (method === 'PUT') api.put('state', 'other.json', '{}')
    let dropped = false
    api.afterwards((call) => {
      if (dropped || call.method !== method || !path.test(call.path)) return undefined
      dropped = true
      return 'drop'
    })
    expect(await claim(['a'], RUN, store)).toEqual(['new'])
    expect(dropped).toBe(true)
    expect(await claim(['a'], { id: '2', at: 1_001 }, open())).toEqual(['claimed'])
  })

  test('at all: the error names the branch', async () => {
    api.intervene(() => 'drop')
    const [problem] = await problemsOf(claim(['a'], RUN))
    expect(problem?.message).toBe('the branch state cannot be used as state: GitHub gave no answer')
  })
})

describe('GitHub refuses', () => {
  test.each([
    [403, 'Resource not accessible by integration', /`permissions: contents: write`/],
    [404, 'Not Found', /`permissions: contents: write`/],
    [401, 'Bad credentials', /`github-token` is not a token/],
    [
      409,
      'Could not update file: 2 of 2 required status checks are expected. Changes must be made through a pull request.',
      /a rule protects the branch/,
    ],
    [409, 'Repository rule violations found\n\nCannot create ref', /a rule protects the branch/],
    [422, 'Changes must be made through a protected branch', /a rule protects the branch/],
    [503, 'Unavailable', /try again later/],
    [403, 'You have exceeded a secondary rate limit', /limits how often/],
  ])('a write with %d %s', async (status, message, note) => {
    api.intervene((call) => (call.method === 'GET' ? undefined : { status, body: { message } }))
    const [problem] = await problemsOf(claim(['a'], RUN))
    expect(problem?.message).toContain(
      `the branch state cannot be used as state: GitHub answered ${status}`,
    )
    expect(problem?.notes?.[0]).toMatch(note)
    expect(JSON.stringify(problem)).not.toContain('token token')
  })

  test('a read with 403', async () => {
    api.intervene(() => ({ status: 403, body: { message: 'Resource not accessible' } }))
    const [problem] = await problemsOf(store.read(ID))
    expect(problem?.notes?.[0]).toMatch(/contents: write/)
  })
})

test('GitHub is busy: it is asked again', async () => {
  let left = 3
  api.intervene(() => (left-- > 0 ? { status: 502, body: {} } : undefined))
  expect(await claim(['a'], RUN, store)).toEqual(['new'])
})

describe('the limits of GitHub', () => {
  const spent = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1767225600' }

  test('calls that are spent are named as that, with the time of new ones, and asked once', async () => {
    const body = { message: 'API rate limit exceeded for installation ID 1.' }
    api.intervene(() => ({ status: 403, headers: spent, body }))
    const [problem] = await problemsOf(store.read(ID))
    expect(problem?.notes?.[0]).toMatch(/in an hour are spent; there are new ones at 00:00 UTC$/)
    expect(JSON.stringify(problem)).not.toContain('contents: write')
    expect(api.calls).toHaveLength(1)
  })

  test.each(['You have triggered an abuse detection mechanism', 'secondary rate limit'])(
    'a pause that GitHub asks for is kept: %s',
    async (message) => {
      const pauses: number[] = []
      const sleep = async (duration: number) => void pauses.push(duration)
      const place = storePlace('', { ...PORTS, sleep, github: githubApi('token') })
      let left = 1
      api.intervene(() =>
        left-- > 0
          ? { status: 403, headers: { 'retry-after': '7' }, body: { message } }
          : undefined,
      )
      await createStore(openBranch('state', place)).read(ID)
      expect(pauses).toEqual([7_000])
    },
  )

  test('a GitHub that hangs holds nobody: every call has a limit, and all of them together', async () => {
    let now = 0
    const sleep = async (duration: number) => {
      now += duration + 10_000
    }
    api.hang()
    const github = githubApi('token', 50)
    const place = storePlace('', { now: () => now, sleep, random: () => 1, github })
    const [problem] = await problemsOf(createStore(openBranch('state', place)).read(ID))
    expect(problem?.message).toContain('GitHub gave no answer in 0.05 s')
    expect(now).toBeLessThan(45_000)
  })
})

function stateOf(key: string, run: string): string {
  const claims = [{ key, run, at: Date.now(), done: false }]
  return JSON.stringify({ format: 'hookline-state', version: 1, lastSuccess: null, claims })
}
