import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect } from '@jest/globals'
import { startBuiltRelay } from '../support/built-relay.ts'
import { CLI_BUNDLE, RunningCommand } from '../support/cli.ts'
import { listed, operate } from '../support/deliveries.ts'
import { type GitHub, startGitHub } from '../support/github.ts'
import { createEndpoint } from '../support/large-bodies.ts'
import { NODE24, testOnNode24 } from '../support/node24.ts'
import { send } from '../support/raw-http.ts'
import { bearerOf, RELAY_KEY, relayKeys } from '../support/relay-keys.ts'
import { until } from '../support/until.ts'

let home: string
let data: string
let github: GitHub
const started: RunningCommand[] = []
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'relay-data-'))
  data = join(home, 'hookline')
  github = await startGitHub()
})
afterEach(async () => {
  for (const command of started.splice(0)) await command.stop()
  await github.close()
  await rm(home, { recursive: true })
})

/** Runs `hookline` with these arguments, and a state folder of its own. */
function hookline(args: readonly string[], env: Record<string, string> = {}): RunningCommand {
  const command = new RunningCommand(args, {
    env: {
      NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
      ...{ XDG_STATE_HOME: home, HOOKLINE_API_URL: github.url },
      ...env,
    },
    as: (given) => [NODE24 ?? '', CLI_BUNDLE, ...given],
  })
  started.push(command)
  return command
}

async function output(args: readonly string[], env: Record<string, string> = {}) {
  const command = hookline(args, env)
  const code = await command.ended()
  return { code, stdout: command.stdout.trim(), stderr: command.stderr }
}

testOnNode24(
  'hookline relay without any setting creates folder and key, and says what is next',
  async () => {
    const relay = hookline(['relay', '--port', '0'])
    const [, url = ''] = await relay.printed(/(http:\/\/\S+)/)
    await relay.printed(/next: hookline endpoint create/)
    expect(relay.stdout).toContain(`data folder: ${data}\n`)
    expect(relay.stdout).toContain(`created the relay key: ${join(data, 'relay.key')}\n`)
    expect((await stat(data)).mode & 0o777).toBe(0o700)
    expect((await stat(join(data, 'relay.key'))).mode & 0o777).toBe(0o600)
    const key = (await readFile(join(data, 'relay.key'), 'utf8')).trim()
    const bearer = (await output(['relay', 'key'])).stdout
    expect(bearer).toBe(await bearerOf(key))
    const read = (await output(['relay', 'key', '--read'])).stdout
    for (const secret of [key, bearer, read])
      expect(relay.stdout + relay.stderr).not.toContain(secret)
    expect((await operate({ url }, 'GET', '/-admin/status', read)).status).toBe(200)
    expect((await operate({ url }, 'GET', '/-admin/endpoints', read)).status).toBe(403)
    const copy = join(home, 'copy.db')
    expect((await output(['relay', 'backup', copy])).stdout).toContain(copy)
    expect((await readFile(copy, 'latin1')).slice(0, 15)).toBe('SQLite format 3')
    await relay.stop()
    expect((await readdir(data)).includes('relay.address')).toBe(false)
    const stopped = await output(['relay', 'backup', `${copy}.2`])
    expect([stopped.code, stopped.stderr]).toEqual([1, expect.stringContaining('is not running')])
  },
)

testOnNode24(
  'rotate-key puts a key in front; the next start encrypts all rows with it',
  async () => {
    const settings = {
      HOOKLINE_API_URL: github.url,
      HOOKLINE_GITHUB_TOKEN: 'ghp_own-token-of-relay',
    }
    const first = await startBuiltRelay({ folder: data, settings })
    const old = (await readFile(join(data, 'relay.key'), 'utf8')).trim()
    const bearer = await bearerOf(old)
    const body = '{"name":"a","repository":"o/r","workflow":"hook","trigger":"webhook"}'
    const authorization = `Bearer ${bearer}`
    const made = await fetch(`${first.url}/-admin/endpoints`, {
      ...{ method: 'POST', headers: { authorization }, body },
    })
    const { url: path }: { url: string } = JSON.parse(await made.text())
    github.always({ status: 503 })
    expect((await fetch(first.url + path, { method: 'POST', body: 'waits' })).status).toBe(202)
    await first.stop()
    const rotated = await output(['relay', 'rotate-key', '--data', data])
    expect(rotated.stdout).toContain('has 2 keys now')
    const keys = (await readFile(join(data, 'relay.key'), 'utf8')).trim()
    expect(keys.split(',')[1]).toBe(old)
    const second = await startBuiltRelay({ folder: data, settings })
    const status = await operate(second, 'GET', '/-admin/status', await bearerOf(keys))
    expect(Object.values(JSON.parse(status.body).keys)).toEqual([2, 0])
    expect((await operate(second, 'GET', '/-admin/status', bearer)).status).toBe(401)
    await second.stop()
    // The old key is not needed any more; another key is refused, and changes nothing.
    await writeFile(join(data, 'relay.key'), keys.split(',')[0] ?? '')
    const foreign = await output(['relay', '--port', '0', '--data', data], {
      HOOKLINE_RELAY_KEY: relayKeys(),
    })
    expect(foreign.code).toBe(1)
    expect(foreign.stderr).toContain('the relay key in HOOKLINE_RELAY_KEY does not decrypt')
    github.reset()
    const third = await startBuiltRelay({ folder: data, settings })
    await until(() => github.calls.length > 0)
    expect((await fetch(third.url + path, { method: 'POST', body: 'again' })).status).toBe(200)
    await third.stop()
  },
)

testOnNode24(
  'a stateless relay creates nothing, and has no endpoints and no admin API',
  async () => {
    const relay = hookline(['relay', '--port', '0', '--stateless'])
    const [, url = ''] = await relay.printed(/(http:\/\/\S+)/)
    for (const target of ['/-admin/status', '/-/octo/aaaaaaaaaaaaaaaaaaaaaa']) {
      const answer = await send(url, { target, headers: [['Authorization', 'Bearer x']] })
      expect([target, answer.status]).toEqual([target, 404])
    }
    expect(await readdir(home)).toEqual([])
    const both = await output(['relay', '--stateless', '--data', data])
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('--stateless')])
  },
)

testOnNode24(
  'an endpoint stores first if it is asked to, and starts what its URL names',
  async () => {
    const settings = {
      HOOKLINE_API_URL: github.url,
      HOOKLINE_GITHUB_TOKEN: 'ghp_own-token-of-relay',
      HOOKLINE_RELAY_KEY: RELAY_KEY,
    }
    const relay = await startBuiltRelay({ folder: data, settings })
    const storing = await createEndpoint(relay, { repository: 'o/r', respond: 'stored' })
    const stored = await send(relay.url, { method: 'POST', target: storing, body: '1' })
    expect([stored.status, stored.headers['x-hookline-reason']]).toEqual([202, 'stored'])
    await until(() => github.calls.length === 1)
    const any = { repository: 'o/r', workflow: null, trigger: null, anyWorkflow: true }
    const every = await createEndpoint(relay, any)
    const target = `${every}/deploy/webhook/x?y=1`
    expect((await send(relay.url, { method: 'POST', target, body: '2' })).status).toBe(200)
    expect(JSON.parse(github.calls[1]?.body ?? '').client_payload.path).toBe('deploy/webhook/x?y=1')
    expect((await send(relay.url, { method: 'POST', target: every, body: '3' })).status).toBe(400)
    await until(async () => (await listed(relay)).waiting.length === 0)
    await relay.stop()
  },
)
