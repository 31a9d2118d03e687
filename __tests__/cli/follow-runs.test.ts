import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  jest,
  test,
} from '@jest/globals'
import { LogFollower } from '../../src/cli/connect/follow.ts'
import {
  awaitRun,
  endOfRun,
  followRun,
  type RunPorts,
  runAt,
  runLine,
} from '../../src/cli/follow-runs.ts'
import { type Asked, type AskOptions, githubAt } from '../../src/cli/github-client.ts'
import { UserError } from '../../src/wire/errors.ts'
import { HttpFailure } from '../../src/wire/http.ts'
import { readRun } from '../../src/wire/run-lookup.ts'
import { Secret } from '../../src/wire/secret.ts'
import { runShared } from '../support/cli.ts'
import { type Answering, type GitHub, startGitHub } from '../support/github.ts'

const DELIVERY = '0b6c5a3e-7d1f-4c58-9a55-2f6f0e9a1c11'

let github: GitHub
let folder: string

beforeAll(async () => {
  github = await startGitHub({ listsRunsByRule: true })
  folder = await mkdtemp(join(tmpdir(), 'hookline-runs-'))
})
afterEach(() => github.reset())
afterAll(() => Promise.all([github.close(), rm(folder, { recursive: true })]))

interface Setting {
  readonly title?: string
  readonly conclusion?: string
  readonly event?: string
}

/** A GitHub with a single run, which ends when it is requested by its number for the second time. */
function oneRun(setting: Setting = {}): Answering {
  const { title = `hook ${DELIVERY}`, conclusion = 'success', event } = setting
  let asked = 0
  const run = () => ({
    id: 7,
    path: '.github/workflows/hook.yml',
    display_title: title,
    created_at: '2026-01-01T00:00:00Z',
    html_url: 'https://github.com/octo/repo/actions/runs/7',
    status: asked > 1 ? 'completed' : 'in_progress',
    conclusion: asked > 1 ? conclusion : null,
    event: event ?? 'repository_dispatch',
  })
  return ({ url }) => {
    if (url.endsWith('/actions/runs/7')) {
      asked++
      return { status: 200, body: JSON.stringify(run()) }
    }
    if (url.includes('/jobs')) return { status: 200, body: '{"total_count":1}' }
    // GitHub's filtered lists can be outdated by minutes.
    const isStale = /[?&](?:event|created|status|branch|actor)=/.test(url)
    return { status: 200, body: JSON.stringify({ workflow_runs: isStale ? [] : [run()] }) }
  }
}

async function hookline(args: readonly string[], env: Record<string, string> = {}) {
  const all = { HOOKLINE_API_URL: github.url, HOOKLINE_GITHUB_TOKEN: 'token', ...env }
  const { exitCode: code, ...printed } = await runShared(args, { cwd: folder, env: all })
  return { code, ...printed }
}

const EVENT = { delivery: DELIVERY, workflow: 'hook' }

const NOT_FOUND = {
  message: `no run of the workflow has the delivery id "${DELIVERY}" in its name`,
  hint: "Add to the workflow: run-name: hook ${{ github.event.client_payload.headers['x-hookline-delivery'] }}",
  notes: [
    `with the dispatch mode "workflow": run-name: hook \${{ fromJSON(inputs.hookline || '{}').headers['x-hookline-delivery'] }}`,
    'To find out why no run started, run: hookline doctor',
  ],
}

/** A run as GitHub lists it, queued by an event of the workflow `hook`. */
const listed = (more: object = {}) => ({
  ...{ id: 7, path: '.github/workflows/hook.yml@main', display_title: `hook ${DELIVERY}` },
  ...{ event: 'repository_dispatch', status: 'queued', conclusion: null },
  ...{ created_at: '2026-01-01T00:00:00Z', html_url: 'https://github.test/actions/runs/7' },
  ...more,
})

/** The ports of a follower whose time passes only while it waits. */
function ports(): RunPorts {
  let passed = Date.now()
  const ask = githubAt(new URL(github.url), new Secret('token'))
  const pause = { first: 1, longest: 5 }
  return {
    repository: 'octo/repo',
    ask: (path, { patience } = {}) => ask(path, patience && { patience: { ...patience, pause } }),
    now: () => new Date(passed),
    sleep: async (milliseconds) => {
      passed += milliseconds
    },
  }
}

/** Lists runs in pages of 100, and counts the pages that were read. */
function listing(all: readonly object[]): { readonly pages: () => number } {
  let pages = 0
  github.always(({ url }) => {
    const page = Number(new URL(url, 'http://x').searchParams.get('page'))
    pages++
    const workflow_runs = all.slice(page * 100 - 100, page * 100)
    return { status: 200, body: JSON.stringify({ workflow_runs }) }
  })
  return { pages: () => pages }
}

describe('the run of an event', () => {
  test.each([
    ['soon', 10, true],
    ['after a minute', 120, true],
    ['after five minutes', 290, true],
    ['later than that', 330, false],
  ])('is found if it shows %s', async (_, seconds, isFound) => {
    let passed = 0
    const ask = async (path: string) => {
      const there = path.includes('?per_page=100&page=1') && passed >= seconds
      const text = JSON.stringify({ workflow_runs: there ? [listed()] : [] })
      return { answer: { status: 200, header: () => undefined, text } }
    }
    const sleep = async (milliseconds: number) => {
      passed += milliseconds / 1000
    }
    const now = () => new Date(passed * 1000)
    const found = awaitRun(EVENT, { repository: 'octo/repo', ask, now, sleep })
    if (isFound) await expect(found).resolves.toMatchObject({ delivery: DELIVERY })
    else await expect(found).rejects.toMatchObject({ problems: [NOT_FOUND] })
  })

  test.each([
    [950, true],
    [999, true],
    [1000, false],
  ])('is found behind %i newer runs: %p', async (count, isFound) => {
    const other = { path: '.github/workflows/ci.yml', event: 'push', display_title: 'ci' }
    const newer = Array.from({ length: count }, (_, at) => listed({ ...other, id: at + 100 }))
    const { pages } = listing([...newer, listed()])
    const found = await awaitRun(EVENT, ports()).catch(() => undefined)
    expect(found?.id).toBe(isFound ? 7 : undefined)
    if (isFound) expect(pages()).toBe(10)
  })

  test('has its id in capitals too', async () => {
    listing([listed({ display_title: DELIVERY.toUpperCase() })])
    await expect(awaitRun(EVENT, ports())).resolves.toMatchObject({ id: 7 })
  })

  test('is the one of its own workflow file, although another one has the same name', async () => {
    const other = listed({ id: 8, path: '.github/workflows/other.yml' })
    listing([other, listed()])
    await expect(awaitRun(EVENT, ports())).resolves.toMatchObject({ id: 7, workflow: 'hook' })
    listing([other])
    await expect(awaitRun(EVENT, ports())).rejects.toThrow(DELIVERY)
    // The URL of an endpoint may not name the workflow.
    const { delivery } = EVENT
    await expect(awaitRun({ delivery }, ports())).resolves.toMatchObject({ id: 8 })
  })

  test('is the one that failed if there are several', async () => {
    const ended = { status: 'completed' }
    listing([
      listed({ ...ended, id: 9, conclusion: 'skipped' }),
      listed({ ...ended, id: 8, conclusion: 'success' }),
      listed({ ...ended, conclusion: 'timed_out' }),
    ])
    await expect(awaitRun(EVENT, ports())).resolves.toMatchObject({ id: 7 })
  })
})

const READS_ACTIONS =
  'Set GH_TOKEN (for GitHub Enterprise Server: GH_HOST and GH_ENTERPRISE_TOKEN) to a token with "Actions: Read".'
const REFUSED = 'GitHub refuses to list the runs of octo/repo'
const OTHER = 'Check https://www.githubstatus.com and HOOKLINE_API_URL.'
const PAGE = 'https://github.test/actions/runs/7'

/** Ports whose GitHub gives these answers, one after the other; the last one stays. */
function answered(...answers: readonly Partial<Asked>[]) {
  const asked: { readonly path: string; readonly patience: AskOptions['patience'] }[] = []
  let passed = Date.parse('2026-01-01T00:00:00Z')
  const own: RunPorts = {
    repository: 'octo/repo',
    async ask(path, { patience } = {}) {
      const { answer = whole({}), refusal } = answers[asked.length] ?? answers.at(-1) ?? {}
      asked.push({ path, patience })
      return { answer, ...(refusal && { refusal }) }
    },
    now: () => new Date(passed),
    sleep: async (milliseconds) => {
      passed += milliseconds
    },
  }
  return { own, asked, passed: () => passed - Date.parse('2026-01-01T00:00:00Z') }
}

const whole = (fields: object, status = 200): Asked['answer'] => ({
  ...{ status, text: JSON.stringify(fields), header: () => undefined },
})

const problemsOf = async (work: Promise<unknown>) => {
  const error = await work.catch((caught: unknown) => caught)
  if (!(error instanceof UserError)) throw error
  return error.problems
}

describe('a refusal of GitHub is shown with its cure:', () => {
  test.each<[string, Partial<Asked>, status: number, hint: string]>([
    [
      '401',
      { refusal: { kind: 'unauthorized' } },
      401,
      'The token is incomplete, expired or revoked: set GH_TOKEN (for GitHub Enterprise Server: GH_HOST and GH_ENTERPRISE_TOKEN) to a valid token.',
    ],
    [
      'SSO',
      { refusal: { kind: 'sso' } },
      403,
      'Authorize the token for the organization: "Configure SSO" on the page of your tokens at GitHub',
    ],
    ['no permission', { refusal: { kind: 'forbidden' } }, 403, READS_ACTIONS],
    [
      '404',
      { refusal: { kind: 'missing' } },
      404,
      `Check the spelling of the repository. If it is right: ${READS_ACTIONS}`,
    ],
    [
      'a rate limit',
      { refusal: { kind: 'limited' } },
      429,
      "GitHub's rate limit is reached. Run the command again in an hour.",
    ],
    [
      'a rate limit that ends in a minute',
      { refusal: { kind: 'limited', wait: 60_000 } },
      429,
      "GitHub's rate limit is reached. Run the command again at 00:01 UTC, in 1 minute.",
    ],
    [
      'a rate limit that ends later',
      { refusal: { kind: 'limited', wait: 60_001 } },
      429,
      "GitHub's rate limit is reached. Run the command again at 00:01 UTC, in 2 minutes.",
    ],
    ['a wait without a limit', { refusal: { kind: 'failed', wait: 60_000 } }, 502, OTHER],
    ['an answer of another server', {}, 200, OTHER],
  ])('%s', async (_, asked, status, hint) => {
    const answer = whole({ message: 'no' }, status)
    const problems = [{ message: `${REFUSED} (status ${status})`, hint }]
    const { own, asked: calls } = answered({ answer, ...asked })
    expect(await problemsOf(runAt(PAGE, own))).toEqual(problems)
    expect(calls).toEqual([{ path: '/repos/octo/repo/actions/runs/7', patience: undefined }])
    // A list that GitHub refuses is not shown, whatever it contains.
    const list = { ...asked, answer: whole({ message: 'no' }, status) }
    expect(await problemsOf(awaitRun(EVENT, answered(list).own))).toEqual(problems)
  })

  test('a refusal counts, although its body is a run', async () => {
    const answer = whole(listed(), 403)
    const { own } = answered({ answer, refusal: { kind: 'forbidden' } })
    expect(await problemsOf(runAt(PAGE, own))).toHaveLength(1)
  })

  test.each([
    [undefined, 'no connection (reset)', 'Check the network and HOOKLINE_API_URL.'],
    [
      'proxy.example',
      'no connection through the proxy proxy.example (reset)',
      'Check HTTPS_PROXY, or add the host to NO_PROXY.',
    ],
  ])('no answer with the proxy %s', async (proxy, what, hint) => {
    const cause = new HttpFailure('connection', 'reset', proxy)
    const own = { ...answered().own, ask: () => Promise.reject(cause) }
    expect(await problemsOf(runAt(PAGE, own))).toEqual([{ message: `GitHub: ${what}`, hint }])
  })
})

describe('the page of a run', () => {
  test.each([
    'https://github.test/actions/runs/7/jobs',
    `https://github.test/actions/runs/${'1'.repeat(21)}`,
    'https://github.test/actions/runs/a',
    'https://github.test/runs/7',
  ])('is not %s', async (url) => {
    const { own, asked } = answered()
    expect(await problemsOf(runAt(url, own))).toEqual([
      {
        message: 'the response of the relay contains no valid address of a run',
        hint: 'Check the address of the relay: hookline doctor --relay <url>',
      },
    ])
    expect(asked).toEqual([])
  })

  test('may have an id of 20 digits', async () => {
    const id = '1'.repeat(20)
    const { own, asked } = answered({ answer: whole(listed()) })
    expect(await runAt(`https://github.test/actions/runs/${id}`, own)).toEqual(readRun(listed()))
    expect(asked.map(({ path }) => path)).toEqual([`/repos/octo/repo/actions/runs/${id}`])
  })
})

describe('the wait for a run', () => {
  let told: string[]
  beforeEach(() => {
    told = []
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
      told.push(String(text))
      return true
    })
  })
  afterEach(() => {
    jest.restoreAllMocks()
  })

  const none = { answer: whole({ workflow_runs: [] }) }
  const found = { answer: whole({ workflow_runs: [listed()] }) }

  test('is explained after a minute, once', async () => {
    const early = answered(...Array(30).fill(none), found)
    await awaitRun(EVENT, early.own)
    expect([early.passed(), told]).toEqual([60_000, []])
    const late = answered(...Array(32).fill(none), found)
    await awaitRun(EVENT, late.own)
    expect([late.passed(), told]).toEqual([
      64_000,
      ['no run after a minute; waiting up to five minutes\n'],
    ])
  })

  test.each([
    [0, 150],
    [60_000, 180],
  ])('lasts five minutes after %d ms', async (later, looks) => {
    const { own, asked } = answered(...Array(looks).fill(none), found)
    await expect(awaitRun(EVENT, own, later)).resolves.toMatchObject({ id: 7 })
    expect(asked).toHaveLength(looks + 1)
    const { own: longer } = answered(...Array(looks + 1).fill(none), found)
    await expect(awaitRun(EVENT, longer, later)).rejects.toThrow(DELIVERY)
  })

  test('reads only the pages that the first look had not read, and five minutes more', async () => {
    const at = (time: string) => listed({ display_title: 'other', created_at: time })
    const full = (time: string) => ({ answer: whole({ workflow_runs: Array(100).fill(at(time)) }) })
    const time = (text: string) => `2026-01-01T00:${text}Z`
    const { own, asked } = answered(
      ...[full(time('10:00')), none],
      // One of exactly five minutes before the newest run is not older.
      ...[full(time('05:00')), none, full(time('04:59')), found],
    )
    await awaitRun(EVENT, own)
    expect(asked.map(({ path }) => path.split('&page=')[1])).toEqual(['1', '2', '1', '2', '1', '1'])
  })

  test('names the workflow of the event in the line to add', async () => {
    const { own } = answered(none)
    const [problem] = await problemsOf(awaitRun({ delivery: '"', workflow: 'my-hook' }, own))
    expect(problem).toEqual({
      message: 'no run of the workflow has the delivery id "\\"" in its name',
      hint: NOT_FOUND.hint.replace('hook $', 'my-hook $'),
      notes: NOT_FOUND.notes.map((note) => note.replace('hook $', 'my-hook $')),
    })
  })

  test('asks again until five minutes are over, and says why once', async () => {
    const { own, asked } = answered(none, found)
    await awaitRun(EVENT, own)
    const [first, second] = asked.map(({ patience }) => patience)
    const pause = { first: 2000, longest: 30_000 }
    const tell = expect.any(Function)
    expect(first).toEqual({ budget: 315_000, retryTime: 300_000, pause, tell })
    expect(second).toEqual({ budget: 313_000, retryTime: 298_000, pause, tell })
    first?.tell?.({ kind: 'limited', status: 429, wait: 90_000 })
    first?.tell?.({ kind: 'failed', status: 502 })
    second?.tell?.({ kind: 'failed', status: 502 })
    expect(told).toEqual([
      `${REFUSED} (status 429); trying again at 00:01 UTC, in 2 minutes\n`,
      `${REFUSED} (status 502); trying again\n`,
    ])
  })

  test.each([
    [new Error('socket\u001b hang up'), 'socket\ufffd hang up'],
    ['lost', 'no response'],
    [undefined, 'no response'],
  ])(
    'follows a run for ten minutes without GitHub, and says that it is lost: %s',
    async (cause, words) => {
      const ended = { answer: whole(listed({ status: 'completed', conclusion: 'success' })) }
      const { own, asked } = answered(ended)
      await followRun(readRun(listed()), own, () => {})
      const [call] = asked
      expect(call).toMatchObject({
        path: '/repos/octo/repo/actions/runs/7',
        patience: { budget: 615_000, retryTime: 600_000 },
      })
      call?.patience?.tell?.({ kind: 'unavailable', cause })
      expect(told).toEqual([`GitHub is unreachable: ${words}; trying again\n`])
    },
  )

  test('never asks for a time that is over', async () => {
    const { own, asked } = answered(found)
    const late = { ...own, now: jest.fn(own.now) }
    late.now.mockReturnValueOnce(new Date(0))
    await awaitRun(EVENT, late)
    expect(asked[0]?.patience).toMatchObject({ budget: 15_001, retryTime: 1 })
  })
})

test('each change of a run is reported, and only a change', async () => {
  const states = ['queued', 'in_progress', 'in_progress', 'waiting', 'completed']
  const { own, passed } = answered(
    ...states.map((status) => {
      const conclusion = status === 'completed' ? 'failure' : null
      return { answer: whole(listed({ status, conclusion })) }
    }),
  )
  const reports: string[] = []
  const last = await followRun(readRun(listed()), own, (run) =>
    reports.push(`${run.state} ${run.conclusion}`),
  )
  expect(reports).toEqual([
    ...['queued null', 'in_progress null', 'waiting null', 'completed failure'],
  ])
  expect([last.conclusion, passed()]).toEqual(['failure', 10_000])
  const ended = readRun(listed({ status: 'completed', conclusion: 'success' }))
  const { own: silent, asked } = answered()
  expect(await followRun(ended, silent, () => {})).toBe(ended)
  expect(asked).toEqual([])
})

describe('the end of a run', () => {
  const skipped = {
    conclusion: 'skipped',
    name: 'a',
    steps: [{ conclusion: 'skipped', name: 'b' }],
  }
  const failed = { id: 9, conclusion: 'failure', name: 'a' }
  const jobs = (total_count: number, ...list: object[]) => ({
    answer: whole({ total_count, jobs: list }),
  })
  const policy =
    'no job started: a policy of the repository or organization may forbid the event or its actor. The page of the run names the policy.'
  const idle = [
    jobs(1, { ...skipped, conclusion: 'success', id: 9 }),
    {
      answer: whole([{ message: 'no trigger fired: filter: a' }]),
    },
  ]
  test.each<[string, string, readonly Partial<Asked>[], string, string | null, boolean]>([
    ['completed', 'success', [jobs(1)], 'success', 'every step ran', false],
    ['completed', 'neutral', [jobs(0)], 'success', null, false],
    ['completed', 'success', idle, 'nothing_fired', 'filter: a', true],
    [
      ...(['completed', 'success', [jobs(2, skipped, skipped)], 'success'] as const),
      ...(['skipped: job a, job a, step b, step b (see the summary of the run)', false] as const),
    ],
    [
      ...(['completed', 'skipped', [jobs(1)], 'skipped'] as const),
      'every job was skipped. Compare the job condition (`if:`) with the workflow and the trigger in the URL.',
      false,
    ],
    [
      'completed',
      'timed_out',
      [jobs(1, failed), { answer: whole([]) }],
      'timed_out',
      'job a',
      true,
    ],
    ['completed', 'failure', [jobs(1)], 'failure', null, true],
    ['completed', 'cancelled', [jobs(0)], 'cancelled', policy, true],
    ['completed', 'startup_failure', [jobs(0)], 'startup_failure', policy, true],
    [
      ...(['waiting', '', [jobs(1)], 'waiting_for_approval'] as const),
      ...(['open the page of the run, and approve the run', true] as const),
    ],
    ['completed', 'failure', [{ refusal: { kind: 'forbidden' } }], 'failure', null, true],
    ['completed', 'success', [{ refusal: { kind: 'forbidden' } }], 'success', null, false],
  ])('%s %s', async (status, conclusion, answers, outcome, reason, isFailure) => {
    const { own, asked } = answered(...answers)
    const run = readRun(listed({ status, conclusion: conclusion || null }))
    expect(await endOfRun(run, own)).toEqual({ outcome, reason, isFailure })
    expect(asked[0]).toEqual({
      path: '/repos/octo/repo/actions/runs/7/jobs?per_page=100',
      patience: undefined,
    })
  })
})

describe('the line of a run', () => {
  const run = readRun(listed({ conclusion: null, display_title: 'no id', html_url: 'u\u001b' }))
  const { isTTY } = process.stdout
  const color = process.env.NO_COLOR
  beforeEach(() => {
    delete process.env.NO_COLOR
    Object.assign(process.stdout, { isTTY: true, hasColors: () => true })
  })
  afterEach(() => {
    if (color !== undefined) process.env.NO_COLOR = color
    Object.assign(process.stdout, { isTTY })
  })

  test.each([
    [null, 'queued', 33],
    ['success', 'success', 32],
    ['skipped', 'skipped', 32],
    ['failure', 'failure', 31],
  ])('that ended as %s has the state %s in the color %d', (conclusion, state, code) => {
    const start = `2026-01-01T00:00:00Z  -${' '.repeat(35)}  hook`
    const shown = `\u001b[${code}m${state.padEnd(12)}\u001b[39m`
    expect(runLine({ ...run, conclusion })).toBe(`${start}  ${shown}  u\ufffd`)
  })

  test('has the id of its delivery', () => {
    expect(runLine({ ...run, delivery: DELIVERY })).toContain(`Z  ${DELIVERY}  hook  `)
  })
})

describe('the run of an event', () => {
  test('is found after a lost connection and a 502', async () => {
    let calls = 0
    github.always((_, response) => {
      calls++
      if (calls === 1) return void response.destroy()
      if (calls === 2) return { status: 502, body: '<html>' }
      return { status: 200, body: JSON.stringify({ workflow_runs: [listed()] }) }
    })
    await expect(awaitRun(EVENT, ports())).resolves.toMatchObject({ id: 7 })
    expect(calls).toBe(3)
  })
})

test('a run is followed to its end over a lost connection and a 502', async () => {
  const answering = oneRun()
  let calls = 0
  github.always((call, response) => {
    calls++
    if (calls === 1) return void response.destroy()
    return calls === 2 ? { status: 502, body: '<html>' } : answering(call, response)
  })
  const states: string[] = []
  const run = await followRun(readRun(listed()), ports(), ({ state }) => states.push(state))
  expect(run).toMatchObject({ state: 'completed', conclusion: 'success' })
  expect(states).toEqual(['queued', 'in_progress', 'completed'])
})

describe('a line of the log that connect reads', () => {
  const entry = {
    ...{ time: '2026-01-01T00:00:00Z', delivery: DELIVERY, method: 'POST', ms: 1, bytes: 2 },
    ...{ owner: 'octo', repo: 'repo', workflow: 'hook', trigger: 'webhook', status: 200 },
  }
  const follow = async (lines: readonly unknown[], more: object = {}) => {
    const reports: string[] = []
    const others = { workflow: 'hook', isFollowed: false, secretCommand: undefined, ...more }
    const follower = new LogFollower({ ...ports(), ...others }, ({ event, url, ...rest }) => {
      const { delivery, status, run, outcome, reason } = rest
      const shown = [event, status, delivery === DELIVERY ? 'id' : delivery, run, outcome, reason]
      reports.push([url, ...shown].filter((value) => value !== null).join(' | '))
    })
    for (const line of lines) await follower.read(JSON.stringify(line))
    return reports
  }
  const OWNERLESS = { status: 401, delivery: DELIVERY, code: 'invalid_token' }
  const UNFOLLOWED = 'open its page to see how it ends: connect follows runs of GitHub only'
  const LATER = 'the relay sends the event again, also after a restart of connect'
  const STORED = 'from the database of the relay, which stored the event before'

  test.each<[object, string]>([
    [{ filtered: true }, '200 | id | no run: the event does not match the filter'],
    [
      { filtered: true, reason: 'if: body.a is 1' },
      '200 | id | no run: the event does not match the filter: if: body.a is 1',
    ],
    [{}, '200 | id | no run: the relay answered a handshake of the sender'],
    [{ status: 401, code: 'invalid_signature' }, '401 | id | invalid_signature'],
    [{ status: 401, code: 'a', reason: 'b', filtered: true }, '401 | id | a: b'],
    [{ status: 200, code: 'a' }, '200 | id | a'],
    [{ status: 299 }, '299 | id | no run: the relay answered a handshake of the sender'],
    [{ status: 300 }, '300 | id | the relay responded with 300'],
    [{ status: 404 }, '404 | id | the relay responded with 404'],
    [{ queued: 'rate_limited' }, `200 | id | queued (rate_limited): ${LATER}`],
    [
      { queued: 'queued' },
      '200 | id | queued behind earlier events: the relay sends the event after them, also after a restart of connect',
    ],
    [{ queued: 'batch' }, '200 | id | collected for a batch, which starts one run when it ends'],
  ])('with %j starts no run, and says why', async (fields, report) => {
    expect(await follow([{ ...entry, ...fields }])).toEqual([`request | ${report}`])
    expect(github.calls).toEqual([])
  })

  test.each<[string, readonly unknown[], readonly string[]]>([
    ['a refusal without a repository', [OWNERLESS], ['request | 401 | id | invalid_token']],
    ['status 400', [{ ...OWNERLESS, status: 400 }], ['request | 400 | id | invalid_token']],
    ['status 399', [{ ...OWNERLESS, status: 399 }], []],
    ['status 404', [{ ...OWNERLESS, status: 404 }], []],
    ['status 405', [{ ...OWNERLESS, status: 405 }], []],
    ['a status in words', [{ ...entry, status: 'ok' }], []],
    ['no object', [7, null], []],
    ['a result without its delivery', [{ change: 'delivered' }], []],
    ['another change', [{ change: 'created', delivery: DELIVERY }], []],
    [
      'an event that GitHub has',
      [{ ...entry, githubStatus: 204 }],
      ['request | 200 | id', `run | id | ${UNFOLLOWED}`],
    ],
    [
      'an event whose run GitHub names',
      [{ ...entry, githubStatus: 200, run: 'https://x.test/7' }],
      ['request | 200 | id | https://x.test/7', `run | id | https://x.test/7 | ${UNFOLLOWED}`],
    ],
    [
      'a queued event that is delivered',
      [
        { ...entry, queued: 'a' },
        { change: 'delivered', delivery: DELIVERY },
      ],
      [`request | 200 | id | queued (a): ${LATER}`, `run | id | ${UNFOLLOWED}`],
    ],
    [
      'events of an earlier start',
      [
        { change: 'found', delivery: DELIVERY },
        { change: 'dead', delivery: 'b', reason: 'event_rejected' },
        { change: 'dead', delivery: 'c', reason: 'maybe_accepted' },
        { change: 'dead', delivery: 'd' },
      ],
      [
        `request | id | ${STORED}`,
        `run | id | ${UNFOLLOWED}`,
        `request | b | ${STORED}`,
        'run | b | no run: the relay gave up (event_rejected). Send the event again from the sender.',
        `request | c | ${STORED}`,
        'run | c | the relay gave up (maybe_accepted). GitHub may have accepted the event. Look for its run on the page Actions of the repository.',
        `request | d | ${STORED}`,
        'run | d | no run: the relay gave up (unknown reason). Send the event again from the sender.',
      ],
    ],
  ])('%s', async (_, lines, reports) => {
    expect(await follow(lines)).toEqual(reports)
  })

  test.each([
    [
      'verify: stripe: the signature does not match',
      'gh secret set A',
      '. Store the secret of this URL, and send a new event: gh secret set A',
    ],
    ['verify: stripe: the signature does not match', undefined, ''],
    ['filter: body.a is 1', 'gh secret set A', ''],
  ])(
    'a run in which nothing fired, because of %j, ends with %j',
    async (why, secretCommand, cure) => {
      const page = 'https://github.com/octo/repo/actions/runs/7'
      const job = {
        id: 9,
        conclusion: 'success',
        steps: [{ name: 'Deploy', conclusion: 'skipped' }],
      }
      github.always(({ url }) => {
        const json = (value: object) => ({ status: 200, body: JSON.stringify(value) })
        if (url.includes('/jobs')) return json({ total_count: 1, jobs: [job] })
        if (url.includes('/annotations')) {
          return json([{ annotation_level: 'notice', message: `no trigger fired: ${why}` }])
        }
        return json(listed({ status: 'completed', conclusion: 'success', html_url: page }))
      })
      const lines = [{ ...entry, githubStatus: 200, run: page }]
      expect(await follow(lines, { isFollowed: true, secretCommand })).toEqual([
        `request | 200 | id | ${page}`,
        `run | id | ${page}`,
        `end | id | ${page} | nothing_fired | ${why}${cure}`,
      ])
    },
  )

  test.each([
    ['once', 1, ' | every step ran'],
    ['each time', Number.POSITIVE_INFINITY, ''],
  ])(
    'the end of a run is reported if GitHub breaks off the call for its jobs %s',
    async (_, times, reason) => {
      const page = 'https://github.com/octo/repo/actions/runs/7'
      const steps = [{ name: 'a', conclusion: 'success' }]
      const jobs = [{ conclusion: 'success', name: 'react', steps }]
      let broken = 0
      github.always(({ url }, response) => {
        if (!url.includes('/jobs')) {
          const run = listed({ status: 'completed', conclusion: 'success', html_url: page })
          return { status: 200, body: JSON.stringify(run) }
        }
        if (broken++ < times) return void response.destroy()
        return { status: 200, body: JSON.stringify({ total_count: 1, jobs }) }
      })
      const lines = [{ ...entry, githubStatus: 200, run: page }]
      expect(await follow(lines, { isFollowed: true })).toEqual([
        `request | 200 | id | ${page}`,
        `run | id | ${page}`,
        `end | id | ${page} | success${reason}`,
      ])
    },
  )

  test('a run that GitHub does not show has the reason and its cure', async () => {
    github.always({ status: 404, body: '{}' })
    const page = 'https://github.com/octo/repo/actions/runs/7'
    expect(
      await follow([{ ...entry, githubStatus: 200, run: page }], { isFollowed: true }),
    ).toEqual([
      `request | 200 | id | ${page}`,
      `run | id | ${page} | GitHub refuses to list the runs of octo/repo (status 404): Check the spelling of the repository. If it is right: Set GH_TOKEN (for GitHub Enterprise Server: GH_HOST and GH_ENTERPRISE_TOKEN) to a token with "Actions: Read".`,
    ])
  })
})

describe('hookline send', () => {
  let relay: GitHub
  beforeAll(async () => {
    relay = await startGitHub({ listsRunsByRule: true })
  })
  afterAll(() => relay.close())

  const answer = (headers: Record<string, string>) => ({
    status: 200,
    headers: { 'x-hookline-delivery': DELIVERY, ...headers },
    body: '{"success":true}',
  })

  test('prints the run that the relay names', async () => {
    const run = 'https://github.com/octo/repo/actions/runs/7'
    relay.always(answer({ 'x-hookline-run': run }))
    const { stdout } = await hookline(['send', `${relay.url}/octo/repo/hook/webhook`])
    expect(stdout).toContain(`${run}\n`)
  })

  test('--wait follows the run that the relay names to its end', async () => {
    relay.always(answer({ 'x-hookline-run': 'https://x.test/actions/runs/7' }))
    github.always(oneRun({ conclusion: 'failure' }))
    const url = `${relay.url}/octo/repo/hook/webhook`
    const { code, stderr } = await hookline(['send', url, '--wait'])
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('failure') })
  })

  test('--wait exits with 1 and the reason if no trigger fired', async () => {
    relay.always(answer({}))
    const run = oneRun()
    const job = { id: 9, conclusion: 'success', steps: [{ name: 'Deploy', conclusion: 'skipped' }] }
    github.always((call, response) => {
      const json = (value: object) => ({ status: 200, body: JSON.stringify(value) })
      if (call.url.includes('/jobs')) return json({ total_count: 1, jobs: [job] })
      if (!call.url.includes('/check-runs/9/annotations')) return run(call, response)
      const message = 'no trigger fired: verify: stripe: the signature does not match'
      return json([{ annotation_level: 'notice', message }])
    })
    const url = `${relay.url}/octo/repo/hook/webhook`
    const { code, stderr } = await hookline(['send', url, '--wait'])
    expect(code).toBe(1)
    expect(stderr).toContain('nothing_fired: verify: stripe: the signature does not match\n')
  })

  test('--wait prints that the run was skipped', async () => {
    relay.always(answer({}))
    github.always(oneRun({ conclusion: 'skipped' }))
    const { code, stderr } = await hookline([
      ...['send', `${relay.url}/octo/repo/hook/webhook`, '--wait'],
    ])
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/guard|condition/) })
  })

  test('--wait does not wait for an event that the relay queued', async () => {
    relay.always(answer({ 'x-hookline-queued': 'true' }))
    const url = `${relay.url}/octo/repo/hook/webhook`
    const sent = await hookline(['send', url])
    expect(sent).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('the relay queued the event'),
    })
    const { code, stderr } = await hookline(['send', url, '--wait'])
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('hookline deliveries'),
    })
    const { stdout } = await hookline(['send', url, '--wait', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      accepted: true,
      queued: true,
      error: { code: 'failed', message: 'there is no run yet' },
    })
  })

  test('--wait does not wait for an event that the relay filtered', async () => {
    relay.always(answer({ 'x-hookline-filtered': 'true' }))
    const url = `${relay.url}/octo/repo/hook/webhook`
    const sent = await hookline(['send', url, '--json'])
    expect(JSON.parse(sent.stdout)).toMatchObject({ accepted: true, filtered: true, run: null })
    const { code, stderr } = await hookline(['send', url, '--wait'])
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('--if') })
  })

  test('--wait names policies if a run failed before any job started', async () => {
    relay.always(answer({ 'x-hookline-run': 'https://x.test/actions/runs/7' }))
    const run = oneRun({ conclusion: 'startup_failure' })
    github.always((call, response) =>
      call.url.includes('/jobs') ? { status: 200, body: '{"total_count":0}' } : run(call, response),
    )
    const { code, stderr } = await hookline([
      ...['send', `${relay.url}/octo/repo/hook/webhook`, '--wait'],
    ])
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('policy') })
  })

  test('an address of this machine needs no scheme', async () => {
    relay.always(answer({}))
    const { code } = await hookline(['send', `${relay.url.slice('http://'.length)}/webhook/a/b`])
    expect(code).toBe(0)
  })
})
