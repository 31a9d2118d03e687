import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { awaitRun } from '../../src/cli/follow-runs.ts'
import { runShared } from '../support/cli.ts'
import { type Answering, type GitHub, startGitHub } from '../support/github.ts'

const DELIVERY = '0b6c5a3e-7d1f-4c58-9a55-2f6f0e9a1c11'
const OTHER = '11111111-7d1f-4c58-9a55-2f6f0e9a1c11'

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

const runs = (...args: string[]) => hookline(['runs', '--repository', 'octo/repo', ...args])

describe('hookline runs', () => {
  test('prints delivery, workflow, state and address', async () => {
    github.always(oneRun())
    const { code, stdout } = await runs('--json')
    expect({ code, run: JSON.parse(stdout) }).toEqual({
      code: 0,
      run: {
        id: 7,
        delivery: DELIVERY,
        workflow: 'hook',
        state: 'in_progress',
        conclusion: null,
        started: '2026-01-01T00:00:00Z',
        url: 'https://github.com/octo/repo/actions/runs/7',
      },
    })
  })

  test('prints the run-name to add if a run does not name its delivery', async () => {
    github.always(oneRun({ title: 'hook' }))
    const { stderr } = await runs()
    expect(stderr).toContain(
      "run-name: hook ${{ github.event.client_payload.headers['x-hookline-delivery'] }}",
    )
  })

  test('leaves out runs that were started manually', async () => {
    github.always(oneRun({ title: 'hook', event: 'workflow_dispatch' }))
    expect((await runs()).stdout).toBe('')
  })

  test('a delivery id is the same in capitals', async () => {
    github.always(oneRun())
    const { code, stdout } = await runs('--delivery', DELIVERY.toUpperCase())
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining(DELIVERY) })
  })

  test('finds a run behind 950 newer runs, and not behind 1,000', async () => {
    const other = { path: '.github/workflows/ci.yml', event: 'push', status: 'queued' }
    const newer = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ ...other, id: at + 100, display_title: 'ci' }))
    for (const [count, code] of [
      [950, 0],
      [1000, 1],
    ] as const) {
      const ours = { ...other, id: 7, event: 'repository_dispatch', display_title: `x ${DELIVERY}` }
      const all = [...newer(count), ours]
      let pages = 0
      github.always(({ url }) => {
        const page = Number(new URL(url, 'http://x').searchParams.get('page'))
        pages++
        return {
          status: 200,
          body: JSON.stringify({ workflow_runs: all.slice(page * 100 - 100, page * 100) }),
        }
      })
      expect([(await runs('--delivery', DELIVERY)).code, pages]).toEqual([code, 10])
    }
  })

  test('an unknown delivery is an error', async () => {
    github.always(oneRun())
    expect(await runs('--delivery', OTHER)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(OTHER),
    })
  })

  test.each([
    [401, {}, 'token'],
    [403, {}, 'Actions: Read'],
    [403, { 'x-ratelimit-remaining': '0' }, 'rate limit'],
    [404, {}, 'spelling'],
    [502, {}, 'githubstatus.com'],
  ])('status %i of GitHub is an error with its cure', async (status, headers, hint) => {
    github.always({ status, headers, body: '{}' })
    expect(await runs()).toMatchObject({ code: 1, stderr: expect.stringContaining(hint) })
  })

  test('a rate limit is an error with the time of its end', async () => {
    const reset = Math.floor(Date.now() / 1000) + 38 * 60
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) }
    github.always({ status: 403, headers, body: '{}' })
    const time = new Date(reset * 1000).toISOString().slice(11, 16)
    for (const args of [[], ['--delivery', DELIVERY, '--watch']]) {
      const { code, stderr } = await runs(...args)
      expect({ code, stderr }).toEqual({
        code: 1,
        stderr: expect.stringContaining(`${time} UTC, in 3`),
      })
    }
  })

  test.each([
    ['soon', 10, true],
    ['after a minute', 120, true],
    ['after five minutes', 290, true],
    ['later than that', 330, false],
  ])('a run that shows %s', async (_, seconds, isFound) => {
    let passed = 0
    const shown = {
      ...{ id: 7, path: '.github/workflows/hook.yml', display_title: `hook ${DELIVERY}` },
      ...{ created_at: '2026-01-01T00:00:00Z', html_url: '', status: 'queued', conclusion: null },
      event: 'repository_dispatch',
    }
    const ask = async (path: string) => {
      const there = path.includes('?per_page=100&page=1') && passed >= seconds
      const text = JSON.stringify({ workflow_runs: there ? [shown] : [] })
      return { answer: { status: 200, header: () => undefined, text } }
    }
    const sleep = async (milliseconds: number) => {
      passed += milliseconds / 1000
    }
    const now = () => new Date(passed * 1000)
    const found = awaitRun(DELIVERY, { repository: 'octo/repo', ask, now, sleep })
    if (isFound) await expect(found).resolves.toMatchObject({ delivery: DELIVERY })
    else await expect(found).rejects.toThrow(DELIVERY)
  })

  test('a token with a control character is an error', async () => {
    const { code, stderr } = await hookline(['runs', '--repository', 'octo/repo'], {
      HOOKLINE_GITHUB_TOKEN: 'token\r',
    })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('HOOKLINE_GITHUB_TOKEN'),
    })
  })

  test('--watch goes on after a lost connection and a 502', async () => {
    const answering = oneRun()
    let calls = 0
    github.always((call, response) => {
      // The first call gets the list; then a connection breaks, and GitHub responds with an error.
      calls++
      if (calls === 2) return void response.destroy()
      return calls === 3 ? { status: 502, body: '<html>' } : answering(call, response)
    })
    expect(await runs('--delivery', DELIVERY, '--watch')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('success'),
      stderr: expect.stringContaining('again'),
    })
  })

  test('--watch follows a failed run to its end', async () => {
    github.always(oneRun({ conclusion: 'failure' }))
    const ended = await runs('--delivery', DELIVERY, '--watch')
    expect(ended).toMatchObject({ code: 1, stdout: expect.stringContaining('failure') })
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

  test('prints the run-name to add if the relay names no run', async () => {
    const path = join(folder, '.github/workflows')
    await mkdir(path, { recursive: true })
    await writeFile(join(path, 'bare.yml'), 'on: repository_dispatch')
    relay.always(answer({}))
    const { code, stderr } = await hookline(['send', `${relay.url}/octo/repo/bare/webhook`])
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining('\n  run-name: bare ${{ github.event.'),
    })
  })

  test('--wait follows the run that the relay names to its end', async () => {
    relay.always(answer({ 'x-hookline-run': 'https://x.test/actions/runs/7' }))
    github.always(oneRun({ conclusion: 'failure' }))
    const url = `${relay.url}/octo/repo/hook/webhook`
    const { code, stderr } = await hookline(['send', url, '--wait'])
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('failure') })
  })

  test('--wait prints that the run was skipped', async () => {
    relay.always(answer({}))
    github.always(oneRun({ conclusion: 'skipped' }))
    const { code, stderr } = await hookline([
      ...['send', `${relay.url}/octo/repo/hook/webhook`, '--wait'],
    ])
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/guard|condition/) })
  })

  test('--wait does not wait for an event in the outbox', async () => {
    relay.always(answer({ 'x-hookline-queued': 'true' }))
    const url = `${relay.url}/octo/repo/hook/webhook`
    const sent = await hookline(['send', url])
    expect(sent).toMatchObject({ code: 0, stdout: expect.stringContaining('outbox') })
    const { code, stderr } = await hookline(['send', url, '--wait'])
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('outbox list') })
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
