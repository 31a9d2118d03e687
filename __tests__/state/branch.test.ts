import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { githubApi } from '../../src/action/store.ts'
import { branchBackend, withRetries } from '../../src/state/branch.ts'
import { createStore, MOST_CLAIMS, type StateStore } from '../../src/state/index.ts'
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

function calls(): string[] {
  return api.calls.map(({ method, path }) => `${method} ${path.replace('/repos/octo/repo', '')}`)
}

test('the first write makes a branch without a parent, later ones add to it', async () => {
  await store.claim(ID, ['a'], RUN)
  await store.commit(ID, RUN)
  expect(api.history('state')).toEqual({ commits: 2, roots: 1 })
  expect(calls()).toEqual([
    'GET /contents/hook/webhook.json',
    'PUT /contents/hook/webhook.json',
    'POST /git/trees',
    'POST /git/commits',
    'POST /git/refs',
    'GET /contents/hook/webhook.json',
    'PUT /contents/hook/webhook.json',
  ])
  expect(api.calls.flatMap(({ violations }) => violations)).toEqual([])
})

test('a state file says what it is, and has a claim a line', async () => {
  await store.claim(ID, ['a', 'b'], RUN)
  expect(api.files('state')?.get('hook/webhook.json')).toBe(
    [
      '{"format":"hookline-state","version":1,"workflow":"hook","trigger":"webhook","lastSuccess":null,"claims":[',
      '{"key":"a","run":"1","at":1000,"done":false},',
      '{"key":"b","run":"1","at":1000,"done":false}]}',
      '',
    ].join('\n'),
  )
})

test('with all of its keys it stays below the 1 MB that GitHub hands out whole', async () => {
  const keys = Array.from({ length: MOST_CLAIMS }, (_, index) => String(index).padStart(43, 'k'))
  await store.claim(ID, keys, { id: '99999999999', at: 1_900_000_000_000 })
  const text = api.files('state')?.get('hook/webhook.json') ?? ''
  expect(text.length).toBeLessThan(1_000_000)
  expect((await open().read(ID)).claims).toHaveLength(MOST_CLAIMS)
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
    expect(await store.claim(ID, ['a', 'b'], RUN)).toEqual(['busy', 'fresh'])
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
    expect(await store.claim(ID, ['a', 'b'], RUN)).toEqual(['busy', 'fresh'])
    const { claims } = await store.read(ID)
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
    expect(await store.claim(ID, ['a'], RUN)).toEqual(['busy'])
  })

  test('it commits another file, and the branch moves on', async () => {
    let refused = 0
    api.intervene(({ method }) => {
      if (method !== 'PUT' || refused++ > 0) return undefined
      return { status: 409, body: { message: 'is at 1a2b but expected 3c4d' } }
    })
    expect(await store.claim(ID, ['a'], RUN)).toEqual(['fresh'])
    expect(refused).toBeGreaterThan(1)
  })
})

test('a file that GitHub does not hand out whole is refused', async () => {
  api.put('state', 'hook/webhook.json', ' '.repeat(1024 * 1024 + 1))
  const [problem] = await problemsOf(store.read(ID))
  expect(problem?.message).toBe('hook/webhook.json on the branch state is no state of Hookline')
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
  const [problem] = await problemsOf(store.claim(ID, ['a'], RUN))
  expect(problem?.message).toMatch(/the branch state: too many runs write at once/)
  expect(problem?.notes?.[0]).toContain('`queue: max`')
})

function stateOf(key: string, run: string): string {
  const claims = [{ key, run, at: 1_000, done: false }]
  return JSON.stringify({ format: 'hookline-state', version: 1, lastSuccess: null, claims })
}
