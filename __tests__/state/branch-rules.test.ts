import { describe, expect, test } from '@jest/globals'
import { openBranch } from '../../src/state/branch.ts'
import { branchApi } from '../../src/state/branch-api.ts'
import type { StorePlace } from '../../src/state/place.ts'
import { NO_STATE, type TriggerState } from '../../src/state/store.ts'
import {
  GitHubCallError,
  type GitHubCallRequest,
  type GitHubResponse,
} from '../../src/wire/github-api.ts'
import { problemsOf } from '../support/problems.ts'
import { storePlace } from '../support/stores.ts'

const NOW = Date.UTC(2026, 0, 1, 12)
const ID = { workflow: 'hook', trigger: 'webhook' }
const FOLDER = 'v2.hook.webhook'

type Given = GitHubResponse | Error | ((request: GitHubCallRequest) => GitHubResponse)

function answerOf(
  status: number,
  value: unknown = {},
  headers: Readonly<Record<string, string>> = {},
): GitHubResponse {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return { status, text, header: (name) => headers[name] }
}

const data = (value: unknown) => answerOf(200, { data: value })
const failed = (type: string | undefined, message: string) =>
  answerOf(200, { errors: [{ type, message }] })

/** A store whose GitHub gives these responses one after another, and repeats the last one. */
function open(
  answers: readonly Given[],
  other: Partial<StorePlace> & { readonly api?: string } = {},
) {
  const calls: GitHubCallRequest[] = []
  const sleeps: number[] = []
  let time = NOW
  const call = async (request: GitHubCallRequest) => {
    calls.push(request)
    const answer = answers[Math.min(calls.length, answers.length) - 1]
    if (!answer || answer instanceof Error) throw answer
    return typeof answer === 'function' ? answer(request) : answer
  }
  const { api = 'https://api.github.com', ...ports } = other
  const place = storePlace('', {
    github: { apiUrl: new URL(api), call },
    now: () => time,
    random: () => 0.5,
    sleep: async (milliseconds) => {
      sleeps.push(milliseconds)
      time += milliseconds
    },
    ...ports,
  })
  return { place, calls, sleeps, bodies: () => calls.map(({ body }) => JSON.parse(body ?? 'null')) }
}

const target = (over: object = {}) => ({
  repository: { ref: { target: { oid: 'head', tree: { entries: [] }, ...over } } },
})
const folderOf = (files: Readonly<Record<string, string>>) => ({
  object: { entries: Object.entries(files).map(([name, text]) => ({ name, object: { text } })) },
})

describe('a branch is read', () => {
  test('by one question for all folders', async () => {
    const found = target({
      tree: { entries: [{ name: 'v2.a.b' }, { name: 'README.md' }] },
      f0: folderOf({ ab: 'text', 'times.json': '{}' }),
      f1: null,
    })
    const { place, calls, bodies } = open([data(found)])
    expect(await branchApi('state', place).read(['v2.a.b', 'v2.c.d'])).toEqual({
      head: 'head',
      names: ['v2.a.b', 'README.md'],
      folders: [
        new Map([
          ['ab', 'text'],
          ['times.json', '{}'],
        ]),
        new Map(),
      ],
    })
    expect(calls).toMatchObject([{ method: 'POST', path: '/graphql', reads: true }])
    const [{ query, variables }] = bodies()
    expect(variables).toEqual({
      owner: 'octo',
      name: 'repo',
      ref: 'refs/heads/state',
      f0: 'v2.a.b',
      f1: 'v2.c.d',
    })
    for (const part of [
      '$f0: String!',
      '$f1: String!',
      'f0: file(path: $f0)',
      'f1: file(path: $f1)',
    ]) {
      expect(query).toContain(part)
    }
  })

  test.each([
    ['https://api.github.com', '/graphql'],
    ['https://ghe.example/api/v3', '/api/graphql'],
    ['https://ghe.example/api/v3/', '/api/graphql'],
    ['https://ghe.example/v3/api/v3', '/v3/api/graphql'],
    ['https://ghe.example/v33', '/v33/graphql'],
  ])('of %s at %s', async (api, path) => {
    const { place, calls } = open([data(target())], { api })
    await branchApi('state', place).read([])
    expect(calls.map((call) => call.path)).toEqual([path])
  })

  test('as nothing where there is none', async () => {
    const { place } = open([data({ repository: { ref: null } })])
    expect(await branchApi('state', place).read([FOLDER])).toBeUndefined()
  })

  test.each([
    ['is a tag of a tag', { repository: { ref: { target: { oid: 'head' } } } }],
    ['has a file for a folder', target({ f0: { object: {} } })],
    [
      'has a folder in a folder',
      target({ f0: { object: { entries: [{ name: 'a', object: {} }] } } }),
    ],
  ])('as no state where it %s', async (_, found) => {
    const { place } = open([data(found)])
    expect(await problemsOf(branchApi('state', place).read(['v2.a.b', 'v2.c.d']))).toEqual([
      {
        message: 'v2.a.b, v2.c.d on the branch state is not a state of Hookline',
        notes: ['to start over, delete the folder, or the branch: git push origin --delete state'],
      },
    ])
  })
})

test.each([
  ['a login page', answerOf(200, '<html>')],
  ['no data', data(undefined)],
  ['no repository', data({ repository: null })],
])('a response with %s says nothing about the branch', async (_, answer) => {
  const { place } = open([answer])
  expect(await problemsOf(branchApi('state', place).read([FOLDER]))).toEqual([
    {
      message:
        'the branch state cannot be used as state: GitHub gave an unexpected response (status 200)',
      notes: ['try again later'],
    },
  ])
})

describe('a commit', () => {
  const FILES = [{ path: `${FOLDER}/ab`, text: 'é' }]

  test('is made on the head that was read', async () => {
    const made = { createCommitOnBranch: { commit: { oid: 'next' } } }
    const { place, bodies } = open([data(made)])
    expect(await branchApi('state', place).commit(FILES, 'head')).toBe('next')
    expect(bodies()[0].variables).toEqual({
      input: {
        branch: { repositoryNameWithOwner: 'octo/repo', branchName: 'state' },
        message: { headline: 'state' },
        expectedHeadOid: 'head',
        fileChanges: { additions: [{ path: `${FOLDER}/ab`, contents: 'w6k=' }] },
      },
    })
  })

  test.each([
    ['is stale', failed('STALE_DATA', 'whatever')],
    ['was to be on another head', failed('UNPROCESSABLE', 'Expected branch to point to "a" but')],
    ['is gone', failed('NOT_FOUND', 'Could not resolve')],
  ])('on a branch that %s is none', async (_, answer) => {
    const { place } = open([answer])
    expect(await branchApi('state', place).commit(FILES, 'head')).toBeUndefined()
  })

  test.each([
    [
      'gives none',
      data({ createCommitOnBranch: null }),
      'gave an unexpected response (status 200)',
    ],
    [
      'refuses it',
      failed('UNPROCESSABLE', 'The branch is Expected branch to point to '),
      'answered UNPROCESSABLE: The branch is Expected branch to point to ',
    ],
  ])('is refused where GitHub %s', async (_, answer, said) => {
    const { place } = open([answer])
    const [problem] = await problemsOf(branchApi('state', place).commit(FILES, 'head'))
    expect(problem?.message).toBe(`the branch state cannot be used as state: GitHub ${said}`)
  })

  const sha = (one: string) => answerOf(201, { sha: one })

  test('that is the first one is made of a tree, and has no parent', async () => {
    const { place, calls, bodies } = open([sha('tree'), sha('commit'), answerOf(201)])
    expect(await branchApi('state', place).commit(FILES, undefined)).toBe('commit')
    expect(calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /repos/octo/repo/git/trees',
      'POST /repos/octo/repo/git/commits',
      'POST /repos/octo/repo/git/refs',
    ])
    expect(bodies()).toEqual([
      { tree: [{ path: `${FOLDER}/ab`, mode: '100644', type: 'blob', content: 'é' }] },
      { message: 'state', tree: 'tree', parents: [] },
      { ref: 'refs/heads/state', sha: 'commit' },
    ])
  })

  test('that is the first one is none where another run was faster', async () => {
    const exists = answerOf(422, { message: 'Reference already exists' })
    const { place } = open([sha('tree'), sha('commit'), exists])
    expect(await branchApi('state', place).commit(FILES, undefined)).toBeUndefined()
  })

  test.each([
    ['a tree without a name', [answerOf(201, {})], 'gave an unexpected response (status 201)'],
    [
      'a name that is none',
      [sha('tree'), answerOf(201, { sha: 7 })],
      'gave an unexpected response (status 201)',
    ],
    [
      'a refusal of the commit',
      [sha('tree'), answerOf(403, { message: 'no' })],
      'answered 403: no',
    ],
    [
      'a refusal of the branch',
      [sha('t'), sha('c'), answerOf(422, { message: 'bad' })],
      'answered 422: bad',
    ],
  ])('that is the first one is refused after %s', async (_, answers, said) => {
    const { place } = open(answers)
    const [problem] = await problemsOf(branchApi('state', place).commit(FILES, undefined))
    expect(problem?.message).toBe(`the branch state cannot be used as state: GitHub ${said}`)
  })
})

describe('a refusal', () => {
  const refused = async (...answers: readonly Given[]) => {
    const { place } = open(answers)
    const [problem] = await problemsOf(branchApi('state', place).read([FOLDER]))
    return problem
  }
  const said = (what: string) => `the branch state cannot be used as state: GitHub ${what}`

  test.each([
    ['in one line', answerOf(422, { message: 'a  b\n\n c' }), 'answered 422: a b c'],
    [
      'of 200 characters',
      answerOf(422, { message: 'x'.repeat(300) }),
      `answered 422: ${'x'.repeat(200)}`,
    ],
    ['by its type', failed('FORBIDDEN', 'no'), 'answered FORBIDDEN: no'],
    ['by its status', failed(undefined, 'no'), 'answered 422: no'],
    ['by a type that says something', failed('', 'no'), 'answered 422: no'],
    ['though it is no JSON', answerOf(404, '<html>'), 'answered 404'],
    ['though its words are none', answerOf(404, { message: 7, type: 7 }), 'answered 404'],
    [
      'without an answer',
      new GitHubCallError('no connection', { sent: false }),
      'gave no connection',
    ],
  ])('is reported as %s', async (_, answer, what) => {
    expect((await refused(answer))?.message).toBe(said(what))
  })

  const SPENT = 'the calls that GitHub allows this token in an hour are spent; there are new ones'
  const SCALE =
    'GITHUB_TOKEN has 1,000 an hour for a whole repository: see https://github.com/hookline/hookline/blob/v1/docs/reference/limits.md'
  const RIGHTS = [
    'the job needs `permissions: contents: write`',
    "another token than the job's own goes into the input `github-token`",
  ]
  const RULE = ['a rule protects the branch: exempt it, or choose another name']
  const spent = (headers: Readonly<Record<string, string>>) =>
    answerOf(403, {}, { 'x-ratelimit-remaining': '0', 'retry-after': '7200', ...headers })

  test.each([
    ['401', answerOf(401), ['the input `github-token` is not a token that GitHub knows']],
    ['403', answerOf(403), RIGHTS],
    ['404', answerOf(404), RIGHTS],
    ['409', answerOf(409), RULE],
    ['a rule', answerOf(422, { message: 'Repository rule violations found' }), RULE],
    ['a protected branch', answerOf(422, { message: 'Protected branch update failed' }), RULE],
    ['a check', answerOf(422, { message: 'Required status check "x" is expected' }), RULE],
    ['anything else', answerOf(422, { message: 'x' }), ['try again later']],
    [
      'single sign-on',
      answerOf(403, {}, { 'x-github-sso': 'required' }),
      ['the organization has not authorized the token for single sign-on'],
    ],
    [
      'a limit of calls at once',
      answerOf(429, {}, { 'retry-after': '7200' }),
      ['GitHub limits how often it is called: try again later'],
    ],
    [
      'a limit that ends',
      spent({ 'x-ratelimit-reset': `${NOW / 1000 + 90}` }),
      [`${SPENT} at 12:01 UTC`, SCALE],
    ],
    ['a limit without its end', spent({}), [`${SPENT} within the hour`, SCALE]],
  ])('of %s says what helps', async (_, answer, notes) => {
    expect((await refused(answer))?.notes).toEqual(notes)
  })

  test('that may pass is waited for, but not for ever', async () => {
    const { place, calls, sleeps } = open([answerOf(500), data(target())])
    await branchApi('state', place).read([])
    expect([calls.length, sleeps]).toEqual([2, [125]])
    const down = open([answerOf(500)])
    await problemsOf(branchApi('state', down.place).read([]))
    const waited = down.sleeps.reduce((sum, one) => sum + one, 0)
    expect(down.sleeps.slice(0, 6)).toEqual([125, 250, 500, 1000, 2000, 2000])
    expect(waited).toBeGreaterThan(25_000)
    expect(waited).toBeLessThanOrEqual(30_000)
    expect(new Set(down.calls.map(({ timeout }) => timeout <= 10_000))).toEqual(new Set([true]))
  })
})

describe('which runs have ended without success', () => {
  const runOf = (id: number, conclusion: string | null) => ({ id, conclusion })

  test.each([
    ['none', [], [], []],
    ['one', ['7'], runOf(7, 'failure'), ['7']],
    ['one that is at work', ['7'], runOf(7, null), []],
    ['one that succeeded', ['7'], runOf(7, 'success'), []],
    ['one that was not asked about', ['7'], runOf(8, 'failure'), []],
    [
      'several',
      ['1', '2', '3', '4', '5', '6'],
      {
        workflow_runs: [
          runOf(1, 'failure'),
          runOf(2, 'cancelled'),
          runOf(3, 'timed_out'),
          runOf(4, 'startup_failure'),
          runOf(5, 'skipped'),
          runOf(9, 'failure'),
        ],
      },
      ['1', '2', '3', '4'],
    ],
    ['what nobody can read', ['7'], '<html>', []],
  ])('of %s', async (_, ids, answer, ended) => {
    const { place, calls } = open([answerOf(200, answer)])
    expect([...(await branchApi('state', place).endedRuns(ids))]).toEqual(ended)
    const paths = ids.length === 0 ? [] : [ids.length === 1 ? '/7' : '?per_page=100']
    expect(calls.map(({ method, path }) => `${method} ${path}`)).toEqual(
      paths.map((path) => `GET /repos/octo/repo/actions/runs${path}`),
    )
  })

  test.each([['x7'], ['7x'], ['1'.repeat(16)], ['']])('of no run of GitHub, %j', async (id) => {
    const { place, calls } = open([answerOf(200, runOf(7, 'failure'))])
    expect([...(await branchApi('state', place).endedRuns([id]))]).toEqual([])
    expect(calls).toEqual([])
    await branchApi('state', place).endedRuns([id, '77'])
    expect(calls.map(({ path }) => path)).toEqual(['/repos/octo/repo/actions/runs/77'])
  })

  test('is asked once, and not known where GitHub fails', async () => {
    const { place, calls, sleeps } = open([answerOf(500), answerOf(200, runOf(7, 'failure'))])
    expect([...(await branchApi('state', place).endedRuns(['7']))]).toEqual([])
    expect([calls.length, sleeps]).toEqual([1, []])
  })
})

test('the time is that of GitHub’s last answer', async () => {
  const ahead = answerOf(200, { data: target() }, { date: new Date(NOW + 60_000).toUTCString() })
  const { place } = open([data(target()), ahead, data(target())])
  const api = branchApi('state', place)
  expect(api.now()).toBe(NOW)
  await api.read([])
  expect(api.now()).toBe(NOW)
  await api.read([])
  expect(api.now()).toBe(NOW + 60_000)
  await api.read([])
  expect(api.now()).toBe(NOW + 60_000)
})

describe('a state on a branch', () => {
  const claims = (...keys: string[]) => keys.map((key) => ({ key, run: '1', at: NOW, done: false }))
  const after: TriggerState = { ...NO_STATE, claims: claims('a') }
  const LINE = `["a","1",${NOW},0]\n`
  const readOf = (names: readonly string[], files: Readonly<Record<string, string>> = {}) =>
    data(
      target({ tree: { entries: names.map((name) => ({ name })) }, f0: folderOf(files), f1: null }),
    )
  const made = (oid: string) => data({ createCommitOnBranch: { commit: { oid } } })
  const STALE = failed('STALE_DATA', '')

  /** The known state of a branch, from an earlier process of the job. */
  function memory(text?: string) {
    const written: unknown[] = []
    const known: StorePlace['known'] = {
      read: async (name) => (name === 'state' ? text : undefined),
      write: async (name, one) => void written.push([name, JSON.parse(one)]),
    }
    return { known, written }
  }

  test('is read, and changed, in one commit; what was written is known then', async () => {
    const { known, written } = memory()
    const { place, calls, bodies } = open([readOf([FOLDER]), made('next'), made('third')], {
      known,
    })
    const branch = openBranch('state', place)
    expect(await branch.load([ID])).toEqual({ states: [NO_STATE], now: NOW })
    expect(await branch.change([ID], () => [after])).toEqual({ states: [NO_STATE], now: NOW })
    expect(written).toEqual([['state', { head: 'next', folders: { [FOLDER]: { '2c': LINE } } }]])
    const more = { ...after, claims: claims('a', 'b') }
    expect((await branch.change([ID], () => [more])).states).toEqual([after])
    expect(calls).toHaveLength(3)
    const [, first, second] = bodies().map(({ variables }) => variables.input)
    expect([first.expectedHeadOid, second.expectedHeadOid]).toEqual(['head', 'next'])
    const paths = [first, second].map(({ fileChanges }) => fileChanges.additions[0].path)
    expect(paths).toEqual([`${FOLDER}/2c`, `${FOLDER}/25`])
  })

  test.each([
    ['the very same state', (states: readonly TriggerState[]) => states],
    ['an equal one', (states: readonly TriggerState[]) => states.map((one) => ({ ...one }))],
  ])('is not written for %s', async (_, update) => {
    const { place, calls } = open([readOf([FOLDER], { '2c': LINE })])
    await openBranch('state', place).change([ID], update)
    expect(calls).toHaveLength(1)
  })

  test('is taken as the job knows it, until GitHub says otherwise', async () => {
    const text = JSON.stringify({ head: 'known', folders: { [FOLDER]: { '2c': LINE } } })
    const { place, calls, bodies, sleeps } = open(
      [STALE, readOf([FOLDER]), STALE, readOf([FOLDER]), made('next')],
      { known: memory(text).known },
    )
    const seen: unknown[] = []
    await openBranch('state', place).change([ID], (states) => {
      seen.push(states)
      return [{ ...NO_STATE, claims: claims('b') }]
    })
    expect(seen).toEqual([[after], [NO_STATE], [NO_STATE]])
    expect(bodies()[0].variables.input.expectedHeadOid).toBe('known')
    expect([calls.length, sleeps]).toEqual([5, [1000, 2000]])
  })

  test.each([
    ['not known', undefined],
    ['no JSON', 'text'],
    ['another thing', '{"folders":{"a":1}}'],
    ['of other folders', '{"head":"known","folders":{"v2.other.webhook":{}}}'],
    ['of no head', '{"head":7,"folders":{"v2.hook.webhook":{}}}'],
  ])('is read where what the job knows is %s', async (_, text) => {
    const { place, bodies } = open([readOf([FOLDER]), made('next')], { known: memory(text).known })
    await openBranch('state', place).change([ID], () => [after])
    expect(bodies()[1].variables.input.expectedHeadOid).toBe('head')
  })

  test('is read where the job knows one of two triggers', async () => {
    const text = JSON.stringify({ head: 'known', folders: { [FOLDER]: { '2c': LINE } } })
    const { place, bodies } = open([readOf([FOLDER]), made('next')], { known: memory(text).known })
    const ids = [ID, { workflow: 'hook', trigger: 'b' }]
    await openBranch('state', place).change(ids, ([, other = NO_STATE]) => [after, other])
    expect(bodies()[1].variables.input.expectedHeadOid).toBe('head')
  })

  test('that was read by the one process is not asked of the job', async () => {
    const text = JSON.stringify({ head: 'known', folders: { [FOLDER]: {} } })
    const { place, bodies } = open([readOf([FOLDER]), made('next')], { known: memory(text).known })
    const branch = openBranch('state', place)
    await branch.load([ID])
    await branch.change([ID], () => [after])
    expect(bodies()[1].variables.input.expectedHeadOid).toBe('head')
  })

  test('is written without the times that stay as they are', async () => {
    const times = '{"lastSuccess":5,"cursor":[1]}\n'
    const { place, bodies } = open([readOf([FOLDER], { 'times.json': times }), made('next')])
    const before: TriggerState = { lastSuccess: 5, cursor: [1], claims: [] }
    const { states } = await openBranch('state', place).change([ID], ([state = NO_STATE]) => [
      { ...state, claims: claims('a') },
    ])
    expect(states).toEqual([before])
    expect(bodies()[1].variables.input.fileChanges.additions).toMatchObject([
      { path: `${FOLDER}/2c` },
    ])
  })

  test('of two triggers is written for those that changed', async () => {
    const other = { workflow: 'hook', trigger: 'b' }
    const { place, bodies } = open([readOf([]), made('next')])
    await openBranch('state', place).change([other, ID], ([first = NO_STATE]) => [first, after])
    const { additions } = bodies()[1].variables.input.fileChanges
    expect(additions.map(({ path }: { path: string }) => path)).toEqual([`${FOLDER}/2c`])
    expect(bodies()[0].variables).toMatchObject({ f0: 'v2.hook.b', f1: FOLDER })
  })

  test('is given up after forty rounds', async () => {
    const { place, calls } = open([
      ({ body = '' }) => (body.includes('mutation') ? STALE : readOf([FOLDER])),
    ])
    expect(await problemsOf(openBranch('state', place).change([ID], () => [after]))).toEqual([
      {
        message:
          'the branch state: too many concurrent runs write to it, gave up after 40 attempts',
        notes: ['give the job that runs Hookline a `concurrency` group with `queue: max`'],
      },
    ])
    expect(calls).toHaveLength(80)
  })

  const NEWER = {
    message: 'the branch state was written by a newer version of Hookline',
    notes: ['to start anew, delete it: git push origin --delete state', 'or name another branch'],
  }
  // No note says how to delete a branch of the user.
  const FOREIGN = {
    message: 'the branch state contains no state of Hookline',
    notes: ['name a branch that does not exist yet, such as: state: branch:hookline-state'],
  }
  test.each([
    ['nothing', [], undefined],
    ['ours, and others', ['README.md', 'v2.x.y'], undefined],
    ['ours, and newer ones', ['v3.x.y', 'v2.x.y'], undefined],
    ['newer ones', ['v3.x.y'], NEWER],
    ['newer ones, and others', ['README.md', 'v3.x.y'], NEWER],
    ['far newer ones', ['v123.x.y'], NEWER],
    ['a version that never was', ['v1.x.y'], FOREIGN],
    ['what only ends so', ['xv3.y'], FOREIGN],
    ['a version that is none', ['v3x'], FOREIGN],
    ['something else', ['README.md', 'src'], FOREIGN],
  ])('on a branch that holds %s', async (_, names, problem) => {
    const { place } = open([readOf(names)])
    const read = openBranch('state', place).load([ID])
    if (problem === undefined) return expect(await read).toEqual({ states: [NO_STATE], now: NOW })
    expect(await problemsOf(read)).toEqual([problem])
  })

  test('that is broken is named, and how to start over', async () => {
    const { place } = open([readOf([FOLDER], { '2c': 'text' })])
    const [problem] = await problemsOf(openBranch('state', place).load([ID]))
    expect(problem?.message).toContain(`${FOLDER} on the branch state is not a state`)
  })

  test('is made where there is no branch', async () => {
    const none = data({ repository: { ref: null } })
    const sha = answerOf(201, { sha: 'first' })
    const { known, written } = memory()
    const { place } = open([none, sha, sha, answerOf(201)], { known })
    expect((await openBranch('state', place).change([ID], () => [after])).states).toEqual([
      NO_STATE,
    ])
    expect(written).toMatchObject([['state', { head: 'first' }]])
  })

  test('tells which runs have ended', async () => {
    const { place } = open([answerOf(200, { id: 7, conclusion: 'failure' })])
    expect(await openBranch('state', place).endedRuns?.(['7'])).toEqual(new Set(['7']))
  })
})
