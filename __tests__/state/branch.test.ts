import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { githubPort } from '../../src/action/state-store.ts'
import { openBranch } from '../../src/state/branch.ts'
import { createStore, MOST_CLAIMS, type Run } from '../../src/state/store.ts'
import {
  type Call,
  type ContentsApi,
  graphqlError,
  startContentsApi,
} from '../support/contents-api.ts'
import { problemsOf } from '../support/problems.ts'
import { named, type SingleStore, single, storePlace } from '../support/stores.ts'

const ID = { workflow: 'hook', trigger: 'webhook' }
const FOLDER = 'v2.hook.webhook'
const RUN = { id: '1', at: 1_000 }
/** No real waits, because only the order of calls matters. */
const PORTS = { sleep: async () => {}, random: () => 0 }
const LEASE = { lease: 3_600_000 }

let api: ContentsApi
let store: SingleStore

beforeEach(async () => {
  api = await startContentsApi()
  process.env.GITHUB_API_URL = api.url
  process.env.GITHUB_REPOSITORY = 'octo/repo'
  store = open()
})
afterEach(() => api.close())

function open(branch = 'state', token = 'token'): SingleStore {
  const place = storePlace('', { ...PORTS, github: githubPort(token) })
  return single(createStore(openBranch(branch, place)))
}

async function claim(keys: string[], run: Run, from = store): Promise<string[]> {
  const states = await from.claim(ID, named(keys), run, LEASE)
  return states.map(({ status }) => status)
}

/** The kind of a call: `read`, `write`, or its path. */
function purpose({ method, path, body }: Call): string {
  if (path !== '/graphql') return `${method} ${path.replace('/repos/octo/repo', '')}`
  return String(body.query).startsWith('mutation') ? 'write' : 'read'
}

const calls = () => api.calls.map(purpose)

/** Adds a claim of a run, as another process would. */
async function putClaim(key: string, run: string): Promise<void> {
  const texts = api.calls.length
  await open().claim(ID, named([key]), { id: run, at: 0 }, LEASE)
  ;(api.calls as Call[]).splice(texts)
}

test('the first write makes a branch without a parent, later ones add to it', async () => {
  await claim(['a'], RUN)
  await store.commit(ID, RUN)
  expect(api.history('state')).toEqual({ commits: 2, roots: 1 })
  expect(calls()).toEqual([
    'read',
    'POST /git/trees',
    'POST /git/commits',
    'POST /git/refs',
    'write',
  ])
  expect(api.calls.flatMap(({ violations }) => violations)).toEqual([])
})

test('on GitHub Enterprise Server the GraphQL API is at /api/graphql', async () => {
  process.env.GITHUB_API_URL = `${api.url}/api/v3`
  await problemsOf(open().read(ID))
  expect(api.calls.map(({ path }) => path)).toEqual(['/api/graphql'])
})

describe('without other processes', () => {
  /** The content of the job's own folder between its processes. */
  let texts: Map<string, string>
  const known = {
    read: async (name: string) => texts.get(name),
    write: async (name: string, text: string) => void texts.set(name, text),
  }
  const process = () =>
    single(
      createStore(
        openBranch('state', storePlace('', { ...PORTS, github: githubPort('token'), known })),
      ),
    )

  beforeEach(async () => {
    texts = new Map()
    await putClaim('x', '9')
  })

  test('main costs one read and one write, and post one write, for many keys as for one', async () => {
    const main = process()
    await main.read(ID)
    const keys = Array.from({ length: 256 }, (_, n) => `k${n}`)
    await claim(keys, RUN, main)
    await process().commit(ID, { id: RUN.id }, 7)
    expect(calls()).toEqual(['read', 'write', 'write'])
    const { claims, cursor } = (await open().read(ID)).state
    expect(claims.filter(({ done }) => done)).toHaveLength(256)
    expect([claims.length, cursor]).toEqual([257, 7])
  })

  test('a write holds the files that changed, and no other', async () => {
    await claim(['a', 'b', 'c', 'd'], RUN, process())
    const before = new Set(api.files('state')?.keys())
    ;(api.calls as Call[]).splice(0)
    await claim(['e'], { id: '2', at: 0 }, process())
    const additions = [{ path: expect.any(String), contents: expect.any(String) }]
    expect(api.calls.at(-1)?.body.variables).toMatchObject({
      input: { fileChanges: { additions } },
    })
    expect(before.size).toBeGreaterThan(2)
  })

  test('several triggers cost one read and one write, and post one write', async () => {
    const ids = ['one', 'two', 'three'].map((trigger) => ({ workflow: 'hook', trigger }))
    const store = createStore(openBranch('state', storePlace('', { ...PORTS, known })))
    await store.read(ids)
    const wanted = ids.map((id) => ({ ...id, ...LEASE, keys: named(['a', 'x']) }))
    const states = await store.claim(wanted, RUN)
    expect(states.flat().map(({ status }) => status)).toEqual(Array(6).fill('new'))
    const post = createStore(openBranch('state', storePlace('', { ...PORTS, known })))
    await post.commit(
      ids.map((id, place) => ({ ...id, cursor: place })),
      RUN.id,
    )
    expect(calls()).toEqual(['read', 'write', 'write'])
    const left = (await store.read(ids)).map(({ state }) => state)
    expect(left.map(({ cursor }) => cursor)).toEqual([0, 1, 2])
    expect(left.flatMap(({ claims }) => claims).every(({ done }) => done)).toBe(true)
  })

  test('a run that was given nothing writes nothing', async () => {
    const main = process()
    await main.read(ID)
    expect(await claim(['x'], RUN, main)).toEqual(['claimed'])
    expect(calls()).toEqual(['read'])
  })

  test('a commit that took effect unheard is not written again', async () => {
    await claim(['a'], RUN, process())
    dropAfter('write')
    await process().commit(ID, RUN)
    expect(api.history('state').commits).toBe(3)
  })

  test.each([
    ['another run wrote meanwhile', (text: string) => text, true],
    ['it names another commit', (text: string) => text.replace(/"head":"\w/, '"head":"0'), false],
    ['it is no state', () => 'my notes', false],
  ])('the state that main left for post is not trusted: %s', async (_, change, isOvertaken) => {
    await claim(['a'], RUN, process())
    for (const [name, text] of texts) texts.set(name, change(text))
    if (isOvertaken) await claim(['c'], { id: '2', at: 1 }, open())
    await process().commit(ID, RUN)
    const { claims } = (await open().read(ID)).state
    expect(claims.filter((one) => one.done).map(({ key }) => key)).toEqual(['a'])
    expect(claims.map(({ key }) => key).sort()).toEqual(isOvertaken ? ['a', 'c', 'x'] : ['a', 'x'])
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

test('a file has a claim a line; times stand apart, where there are any', async () => {
  await claim(['a', 'b'], RUN, store)
  const text = () => Object.fromEntries(api.files('state') ?? [])
  const lines = Object.values(text()).flatMap((one) =>
    one
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  )
  expect(lines.sort()).toEqual([
    ['a', '1', expect.any(Number), 0],
    ['b', '1', expect.any(Number), 0],
  ])
  expect(text()).not.toHaveProperty([`${FOLDER}/times.json`])
  await store.commit(ID, RUN)
  expect(text()).toHaveProperty([`${FOLDER}/times.json`], '{"lastSuccess":1000}\n')
})

test('5,000 keys lie in files of some kilobytes', async () => {
  const keys = Array.from({ length: MOST_CLAIMS }, (_, index) => String(index).padStart(43, 'k'))
  const marked = named(keys, 'd'.repeat(22))
  await store.claim(ID, marked, { id: '99999999999', at: 1_900_000_000_000 }, LEASE)
  const sizes = [...(api.files('state')?.values() ?? [])].map(({ length }) => length)
  expect(Math.max(...sizes)).toBeLessThan(20_000)
  expect((await open().read(ID)).state.claims).toHaveLength(MOST_CLAIMS)
})

/** Does something once, right before the response to a call of this kind. */
function interfere(wanted: string, work: () => void): void {
  let done = false
  api.intervene((call) => {
    if (done || purpose(call) !== wanted) return undefined
    done = true
    work()
    return undefined
  })
}

/** Drops the response to the first call of this kind, which still takes effect. */
function dropAfter(wanted: string): void {
  let dropped = false
  api.afterwards((call) => {
    if (dropped || purpose(call) !== wanted) return undefined
    dropped = true
    return 'drop'
  })
}

const lineOf = (key: string, run: string) => `${JSON.stringify([key, run, Date.now(), 0])}\n`

describe('another run comes in between:', () => {
  test.each(['read', 'POST /git/trees', 'POST /git/refs'])(
    'it makes the branch first: %s',
    async (call) => {
      interfere(call, () => api.put('state', `${FOLDER}/00`, lineOf('a', '2')))
      expect(await claim(['a', 'b'], RUN, store)).toEqual(['claimed', 'new'])
      expect(api.history('state').roots).toBe(1)
    },
  )

  test('it writes between reading and writing', async () => {
    await putClaim('x', '9')
    interfere('write', () => api.put('state', `${FOLDER}/00`, lineOf('a', '2')))
    expect(await claim(['a', 'b'], RUN, store)).toEqual(['claimed', 'new'])
    const { claims } = (await store.read(ID)).state
    expect(claims.map(({ key, run }) => `${key} ${run}`).sort()).toEqual(['a 2', 'b 1'])
  })

  test('the branch is deleted: it is made anew', async () => {
    await putClaim('x', '9')
    interfere('write', () => api.rewind('state', 'delete'))
    expect(await claim(['a'], RUN, store)).toEqual(['new'])
    expect(api.history('state')).toEqual({ commits: 1, roots: 1 })
  })

  test('the branch is forced back to an earlier commit: what is gone there is new', async () => {
    await putClaim('x', '9')
    await putClaim('y', '9')
    await store.read(ID)
    api.rewind('state', 1)
    expect(await claim(['y', 'x', 'z'], RUN, store)).toEqual(['new', 'claimed', 'new'])
  })
})

describe('a branch of another form', () => {
  test('of a newer version is refused, with how to start anew', async () => {
    api.put('state', 'v3.hook.webhook/00', '{}')
    const [problem] = await problemsOf(claim(['a'], RUN))
    expect(problem?.message).toBe('the branch state was written by a newer version of Hookline')
    expect(problem?.notes?.[0]).toContain('git push origin --delete state')
  })

  test('of something else is refused, without advice to delete it', async () => {
    api.put('state', 'README.md', '{}')
    const [problem] = await problemsOf(claim(['a'], RUN))
    expect(problem?.message).toBe('the branch state contains no state of Hookline')
    expect(problem?.notes?.join('\n')).not.toContain('delete')
  })
})

test('an empty token is named before anything is called', async () => {
  const [problem] = await problemsOf(open('state', '').read(ID))
  expect(problem?.message).toContain('"github-token" is empty')
  expect(api.calls).toEqual([])
})

test('runs that never get a turn give up, and say what helps', async () => {
  await putClaim('x', '9')
  api.intervene((call) =>
    purpose(call) === 'write'
      ? graphqlError('STALE_DATA', 'Expected branch to point to')
      : undefined,
  )
  const [problem] = await problemsOf(claim(['a'], RUN))
  expect(problem?.message).toMatch(/the branch state: too many concurrent runs write to it/)
  expect(problem?.notes?.[0]).toContain('`queue: max`')
})

describe('no answer comes', () => {
  test.each(['read', 'write', 'POST /git/refs'])(
    'to a call that had no effect: it is asked again: %s',
    async (wanted) => {
      if (wanted === 'write') await putClaim('x', '9')
      let dropped = false
      api.intervene((call) => {
        if (dropped || purpose(call) !== wanted) return undefined
        dropped = true
        return 'drop'
      })
      expect(await claim(['a'], RUN, store)).toEqual(['new'])
      expect(dropped).toBe(true)
    },
  )

  test.each(['write', 'POST /git/refs'])(
    'to a call that took effect: the claim is the run’s own: %s',
    async (wanted) => {
      if (wanted === 'write') await putClaim('x', '9')
      dropAfter(wanted)
      expect(await claim(['a'], RUN, store)).toEqual(['new'])
      expect(await claim(['a'], { id: '2', at: 1_001 }, open())).toEqual(['claimed'])
    },
  )

  test('at all: the error names the branch', async () => {
    api.intervene(() => 'drop')
    const [problem] = await problemsOf(claim(['a'], RUN))
    expect(problem?.message).toBe('the branch state cannot be used as state: GitHub gave no answer')
  })
})

describe('GitHub refuses', () => {
  test.each([
    ['FORBIDDEN', 'Resource not accessible by integration', /`permissions: contents: write`/],
    ['NOT_FOUND', 'Could not resolve to a Repository', /`permissions: contents: write`/],
    [
      'UNPROCESSABLE',
      'Repository rule violations found\n\nChanges must be made through a pull request.',
      /a rule protects the branch/,
    ],
    ['UNPROCESSABLE', 'Protected branch update failed', /a rule protects the branch/],
    ['UNPROCESSABLE', '2 of 2 required status checks are expected.', /a rule protects the branch/],
    ['RATE_LIMITED', 'You have exceeded a secondary rate limit', /limits how often/],
    ['OTHER', 'no', /try again later/],
  ])('a write with %s: %s', async (type, message, note) => {
    await putClaim('x', '9')
    api.intervene((call) => {
      const isWrite = purpose(call) === 'write'
      const isRead = purpose(call) === 'read' && type === 'NOT_FOUND'
      return isWrite || isRead ? graphqlError(type, message) : undefined
    })
    const [problem] = await problemsOf(claim(['a'], RUN))
    expect(problem?.message).toContain(
      `the branch state cannot be used as state: GitHub answered ${type}: `,
    )
    expect(problem?.notes?.[0]).toMatch(note)
    expect(JSON.stringify(problem)).not.toContain('token token')
  })

  test.each([
    [401, 'Bad credentials', /`github-token` is not a token/],
    [403, 'Resource not accessible', /contents: write/],
    [503, 'Unavailable', /try again later/],
  ])('a read with %d', async (status, message, note) => {
    api.intervene(() => ({ status, body: { message } }))
    const [problem] = await problemsOf(store.read(ID))
    expect(problem?.message).toContain(`GitHub answered ${status}: ${message}`)
    expect(problem?.notes?.[0]).toMatch(note)
  })

  test('to make the branch', async () => {
    api.intervene((call) =>
      purpose(call).startsWith('POST')
        ? { status: 403, body: { message: 'Resource not accessible by integration' } }
        : undefined,
    )
    const [problem] = await problemsOf(claim(['a'], RUN))
    expect(problem?.notes?.[0]).toMatch(/contents: write/)
  })
})

test.each([
  ['502', { status: 502, body: {} }],
  ['an error of its own', graphqlError('', 'Something went wrong while executing your query.')],
])('GitHub is busy: it is asked again: %s', async (_, reply) => {
  let left = 3
  api.intervene(() => (left-- > 0 ? reply : undefined))
  expect(await claim(['a'], RUN, store)).toEqual(['new'])
})

describe('the limits of GitHub', () => {
  const spent = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '4102444800' }

  test.each([
    ['of calls', 403, { message: 'API rate limit exceeded for installation ID 1.' }],
    [
      'of points',
      200,
      graphqlError('RATE_LIMITED', 'API rate limit exceeded for installation ID 1.').body,
    ],
  ])(
    'one %s is named as that, with the time of its end, and asked once',
    async (_, status, body) => {
      api.intervene(() => ({ status, headers: spent, body }))
      const [problem] = await problemsOf(store.read(ID))
      expect(problem?.notes?.[0]).toMatch(/in an hour are spent; there are new ones at 00:00 UTC$/)
      expect(JSON.stringify(problem)).not.toContain('contents: write')
      expect(api.calls).toHaveLength(1)
    },
  )

  test.each(['You have triggered an abuse detection mechanism', 'secondary rate limit'])(
    'a pause that GitHub asks for is kept: %s',
    async (message) => {
      const pauses: number[] = []
      const sleep = async (duration: number) => void pauses.push(duration)
      const place = storePlace('', { ...PORTS, sleep, github: githubPort('token') })
      let left = 1
      api.intervene(() =>
        left-- > 0
          ? { status: 403, headers: { 'retry-after': '7' }, body: { message } }
          : undefined,
      )
      await single(createStore(openBranch('state', place))).read(ID)
      expect(pauses).toEqual([7_000])
    },
  )

  test('a GitHub that hangs delays a run only up to a limit, for each call and for all together', async () => {
    let now = 0
    const sleep = async (duration: number) => {
      now += duration + 10_000
    }
    api.hang()
    const github = githubPort('token', 50)
    const place = storePlace('', { now: () => now, sleep, random: () => 1, github })
    const [problem] = await problemsOf(single(createStore(openBranch('state', place))).read(ID))
    expect(problem?.message).toContain('GitHub gave no answer in 0.05 s')
    expect(now).toBeLessThan(45_000)
  })
})

describe('which runs have ended without success', () => {
  beforeEach(() => {
    for (const [id, conclusion] of [
      ['1', 'failure'],
      ['2', 'cancelled'],
      ['3', 'success'],
      ['4', null],
      ['5', 'timed_out'],
      ['6', 'startup_failure'],
      ['7', 'skipped'],
    ] as const)
      api.runs.set(id, conclusion)
  })

  test.each([
    [['1'], ['1']],
    [['3'], []],
    [['4'], []],
    [['99'], []],
    [['local', '../2'], []],
    [
      ['1', '2', '3', '4', '5', '6', '7', '99', 'local'],
      ['1', '2', '5', '6'],
    ],
  ])('of %j: %j, by at most one call', async (asked, ended) => {
    expect([...((await store.endedRuns?.(asked)) ?? [])]).toEqual(ended)
    expect(api.calls.length).toBeLessThanOrEqual(1)
    expect(api.calls.flatMap(({ violations }) => violations)).toEqual([])
  })

  test('as they are now, not as a cache told a moment ago', async () => {
    expect([...((await store.endedRuns?.(['4'])) ?? [])]).toEqual([])
    api.runs.set('4', 'failure')
    expect([...((await store.endedRuns?.(['4'])) ?? [])]).toEqual(['4'])
  })

  test.each([403, 404, 500])('where GitHub answers %d nothing is known', async (status) => {
    api.intervene(() => ({ status, body: { message: 'no' } }))
    expect([...((await store.endedRuns?.(['1'])) ?? [])]).toEqual([])
    expect(api.calls).toHaveLength(1)
  })
})
