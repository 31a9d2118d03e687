import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { DoctorFinding } from '../../../src/cli/doctor/findings.ts'
import { KINDS } from '../../../src/cli/init/kinds.ts'
import { runShared } from '../../support/cli.ts'
import { type GitHub, startGitHub } from '../../support/github.ts'
import { textMessage } from '../../support/messages.ts'
import { TOKEN } from '../../support/scene.ts'
import { BOT_TOKEN, TelegramStandIn } from '../../support/telegram.ts'
import { github, json, LISTENING, type Setting } from './stand-in.ts'

let platform: GitHub
let telegram: TelegramStandIn
let folder: string

beforeAll(async () => {
  platform = await startGitHub({ listsRunsByRule: true })
  telegram = await new TelegramStandIn().start()
})
beforeEach(async () => {
  platform.reset()
  telegram.webhook = undefined
  telegram.queue.forgetBefore(Number.MAX_SAFE_INTEGER)
  folder = await mkdtemp(join(tmpdir(), 'hookline-doctor-'))
  execFileSync('git', ['init', '-q'], { cwd: folder })
  execFileSync('git', ['remote', 'add', 'origin', 'https://github.com/octo/repo'], { cwd: folder })
})
afterEach(() => rm(folder, { recursive: true }))
afterAll(async () => {
  await Promise.all([platform.close(), telegram.stop()])
})

/** The workflow that `init --kind bot` writes. */
const [FILE] = KINDS.get('bot')?.files({ name: 'bot' }) ?? []
const BOT = FILE?.text ?? ''

function write(name: string, text: string): void {
  mkdirSync(join(folder, '.github/workflows'), { recursive: true })
  writeFileSync(join(folder, '.github/workflows', name), text)
}

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
    env: { HOOKLINE_API_URL: platform.url, HOOKLINE_TELEGRAM_API_URL: telegram.url, ...env },
  })
  for (const secret of [TOKEN, BOT_TOKEN]) expect(stdout + stderr).not.toContain(secret)
  const { findings } = JSON.parse(stdout) as { findings: DoctorFinding[] }
  return { exitCode, findings, codes: findings.map(({ code }) => code) }
}

test('a bot that polls needs no GitHub token', async () => {
  write('bot.yml', BOT)
  const { exitCode, findings, codes } = await doctor({})
  expect({ exitCode, codes }).toEqual({
    exitCode: 0,
    codes: ['ok', 'bot_token_not_set', 'token_not_set'],
  })
  expect(findings.at(-1)?.hint).toBe(
    'To check them, run: HOOKLINE_GITHUB_TOKEN="$(gh auth token)" hookline doctor --workflow bot',
  )
  expect(platform.calls).toEqual([])
})

test('on GitHub Enterprise, the command takes the token that gh has for its host', async () => {
  write('bot.yml', BOT)
  const { findings } = await doctor({ HOOKLINE_SERVER_URL: 'https://github.example.com' })
  expect(findings.at(-1)?.hint).toContain('gh auth token --hostname github.example.com')
})

test('BOT_TOKEN is checked at Telegram, without a poll', async () => {
  write('bot.yml', BOT)
  telegram.enqueue('message', textMessage('hello'))
  const { findings } = await doctor({ BOT_TOKEN })
  expect(findings[1]).toEqual({
    check: 'bot',
    status: 'ok',
    code: 'ok',
    message: 'BOT_TOKEN is the token of @octo_bot; 1 message waits for a poll',
  })
  expect(telegram.kept).toHaveLength(1)
})

test.each([
  ['is no bot token', 'bot123', 'bot_token_rejected', /digits, a colon/],
  ['was revoked', `1:${'a'.repeat(35)}`, 'bot_token_rejected', /BotFather with \/token/],
])('a token that %s fails', async (_, token, code, cure) => {
  write('bot.yml', BOT)
  const { exitCode, findings } = await doctor({ BOT_TOKEN: token })
  expect({ exitCode, ...findings[1] }).toMatchObject({
    exitCode: 1,
    code,
    hint: expect.stringMatching(cure),
  })
  expect(JSON.stringify(findings)).not.toContain(token)
})

test('a webhook that prevents polls fails, and its path is not shown', async () => {
  write('bot.yml', BOT)
  telegram.webhook = { url: 'https://relay.test/secret-path' }
  const { findings } = await doctor({ BOT_TOKEN })
  expect(findings[1]).toMatchObject({
    code: 'bot_has_webhook',
    message: '@octo_bot has a webhook at relay.test, so it cannot be polled',
    hint: expect.stringContaining('/bot$BOT_TOKEN/deleteWebhook'),
  })
})

test('with a workflow that receives webhooks, a token is missing', async () => {
  write('bot.yml', BOT)
  write('hook.yml', LISTENING)
  expect((await doctor({})).codes).toContain('token_missing')
  expect((await doctor({}, {}, ['--workflow', 'bot'])).codes).not.toContain('token_missing')
  const relay = ['--workflow', 'bot', '--relay', 'http://127.0.0.1:9']
  expect((await doctor({}, {}, relay)).codes).toContain('token_missing')
})

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
  const env = { HOOKLINE_GITHUB_TOKEN: TOKEN, BOT_TOKEN }
  const { findings, codes } = await doctor(env, {
    workflows: { 'bot.yml': BOT },
    at: { ...READY, ...at },
  })
  const usual = ['ok', 'workflow_schedule_only']
  expect(codes.filter((code) => !usual.includes(code))).toEqual(expected)
  const [wrong] = findings.filter(({ code }) => code === expected[0])
  if (cure) expect(wrong?.hint).toMatch(cure)
  expect(findings.map(({ hint }) => hint).join('\n')).not.toContain('Contents: Read and write')
})

test('a bot without a schedule polls when it is started', async () => {
  const workflows = { 'bot.yml': BOT.replace(/ {2}schedule:\n( {4}.*\n)+/, '') }
  const env = { HOOKLINE_GITHUB_TOKEN: TOKEN, BOT_TOKEN }
  const { findings } = await doctor(env, { workflows, at: READY }, ['--workflow', 'bot'])
  expect(findings.map(({ message }) => message)).toContain(
    'bot.yml has no schedule, so it polls only when you start it',
  )
})
