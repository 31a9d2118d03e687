import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { githubApi } from '../../src/action/store.ts'
import { openBranch } from '../../src/state/branch.ts'
import { createStore, type Run, type StateStore } from '../../src/state/store.ts'
import { type ContentsApi, startContentsApi } from '../support/contents-api.ts'
import { problemsOf } from '../support/problems.ts'
import { storePlace } from '../support/stores.ts'

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
  const states = await from.claim(ID, keys, run, LEASE)
  return states.map(({ status }) => status)
}

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
    [401, 'Bad credentials', /`github-token` is no token/],
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
