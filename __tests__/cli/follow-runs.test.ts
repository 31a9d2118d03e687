import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { LogFollower } from '../../src/cli/connect/follow.ts'
import { awaitRun, followRun, type RunPorts } from '../../src/cli/follow-runs.ts'
import { githubAt } from '../../src/cli/github-client.ts'
import { UserError } from '../../src/wire/errors.ts'
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

/** The ports of a follower that asks once. */
function hurried(): RunPorts {
  const own = ports()
  return { ...own, ask: (path) => own.ask(path) }
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

describe('the run of an event', () => {
  test.each([
    [401, {}, 'token'],
    [403, {}, 'Actions: Read'],
    [403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' }, 'rate limit'],
    [404, {}, 'spelling'],
    [502, {}, 'githubstatus.com'],
  ])('is not found if GitHub answers %i %p, with the cure', async (status, headers, hint) => {
    github.always({ status, headers, body: '{}' })
    const error = await awaitRun(EVENT, hurried()).catch((error: unknown) => error)
    if (!(error instanceof UserError)) throw error
    expect(error.problems[0]?.hint).toContain(hint)
  })

  test('is not found after a rate limit that ends later, whose end is named', async () => {
    const reset = Math.floor(Date.now() / 1000) + 38 * 60
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) }
    github.always({ status: 403, headers, body: '{}' })
    const time = new Date(reset * 1000).toISOString().slice(11, 16)
    const error = await awaitRun(EVENT, hurried()).catch((error: unknown) => error)
    if (!(error instanceof UserError)) throw error
    expect(error.problems[0]?.hint).toContain(`${time} UTC, in 3`)
  })

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
