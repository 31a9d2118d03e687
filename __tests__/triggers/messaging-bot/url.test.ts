import { execFile, execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { runShared } from '../../support/cli.ts'
import { DescribedRelay } from '../../support/described-relay.ts'
import { MESSAGES } from '../../support/messages.ts'
import { BOT_TOKEN, TelegramStandIn } from '../../support/telegram.ts'

const relay = await new DescribedRelay().start()
afterAll(() => relay.stop())
const RELAY = ['--relay', relay.url, '--repository', 'octo/repo']
/** An access key. */
const TOKEN = 'hlk_0123456789abcdefghij+/='
const SECRET = 'correct-horse_battery-staple'

let telegram: TelegramStandIn
beforeEach(async () => {
  telegram = await new TelegramStandIn().start()
})
afterEach(() => telegram.stop())

async function hookline(
  args: readonly string[],
  given: Record<string, string> = {},
  cwd?: string,
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const env = { ...given, HOOKLINE_TELEGRAM_API_URL: telegram.url }
  const { exitCode: code, ...printed } = await runShared(args, { env, ...(cwd && { cwd }) })
  return { code, ...printed }
}

/** Runs a line in a shell with a `curl` that prints its arguments and input. */
function shell(script: string, env: Record<string, string>): Promise<string> {
  const curl = 'curl() { printf "%s\\n" "$@"; cat; }\n'
  return new Promise((resolve, reject) => {
    const child = execFile('bash', ['-c', curl + script], { env }, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    )
    child.stdin?.end()
  })
}

describe('hookline url', () => {
  test.each([
    [['hook', ...RELAY], `${relay.url}/octo/repo/hook/webhook`],
    [['hook.yml', ...RELAY], `${relay.url}/octo/repo/hook/webhook`],
    [['hook', ...RELAY, '--trigger', 'slack'], `${relay.url}/octo/repo/hook/slack`],
    [['hook'], 'http://localhost:3000/webhook/hook/webhook'],
    [['bot', '--bot'], 'http://localhost:3000/webhook/bot/messaging_bot'],
    [
      ['bot', '--relay', `${relay.url}/base/`, '--repository', 'o/r', '--bot'],
      `${relay.url}/base/o/r/bot/messaging_bot`,
    ],
  ])('%j', async (args, url) => {
    const { code, stdout } = await hookline(['url', ...args])
    expect(code).toBe(0)
    // A bot cannot set headers; every other sender does, instead of a plain token in its URL.
    const whole = args.includes('--bot') ? `${url}?__token=$HOOKLINE_CREDENTIAL` : url
    expect(stdout).toContain(`${whole}\n`)
    const { stdout: json } = await hookline(['url', ...args, '--json'])
    expect(JSON.parse(json)).toMatchObject({ url: whole })
  })

  test('a relay gets the repository of the git remote, or an error without one', async () => {
    const args = ['url', 'hook', '--relay', relay.url]
    expect(await hookline(args)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('--repository'),
    })
    const folder = await mkdtemp(join(tmpdir(), 'hookline-url-'))
    execFileSync('git', ['init', '-q'], { cwd: folder })
    const remote = ['remote', 'add', 'origin', 'git@github.com:octo/repo.git']
    execFileSync('git', remote, { cwd: folder })
    const { stdout } = await hookline([...args, '--json'], {}, folder)
    const single = await new DescribedRelay({ singleRepository: true }).start()
    const alone = await hookline(['url', 'hook', '--relay', single.url, '--json'], {}, folder)
    single.stop()
    await rm(folder, { recursive: true })
    expect(JSON.parse(stdout).url).toBe(`${relay.url}/octo/repo/hook/webhook`)
    expect(JSON.parse(alone.stdout).url).toBe(`${single.url}/webhook/hook/webhook`)
  })

  test('what a trigger asks for stands in the URL and the curl line, where its file is here', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hookline-url-'))
    await mkdir(join(folder, 'workflows'))
    const on = 'on: {webhook: {method: put, path: "/users/:userId"}}'
    await writeFile(join(folder, 'workflows/user.yml'), `${on}\njobs: {}\n`)
    const own = async (name: string) => {
      const { stdout } = await hookline(['url', name, ...RELAY, '--json'], {}, folder)
      return JSON.parse(stdout)
    }
    const url = `${relay.url}/octo/repo/user/webhook/users/userId`
    expect(await own('user')).toMatchObject({
      url,
      curl: expect.stringMatching(/-X PUT .*userId'$/),
    })
    expect((await own('other')).url).toBe(`${relay.url}/octo/repo/other/webhook`)
    await rm(folder, { recursive: true })
  })

  test('for hookline dev the URL needs no token', async () => {
    const { stdout } = await hookline(['url', 'hook'], {
      HOOKLINE_CREDENTIAL: 'ghp_0123456789abcdefghijklmnopqrstuvwxyz',
    })
    expect(stdout).toContain("'http://localhost:3000/webhook/hook/webhook'\n")
    expect(stdout).not.toMatch(/X-Platform|seal/)
  })

  test('a token of GitHub is sealed where the relay has a key for it, and shown nowhere', async () => {
    const keys = (await hookline(['keys', 'create', 'sealing'])).stdout.trim()
    const published = (await hookline(['keys', 'public'], { HOOKLINE_SEALING_KEYS: keys })).stdout
    const sealing = await new DescribedRelay({ keys: published }).start()
    const address = ['--relay', sealing.url, '--repository', 'octo/repo']
    const token = 'ghp_0123456789abcdefghijklmnopqrstuvwxyz'
    const { stdout } = await hookline(['url', 'hook', ...address], { HOOKLINE_CREDENTIAL: token })
    sealing.stop()
    expect(stdout).toMatch(
      /\/octo\/repo\/hook\/webhook\?__token=[\w-]+\.[\w-]*\.[\w-]+\.[\w-]+\.[\w-]+\n/,
    )
    expect(stdout).not.toContain(token)
  })

  test('its curl line keeps the token out of the URL', async () => {
    const { stdout } = await hookline(['url', 'hook', ...RELAY, '--json'])
    const { curl } = JSON.parse(stdout) as { curl: string }
    const args = await shell(curl, { HOOKLINE_CREDENTIAL: TOKEN })
    expect(args).toContain(`${relay.url}/octo/repo/hook/webhook\n`)
    expect(args).toContain(`X-Platform-Authorization: Bearer ${TOKEN}\n`)
  })

  test.each([
    [['url', 'bot', '--bot', '--updates', 'calback_query'], 1, 'did you mean "callback_query"?'],
    [['url', 'hook', '--repository', 'octo'], 1, 'owner/name'],
    [['url', 'hook', '--repository', 'octo/repo.git'], 1, 'it looks like octo/repo\n'],
    [['url', 'hook', ...RELAY, '--relay', 'relay.example'], 1, 'https://relay.example'],
    [['url', '../x'], 1, 'hookline url x'],
    [['url', '.github/workflows/hook.yml'], 1, 'hookline url hook'],
    [['url', 'hook', '--relay', 'http://127.0.0.1:1', '--repository', 'o/r'], 1, '127.0.0.1:1'],
    [['url'], 2, 'workflow'],
    [['url', 'hook', '--colour'], 2, '--colour'],
    [['url', 'bot', '--register'], 1, 'BOT_TOKEN'],
  ])('%j is refused', async (args, exit, message) => {
    const { code, stderr } = await hookline(args)
    expect(code).toBe(exit)
    expect(stderr).toContain(message)
  })
})

test('url refuses a server that is no relay', async () => {
  const args = ['url', 'hook', '--relay', telegram.url, '--repository', 'octo/repo']
  const { code, stdout, stderr } = await hookline(args)
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('not a Hookline relay')])
})

describe('hookline url --bot', () => {
  const url = `${relay.url}/octo/repo/bot/messaging_bot`
  const env = { BOT_TOKEN, HOOKLINE_CREDENTIAL: TOKEN, BOT_SECRET: SECRET }
  const allowed_updates = ['message', 'channel_post', 'callback_query']

  test('prints a setWebhook call that a shell completes', async () => {
    const args = ['url', 'bot', '--bot', ...RELAY, '--updates', 'callback_query']
    const { stdout } = await hookline(args)
    const call = /^curl[\s\S]*?^JSON$/m.exec(stdout)?.[0] ?? ''
    const shown = await shell(call, env)
    expect(shown).toContain(`${telegram.url}/bot${BOT_TOKEN}/setWebhook\n`)
    expect(JSON.parse(shown.slice(shown.indexOf('{')))).toEqual({
      url: `${url}?__token=${TOKEN}`,
      secret_token: SECRET,
      allowed_updates,
    })
    expect(telegram.calls).toEqual([])
  })

  test('--register makes the call, with the tokens of the environment', async () => {
    const args = ['url', 'bot', '--register', ...RELAY, '--updates', 'callback_query']
    const { code, stdout, stderr } = await hookline(args, env)
    expect(code).toBe(0)
    expect(telegram.webhook).toEqual({
      url: `${url}?__token=${encodeURIComponent(TOKEN)}`,
      secret_token: SECRET,
    })
    expect(telegram.calls[0]?.parameters.allowed_updates).toEqual(allowed_updates)
    expect(stdout).toContain(`# Webhook, registered just now\n${url}\n0 updates waiting`)
    for (const secret of [BOT_TOKEN, TOKEN, SECRET]) expect(stdout + stderr).not.toContain(secret)
  })

  test('--register without a secret registers none', async () => {
    const { code } = await hookline(['url', 'bot', '--register', ...RELAY], {
      ...env,
      BOT_SECRET: '',
    })
    expect(code).toBe(0)
    expect(telegram.webhook).not.toHaveProperty('secret_token')
  })

  test('shows what the bot API knows of the webhook, without its query', async () => {
    telegram.webhook = { url: 'https://old.example/hook?__token=ghp_oldoldoldold' }
    telegram.push('message', MESSAGES.text)
    const { stdout } = await hookline(['url', 'bot', '--bot', ...RELAY], env)
    expect(stdout).toContain('https://old.example/hook (not the URL above)\n1 updates waiting')
    expect(stdout).not.toContain('ghp_old')
  })

  test('tells a refusal of the bot API, without a secret that it repeats', async () => {
    const description = `Bad Request: bad webhook ${url}?__token=${encodeURIComponent(TOKEN)} ${SECRET} ${BOT_TOKEN}`
    telegram.faults.push({ status: 400, body: JSON.stringify({ ok: false, description }) })
    const { code, stdout, stderr } = await hookline(['url', 'bot', '--register', ...RELAY], env)
    expect(code).toBe(1)
    expect(stderr).toContain('rejected the call (400: Bad Request: bad webhook')
    for (const secret of [BOT_TOKEN, TOKEN, encodeURIComponent(TOKEN), SECRET]) {
      expect(stdout + stderr).not.toContain(secret)
    }
  })

  test.each([
    ['a token of a user', 'ghp_0123456789abcdefghijklmnopqrstuvwxyz'],
    ['a token of an App', `ghs_123_${'eyJhbGciOiJSUzI1NiJ9'.repeat(2)}.payload.signature`],
  ])('refuses %s that the relay cannot seal, in the printed call too', async (_, token) => {
    for (const args of [
      ['bot', '--register', ...RELAY],
      ['bot', '--bot', ...RELAY],
      ['bot', '--register'],
    ]) {
      const given = { ...env, HOOKLINE_CREDENTIAL: token }
      const { code, stdout, stderr } = await hookline(['url', ...args], given)
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toMatch(/plain GitHub token[\s\S]*--relay[\s\S]*access key/)
      expect(stderr).not.toContain(token)
    }
    expect(telegram.calls).toEqual([])
  })
})
