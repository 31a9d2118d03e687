import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { runShared } from '../../support/cli.ts'
import { type Dev, type DevSetup, post, startDev } from '../../support/dev.ts'

const run = promisify(execFile)

const HOOK = { 'workflows/hook.yml': 'on:\n  webhook:\n    path: /users/:id\n' }

const started: Dev[] = []
const stopping: Promise<unknown>[] = []

/** Stopping waits for open requests, which no test has to wait for. */
afterEach(() => {
  stopping.push(...started.splice(0).map((dev) => dev.stop()))
})
afterAll(() => Promise.all(stopping))

async function start(files: DevSetup['files'], more: Partial<DevSetup> = {}): Promise<Dev> {
  const dev = await startDev({ files, ...more })
  started.push(dev)
  return dev
}

test('hookline dev --json prints a line for every event, and nothing else', async () => {
  const once = 'on: { webhook: { config: { shouldDeduplicate: true } } }'
  const files = { ...HOOK, 'workflows/once.yml': once }
  const { command, hook } = await start(files, { args: ['--json'] })
  const response = await post(hook('hook/webhook/users/7?a=1'), { x: 1 })
  expect(await response.json()).toEqual({ success: true })
  const skipped = [
    ['hook/webhook/elsewhere', 'path does not match /users/:id'],
    ['hook/webhok', '"hook" declares: "webhook" (did you mean "webhook"?)'],
    ['hok/webhook', 'here: "hook", "once" (did you mean "hook"?)'],
  ] as const
  for (const [path] of skipped) expect((await post(hook(path), {})).status).toBe(200)
  await command.printed(/(?:^\{.*\}\n){4}/m)
  const lines = command.stdout.trim().split('\n')
  const [fired, ...others] = lines.map((line) => JSON.parse(line))
  expect(fired).toEqual({
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
  expect(others).toEqual(
    skipped.map(([, reason]) =>
      expect.objectContaining({
        triggered: false,
        count: 0,
        items: [],
        reason: expect.stringContaining(reason),
      }),
    ),
  )
  // As long as it runs, it remembers the items that it passed on.
  for (const id of [1, 1, 2]) await post(hook('once/webhook'), { id })
  await command.printed(/(?:^\{.*\}\n){7}/m)
  const remembered = command.stdout.trim().split('\n').slice(-3)
  expect(remembered.map((line) => JSON.parse(line).count)).toEqual([1, 0, 1])
})

describe('hookline dev for a person', () => {
  const step = '{ id: hookline, uses: hookline/hookline@v1, with: { on: webhook } }'
  const files = {
    ...HOOK,
    'workflows/bad.yml': 'on:\n  webhook:\n    method: psot\n',
    'workflows/loop.yml': "on: { webhook: { config: { filterScript: 'for (;;) {}' } } }",
    'workflows/lookahead.yml':
      "on: { webhook: { config: { filter: { body.text: { $regex: '^(?=a)(a+)+$' } } } } }",
    'workflows/other.yaml': 'on: { webhook: { method: put } }',
    '.github/workflows/native.yml': `on: repository_dispatch\njobs: { on: { runs-on: x, steps: [${step}] } }`,
  }
  let dev: Dev
  beforeAll(async () => {
    dev = await startDev({ files })
  })
  beforeEach(() => dev.restore())
  afterAll(() => dev.stop())

  test('names the triggers it found, and a curl line that fires one of them', async () => {
    const { command, url } = dev
    const [, line = ''] = await command.printed(/Try:\n {2}(curl .*)\n/)
    expect(command.stdout).toContain(`POST    ${url}/webhook/hook/webhook/users/id\n`)
    expect(command.stdout).toContain(`PUT     ${url}/webhook/other/webhook\n`)
    const { stdout } = await run('sh', ['-c', line])
    expect(stdout).toBe('{"success":true}')
    await command.printed(/POST \/webhook\/hook\/webhook\/users\/id {2}fired, 1 item/)
    await command.printed(/on\.webhook\.outputs\.params = \{"id":"id"\}/)
  })

  test('serves valid files, and reports a mistake as soon as it is saved', async () => {
    const { command, hook, write } = dev
    await command.printed(/error: unknown HTTP method "psot"\n {2}--> workflows\/bad\.yml:3:13/)
    await post(hook('hook/webhook/users/1'), {})
    await command.printed(/users\/1 {2}fired, 1 item/)
    await post(hook('bad/webhook'), {})
    await command.printed(/\/webhook\/bad\/webhook {2}failed.*\n {2}the workflow has mistakes\n/)
    await write({ 'workflows/worse.yml': 'on:\n  webhook:\n    method: gte\n' })
    await command.printed(/error: unknown HTTP method "gte"\n {2}--> workflows\/worse\.yml:3:13/)
    await write({ 'workflows/worse.yml': 'on: webhook', 'workflows/bad.yml': 'on: webhook' })
    await command.printed(/workflow files have no errors\n/)
    // A changed file takes effect with the next request.
    await post(hook('hook/webhook/teams/1'), {})
    await command.printed(/teams\/1 {2}skipped/)
    await write({ 'workflows/hook.yml': 'on: { webhook: { path: /teams/:id } }' })
    await post(hook('hook/webhook/teams/2'), {})
    await command.printed(/teams\/2 {2}fired, 1 item/)
  })

  test('shows the outputs of a native workflow as its own steps read them', async () => {
    const { command, hook } = dev
    await post(hook('native/webhook'), { a: 1 })
    await command.printed(/\n {2}steps\.hookline\.outputs\.body = \{"a":1\}\n/)
    // Control characters of a request do not reach the terminal.
    await post(hook('native/webhook?second'), { text: '\u001b[2J\u009b\u2028' })
    await command.printed(/second[\s\S]*outputs\.params/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for these
    expect(command.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028]/)
  })

  test('stops a pattern with lookahead and a script that never ends', async () => {
    const { command, hook } = dev
    await post(hook('lookahead/webhook'), { text: `${'a'.repeat(60)}!` })
    await command.printed(/timed out after 500 ms/)
    await post(hook('loop/webhook'), {})
    await command.printed(/timed out after 2000 ms/)
    await post(hook('hook/webhook/users/7'), {})
    await command.printed(/users\/7 {2}fired/)
  })

  test('listens without a workflow file, says what is missing, and a signal ends it', async () => {
    const { command } = await start({})
    await command.printed(/no workflow file matches workflows/)
    expect(await command.stop()).toBe(0)
  })
})

describe('values', () => {
  const WITH_SECRET = { 'workflows/hook.yml': "on: { webhook: { path: '${{ secrets.PLACE }}' } }" }

  test('come from .env, as secrets and as variables, as it is at every request', async () => {
    const { command, hook, write } = await start({ ...WITH_SECRET, '.env': 'PLACE=/here\n' })
    await post(hook('hook/webhook/here'), {})
    await command.printed(/here {2}fired, 1 item/)
    // A byte order mark and Windows line ends are not part of the values.
    await write({ '.env': '\ufeffPLACE=/there\r\nOTHER=1\r\n' })
    await post(hook('hook/webhook/there'), {})
    await command.printed(/there {2}fired, 1 item/)
    await write({ '.env': 'OTHER=1' })
    await command.printed(/error: "path": secrets\.PLACE is empty/)
    await post(hook('hook/webhook/there?3'), {})
    await command.printed(/there\?3 {2}failed/)
  })

  test('cannot come from a directory of that name, and the error names it', async () => {
    const end = start({ ...WITH_SECRET, '.env/A': '' })
    await expect(end).rejects.toThrow('error: .env: the path is a directory (EISDIR)')
  })

  test('cannot come from a pipe, which dev would wait for', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hookline-pipe-'))
    execFileSync('mkfifo', [join(folder, '.env')])
    const { exitCode, stderr } = await runShared(['dev', '--port', '0'], { cwd: folder })
    rmSync(folder, { recursive: true })
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining('.env is not a regular file')])
  })
})

describe('--host', () => {
  const KEY = 'a-key-of-more-than-twenty-characters'

  test('asks for a key, and names the inspector as this machine may open it', async () => {
    const args = ['--host', '0.0.0.0']
    const { command, url } = await start(HOOK, { args, env: { HOOKLINE_DEV_KEY: KEY } })
    const { port } = new URL(url)
    const hook = `http://127.0.0.1:${port}/webhook/hook/webhook/users/1`
    expect((await post(hook, {})).status).toBe(401)
    expect((await post(hook, {}, { 'x-platform-authorization': `${KEY}x` })).status).toBe(401)
    expect((await post(hook, {}, { 'x-platform-authorization': KEY })).status).toBe(200)
    await command.printed(/fired, 1 item/)
    expect(command.stdout).not.toContain(KEY)
    const [, page = ''] = await command.printed(/^Inspector .*: (\S+)\n/m)
    expect(page).toContain(`http://localhost:${port}/inspector/?key=`)
    expect((await fetch(page)).status).toBe(200)
    expect(command.stdout).toContain('-H "X-Platform-Authorization: $KEY"')
  })
})
