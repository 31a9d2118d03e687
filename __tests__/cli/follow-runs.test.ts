import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { awaitRun } from '../../src/cli/follow-runs.ts'
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

describe('the run of a delivery', () => {
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
