import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { DoctorFinding } from '../../../src/cli/doctor/findings.ts'
import { doctorPorts, runChecks } from '../../../src/cli/doctor.ts'
import { KINDS } from '../../../src/cli/init/kinds.ts'
import { Secret } from '../../../src/wire/secret.ts'
import { runShared } from '../../support/cli.ts'
import { type GitHub, startGitHub } from '../../support/github.ts'
import { TOKEN } from '../../support/scene.ts'
import { forgeAt } from './examination.ts'
import { github, json, type Setting } from './stand-in.ts'

let platform: GitHub
let folder: string

beforeAll(async () => {
  platform = await startGitHub({ listsRunsByRule: true })
})
beforeEach(async () => {
  platform.reset()
  folder = await mkdtemp(join(tmpdir(), 'hookline-doctor-'))
  execFileSync('git', ['init', '-q'], { cwd: folder })
  execFileSync('git', ['remote', 'add', 'origin', 'https://github.com/octo/repo'], { cwd: folder })
})
afterEach(() => rm(folder, { recursive: true }))
afterAll(() => platform.close())

/** The workflow that `init --kind bot` writes. */
const [FILE] = KINDS.get('bot')?.files({ name: 'bot' }) ?? []
const BOT = FILE?.text ?? ''

interface Examined {
  readonly exitCode: number | null
  readonly findings: readonly DoctorFinding[]
  readonly codes: readonly string[]
}

async function doctor(
  env: Record<string, string>,
  setting: Setting = {},
  args: readonly string[] = [],
): Promise<Examined> {
  platform.always(github(setting))
  const { exitCode, stdout, stderr } = await runShared(['doctor', '--json', ...args], {
    cwd: folder,
    env: { HOOKLINE_API_URL: platform.url, ...env },
  })
  expect(stdout + stderr).not.toContain(TOKEN)
  const { findings } = JSON.parse(stdout) as { findings: DoctorFinding[] }
  return { exitCode, findings, codes: findings.map(({ code }) => code) }
}

const RUNS = '/repos/octo/repo/actions/runs'
const SECRET = '/repos/octo/repo/actions/secrets/BOT_TOKEN'
const run = (conclusion: string | null) =>
  json(200, {
    workflow_runs: [
      { id: 8, path: '.github/workflows/other.yml', conclusion: 'failure' },
      {
        ...{ id: 7, path: '.github/workflows/bot.yml@trunk', event: 'schedule', conclusion },
        ...{ status: conclusion === null ? 'in_progress' : 'completed' },
        ...{ created_at: '2026-01-01T00:00:00Z', html_url: 'https://github.com/octo/repo/7' },
      },
    ],
  })
const READY = { [SECRET]: json(200, { name: 'BOT_TOKEN' }), [RUNS]: run('success') }
const forbidden = json(403, { message: 'Resource not accessible by personal access token' })

test.each([
  ['nothing is wrong', {}, [], undefined],
  [
    'the secret is missing',
    { [SECRET]: json(404, {}) },
    ['bot_secret_missing'],
    /gh secret set BOT_TOKEN --repo octo\/repo/,
  ],
  ['the token may not list secrets', { [SECRET]: forbidden }, ['bot_secret_unknown'], /gh secret/],
  ['the last run failed', { [RUNS]: run('failure') }, ['bot_run_failed'], /gh run view 7 --log/],
  ['a run is in progress', { [RUNS]: run(null) }, [], undefined],
  [
    'no run exists',
    { [RUNS]: json(200, { workflow_runs: [] }) },
    ['bot_never_ran'],
    /gh workflow run bot\.yml/,
  ],
  ['the token may not list runs', { [RUNS]: forbidden }, ['bot_runs_unknown'], /Actions: Read/],
])('with a GitHub token: %s', async (_, at, expected, cure) => {
  const env = { HOOKLINE_GITHUB_TOKEN: TOKEN }
  const { findings, codes } = await doctor(env, {
    workflows: { 'bot.yml': BOT },
    at: { ...READY, ...at },
  })
  expect(codes.filter((code) => code !== 'ok')).toEqual(expected)
  const [wrong] = findings.filter(({ code }) => code === expected[0])
  if (cure) expect(wrong?.hint).toMatch(cure)
  expect(findings.map(({ hint }) => hint).join('\n')).not.toContain('Contents: Read and write')
})

test('a workflow that polls needs no relay', async () => {
  const workflows = { 'bot.yml': BOT }
  const env = { HOOKLINE_GITHUB_TOKEN: TOKEN }
  const { findings } = await doctor(env, { workflows, at: READY }, ['--workflow', 'bot'])
  expect(findings.map(({ message }) => message)).toContain(
    'bot.yml polls for messages, and needs no relay',
  )
})

test('its last run is on the first page that has one, and its options may have many aliases', async () => {
  const name = 'bot.yml.yaml'
  const filter = `[${Array(101).fill('*one').join(', ')}]`
  const on = `messaging_bot: { token: a, config: { filter: { a: &one [1], $or: ${filter} } } }`
  const others = github({
    workflows: {
      [name]: `on: { schedule: [] }
jobs: { poll: { steps: [{ uses: hookline/hookline@v1, with: { on: '${on}' } }] } }
`,
    },
  })
  const runOf = (file: string) => ({
    ...{ id: 7, path: `.github/workflows/${file}@trunk`, event: 'schedule', html_url: 'page' },
    ...{ status: 'completed', conclusion: 'success', created_at: '2026-01-01T00:00:00Z' },
  })
  const full = Array(99).fill(runOf('bot.yml'))
  platform.always((call, response) => {
    const [, page] = /[?&]page=(\d+)/.exec(call.url) ?? []
    if (page === '1') return json(200, { workflow_runs: [...full, runOf('other.yml')] })
    if (page === '2') return json(200, { workflow_runs: [...full, runOf(name)] })
    return others(call, response)
  })
  const token = new Secret(TOKEN)
  const target = { repository: 'octo/repo', workflow: 'bot.yml', relay: undefined, token }
  const found = await runChecks(target, doctorPorts(forgeAt(platform.url), token))
  expect(found.at(-1)).toEqual({
    ...{ check: 'bot', status: 'ok', code: 'ok' },
    message: `the last run of ${name} succeeded, started 2026-01-01T00:00:00Z: page`,
  })
  expect(platform.calls.filter(({ url }) => url.includes('/actions/runs'))).toHaveLength(2)
})
