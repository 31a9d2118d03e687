import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { RunningCommand } from '../../support/cli.ts'

const run = promisify(execFile)

let folder: string
const started: RunningCommand[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-dev-'))
})

afterEach(async () => {
  for (const command of started.splice(0)) await command.stop()
  await rm(folder, { recursive: true })
})

async function files(texts: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(texts)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
}

async function dev(...args: string[]): Promise<{ command: RunningCommand; url: string }> {
  return devWith({}, ...args)
}

async function devWith(env: Record<string, string>, ...args: string[]) {
  const command = new RunningCommand(['dev', '--port', '0', ...args], { cwd: folder, env })
  started.push(command)
  const [, url = ''] = await command.printed(/^hookline dev listening on (http:\S+)\n/)
  return { command, url }
}

async function post(url: string, body: unknown, headers: Record<string, string> = {}) {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
}

const HOOK = { 'workflows/hook.yml': 'on:\n  webhook:\n    path: /users/:id\n' }

describe('hookline dev --json', () => {
  test('prints a line for an event that fires', async () => {
    await files(HOOK)
    const { command, url } = await dev('--json')
    const response = await post(`${url}/webhook/hook/webhook/users/7?a=1`, { x: 1 })
    expect(await response.json()).toEqual({ success: true })
    const [line] = await command.printed(/^\{.*\}$/m)
    expect(JSON.parse(line)).toEqual({
      delivery: response.headers.get('x-hookline-delivery'),
      workflow: 'hook',
      trigger: 'webhook',
      triggered: true,
      count: 1,
      reason: null,
      items: [
        {
          webhook: {
            outcome: 'success',
            conclusion: 'success',
            outputs: expect.objectContaining({
              method: 'post',
              params: { id: '7' },
              query: { a: '1' },
              body: { x: 1 },
            }),
          },
        },
      ],
    })
  })

  const skipped = [
    ['another path', 'hook/webhook/elsewhere', 'path does not match /users/:id'],
    ['another trigger', 'hook/webhok', '"hook" declares: "webhook" (did you mean "webhook"?)'],
    ['another workflow', 'hok/webhook', 'here: "hook" (did you mean "hook"?)'],
  ] as const
  test.each(skipped)('says why nothing fires for %s', async (_, path, reason) => {
    await files(HOOK)
    const { command, url } = await dev('--json')
    expect((await post(`${url}/webhook/${path}`, {})).status).toBe(200)
    const [line] = await command.printed(/^\{.*\}$/m)
    expect(JSON.parse(line)).toMatchObject({ triggered: false, count: 0, items: [] })
    expect(JSON.parse(line).reason).toContain(reason)
  })

  test('prints nothing but the address and the events', async () => {
    await files(HOOK)
    const { command, url } = await dev('--json')
    await post(`${url}/webhook/hook/webhook/users/1`, {})
    await command.printed(/^\{.*\}$/m)
    expect(command.stdout.trim().split('\n')).toHaveLength(2)
  })
})

describe('hookline dev for a person', () => {
  test('names the triggers it found, and a curl line that fires one of them', async () => {
    await files({ ...HOOK, 'workflows/other.yaml': 'on: { webhook: { method: put } }' })
    const { command, url } = await dev()
    const [, line = ''] = await command.printed(/Try:\n {2}(curl .*)\n/)
    expect(command.stdout).toContain(`POST    ${url}/webhook/hook/webhook/users/id\n`)
    expect(command.stdout).toContain(`PUT     ${url}/webhook/other/webhook\n`)
    const { stdout } = await run('sh', ['-c', line])
    expect(stdout).toBe('{"success":true}')
    await command.printed(/POST \/webhook\/hook\/webhook\/users\/id {2}fired, 1 item/)
    await command.printed(/on\.webhook\.outputs\.params = \{"id":"id"\}/)
  })

  test('shows the mistakes of a file, and serves the others', async () => {
    await files({ ...HOOK, 'workflows/bad.yml': 'on:\n  webhook:\n    method: psot\n' })
    const { command, url } = await dev()
    await command.printed(/error: unknown HTTP method "psot"\n {2}--> workflows\/bad\.yml:3:13/)
    await post(`${url}/webhook/hook/webhook/users/1`, {})
    await command.printed(/users\/1 {2}fired, 1 item/)
    await post(`${url}/webhook/bad/webhook`, {})
    await command.printed(/\/webhook\/bad\/webhook {2}skipped.*\n {2}the workflow has mistakes\n/)
  })

  test('tells of a mistake as soon as it is saved, and that it is mended', async () => {
    await files(HOOK)
    const { command, url } = await dev()
    await post(`${url}/webhook/hook/webhook/users/1`, {})
    await command.printed(/users\/1 {2}fired/)
    await files({ 'workflows/hook.yml': 'on:\n  webhook:\n    method: psot\n' })
    await command.printed(/error: unknown HTTP method "psot"\n {2}--> workflows\/hook\.yml:3:13/)
    await files(HOOK)
    await command.printed(/no mistake is left in a workflow file\n/)
  })

  test('shows the outputs of a native workflow as its own steps read them', async () => {
    const step = '{ id: hookline, uses: ./, with: { on: webhook } }'
    await files({ '.github/workflows/native.yml': `jobs: { on: { steps: [${step}] } }` })
    const { command, url } = await dev()
    await post(`${url}/webhook/native/webhook`, { a: 1 })
    await command.printed(/\n {2}steps\.hookline\.outputs\.body = \{"a":1\}\n/)
  })

  test('a changed file takes effect with the next request', async () => {
    await files(HOOK)
    const { command, url } = await dev()
    await post(`${url}/webhook/hook/webhook/teams/1`, {})
    await command.printed(/teams\/1 {2}skipped/)
    await files({ 'workflows/hook.yml': 'on: { webhook: { path: /teams/:id } }' })
    await post(`${url}/webhook/hook/webhook/teams/2`, {})
    await command.printed(/teams\/2 {2}fired, 1 item/)
  })

  test('control characters of a request do not reach the terminal', async () => {
    await files({ 'workflows/hook.yml': 'on: webhook' })
    const { command, url } = await dev()
    await post(`${url}/webhook/hook/webhook`, { text: '\u001b[2J\u009b\u2028' })
    await command.printed(/outputs\.params/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    expect(command.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028]/)
  })

  test('listens without a workflow file, and says what is missing', async () => {
    const { command } = await dev()
    await command.printed(/no workflow file matches workflows/)
  })
})

describe('values', () => {
  const WITH_SECRET = { 'workflows/hook.yml': "on: { webhook: { path: '${{ secrets.PLACE }}' } }" }

  test('come from .env, as secrets and as variables', async () => {
    await files({ ...WITH_SECRET, '.env': 'PLACE=/here\n' })
    const { command, url } = await dev()
    await post(`${url}/webhook/hook/webhook/here`, {})
    await command.printed(/fired, 1 item/)
  })

  test('come from a file with a byte order mark and Windows line ends', async () => {
    await files({ ...WITH_SECRET, '.env': '\ufeffPLACE=/here\r\nOTHER=1\r\n' })
    const { command, url } = await dev()
    await post(`${url}/webhook/hook/webhook/here`, {})
    await command.printed(/fired, 1 item/)
  })

  test('come from the file that --env-file names', async () => {
    await files({ ...WITH_SECRET, 'other.env': 'PLACE=/there\n' })
    const { command, url } = await dev('--env-file', 'other.env')
    await post(`${url}/webhook/hook/webhook/there`, {})
    await command.printed(/fired, 1 item/)
  })
})

test('a signal stops it cleanly', async () => {
  const { command } = await dev()
  expect(await command.stop()).toBe(0)
})

describe('--host', () => {
  const KEY = 'a-key-of-more-than-twenty-characters'

  test('asks for a key', async () => {
    await files(HOOK)
    const { command, url } = await devWith({ HOOKLINE_KEYS: KEY }, '--host', '127.0.0.1')
    const hook = `${url}/webhook/hook/webhook/users/1`
    expect((await post(hook, {})).status).toBe(401)
    expect((await post(hook, {}, { 'x-platform-authorization': `${KEY}x` })).status).toBe(401)
    expect((await post(hook, {}, { 'x-platform-authorization': KEY })).status).toBe(200)
    await command.printed(/fired, 1 item/)
    expect(command.stdout).not.toContain(KEY)
  })

  test('names the inspector as this machine may open it, and the header for the key', async () => {
    await files(HOOK)
    const { command, url } = await devWith({ HOOKLINE_KEYS: KEY }, '--host', '0.0.0.0')
    const port = new URL(url).port
    const [, page = ''] = await command.printed(/decision and output: (\S+)\n/)
    expect(page).toBe(`http://localhost:${port}`)
    expect((await fetch(page)).status).toBe(200)
    expect(command.stdout).toContain('-H "X-Platform-Authorization: $KEY"')
  })

  test('does not start without one', async () => {
    const command = new RunningCommand(['dev', '--port', '0', '--host', '0.0.0.0'], { cwd: folder })
    expect(await command.ended()).toBe(1)
    expect(command.stderr).toMatch(/^error: .*HOOKLINE_KEYS/)
  })
})
