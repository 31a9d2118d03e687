import { createHmac } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { runShared } from '../../support/cli.ts'
import { type GitHub, startGitHub } from '../../support/github.ts'
import { type RelayUnderTest, startOnNode } from '../../support/relays.ts'
import { payloadOf, TOKEN } from '../../support/scene.ts'

let folder: string
let platform: GitHub
let relay: RelayUnderTest
let hook: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-send-'))
  platform = await startGitHub()
  relay = await startOnNode({ env: { HOOKLINE_API_URL: platform.url } })
  hook = `${relay.url}/octo/repo/hook/webhook`
})
beforeEach(() => platform.reset())
afterAll(async () => {
  await relay.close()
  await platform.close()
  await rm(folder, { recursive: true })
})

async function send(args: readonly string[], env: Record<string, string> = {}) {
  const all = { HOOKLINE_GITHUB_TOKEN: TOKEN, ...env }
  const [target = '', ...rest] = args
  // The token travels only to the relay that --relay names.
  const hasToken = target.startsWith(relay.url) && all.HOOKLINE_GITHUB_TOKEN !== ''
  const given = hasToken ? [target.slice(relay.url.length), '--relay', relay.url, ...rest] : args
  const ended = await runShared(['send', ...given], { cwd: folder, env: all })
  expect(ended.stdout + ended.stderr).not.toContain(TOKEN)
  return ended
}

function arrived() {
  return platform.calls.map(({ body }) => payloadOf(body))
}

describe('the request', () => {
  test('a fixture arrives as its sender would send it', async () => {
    const { exitCode, stdout } = await send([hook, '--example', 'github.issues.opened'])
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(
      /^POST http:.*\/octo\/repo\/hook\/webhook\n200 .*delivery .*\n\{"success":true\}\n$/,
    )
    const [payload] = arrived()
    expect(payload).toMatchObject({ path: 'hook/webhook', method: 'POST' })
    expect(payload?.headers).toMatchObject({ 'x-github-event': 'issues' })
    expect(payload?.headers).not.toHaveProperty('x-hub-signature-256')
    expect(JSON.parse(String(payload?.body))).toMatchObject({
      action: 'opened',
      issue: { number: 1347 },
    })
  })

  test('a secret in the environment signs the request', async () => {
    await send([hook, '--example', 'github.push'], { HOOKLINE_WEBHOOK_SECRET: 'hush' })
    const [payload] = arrived()
    const hex = createHmac('sha256', 'hush').update(String(payload?.body)).digest('hex')
    expect(payload?.headers['x-hub-signature-256']).toBe(`sha256=${hex}`)
  })

  test('a scheme is named as a sender is', async () => {
    await send([hook, '--data', 'x', '--sender', 'bearer'], { HOOKLINE_WEBHOOK_SECRET: 'hush' })
    expect(arrived()[0]?.headers.authorization).toBe('Bearer hush')
  })

  test('method, headers and a body of bytes may be given', async () => {
    await writeFile(join(folder, 'bytes'), Uint8Array.of(0, 255))
    const own = ['--method', 'put', '--header', 'A: 1', '--header', 'content-type: x/y']
    await send([hook, ...own, '--data', '@bytes'])
    const [payload] = arrived()
    expect(payload).toMatchObject({ method: 'PUT', headers: { a: '1', 'content-type': 'x/y' } })
    expect(Buffer.from(String(payload?.body), 'base64')).toEqual(Buffer.from([0, 255]))
  })

  test('a saved request goes to its own path', async () => {
    const saved = {
      method: 'PATCH',
      path: 'user/webhook/users/7?a=1',
      headers: { b: '2' },
      body: 'hi',
    }
    await writeFile(join(folder, 'saved.json'), JSON.stringify(saved))
    await send([`${relay.url}/octo/repo`, '--file', 'saved.json'])
    expect(arrived()).toMatchObject([{ ...saved, headers: { b: '2' } }])
  })

  test('the method is GET without a body', async () => {
    await send([hook])
    expect(arrived()).toMatchObject([{ method: 'GET', body: null }])
  })
})

describe('the response', () => {
  test('a rejected request is shown with its cure, and exits with 1', async () => {
    const { exitCode, stdout } = await send([hook, '--example', 'github.ping'], {
      HOOKLINE_GITHUB_TOKEN: '',
    })
    expect(exitCode).toBe(1)
    expect(stdout).toMatch(/^401 [\s\S]*X-Platform-Authorization/m)
  })

  test('--json prints status, code, delivery and time', async () => {
    platform.next({ status: 404 })
    const { exitCode, stdout } = await send([hook, '--data', 'x', '--json'])
    expect(exitCode).toBe(1)
    expect(JSON.parse(stdout)).toMatchObject({
      accepted: false,
      status: 403,
      code: 'repository_not_accessible',
      delivery: expect.stringMatching(/^[\w-]{36}$/),
      milliseconds: expect.any(Number),
    })
  })

  test('a refused connection is named without the token of the URL', async () => {
    const { exitCode, stderr } = await send(['http://127.0.0.1:9/webhook/w/t?__token=hidden'])
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/^error: 127\.0\.0\.1:9: .*ECONNREFUSED/)
    expect(stderr).not.toContain('hidden')
  })

  test('a redirect is not followed, so the token goes nowhere else', async () => {
    const elsewhere = await startGitHub()
    const answered = await startGitHub()
    answered.always({ status: 307, headers: { location: elsewhere.url } })
    const { exitCode, stdout } = await send(['x', '--relay', answered.url, '--data', 'x'])
    await elsewhere.close()
    await answered.close()
    expect(elsewhere.calls).toEqual([])
    expect(answered.calls[0]?.headers['x-platform-authorization']).toBe(TOKEN)
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: expect.stringMatching(/^307 /m) })
  })

  test('control characters of an answer do not reach the terminal', async () => {
    const rude = await startGitHub()
    rude.always({ status: 200, body: '\u001b[2J\u009b' })
    const { stdout } = await send([rude.url])
    await rude.close()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for these
    expect(stdout).not.toMatch(/[\u001b\u009b]/)
  })
})
