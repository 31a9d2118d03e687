import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { githubApi } from '../../src/action/store.ts'
import { branchBackend, withRetries } from '../../src/state/branch.ts'
import { createStore, type StateStore } from '../../src/state/index.ts'
import { type ContentsApi, startContentsApi } from '../support/contents-api.ts'
import { problemsOf } from '../support/problems.ts'

const ID = { workflow: 'hook', trigger: 'webhook' }
const RUN = { id: '1', at: 1_000 }
/** Real waits would only make the tests slow: the order of calls is what counts. */
const PORTS = { sleep: async () => {}, random: () => 0 }

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
  return createStore(branchBackend(branch, withRetries(githubApi(token), PORTS), PORTS))
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
      expect(await store.claim(ID, ['a'], RUN)).toEqual(['fresh'])
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
    expect(await store.claim(ID, ['a'], RUN)).toEqual(['fresh'])
    expect(dropped).toBe(true)
    expect(await open().claim(ID, ['a'], { id: '2', at: 1_001 })).toEqual(['busy'])
  })

  test('at all: the error names the branch', async () => {
    api.intervene(() => 'drop')
    const [problem] = await problemsOf(store.claim(ID, ['a'], RUN))
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
    const [problem] = await problemsOf(store.claim(ID, ['a'], RUN))
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
  expect(await store.claim(ID, ['a'], RUN)).toEqual(['fresh'])
})
