import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { generateSealingKey, openSealed } from '../../src/relay/credentials/sealing-key.ts'
import { startRelay } from '../../src/relay/http/node.ts'
import { readSealingKeys } from '../../src/relay/relay-config.ts'
import { type CommandResult, runCommand, runCommands, startCommand } from '../support/command.ts'
import { startGitHub } from '../support/github.ts'
import { send } from '../support/raw-http.ts'
import { TOKEN } from '../support/scene.ts'

/** The output of `hookline keys create sealing`. */
async function newKeys(): Promise<string> {
  return JSON.stringify({ keys: [(await generateSealingKey()).privateJwk] })
}

describe('hookline keys', () => {
  test('create sealing: a private key; with HOOKLINE_SEALING_KEYS set, before those it holds', async () => {
    const run = async (env: Record<string, string> = {}) =>
      (await runCommand('keys', { arguments: ['create', 'sealing'], env })).output
    const first = await run()
    const second = await run({ HOOKLINE_SEALING_KEYS: first })
    const [old] = JSON.parse(first).keys
    const { keys } = JSON.parse(second)
    expect(keys).toHaveLength(2)
    expect(keys[1]).toEqual(old)
    expect(keys[0].kid).not.toBe(old.kid)
  })

  test('public: the same keys without their private part', async () => {
    const env = { HOOKLINE_SEALING_KEYS: await newKeys() }
    const { output } = await runCommand('keys', { arguments: ['public'], env })
    expect(JSON.parse(output).keys).toEqual([
      {
        kty: 'EC',
        crv: 'P-256',
        x: expect.any(String),
        y: expect.any(String),
        kid: expect.any(String),
        alg: 'ECDH-ES',
        use: 'enc',
      },
    ])
  })

  test('create access: another key each time, long enough to be one', async () => {
    const run = { arguments: ['create', 'access'] }
    const [one, two] = await runCommands('keys', [run, run])
    expect(one?.output).toMatch(/^hlk_[\w-]{43}$/)
    expect(two?.output).toMatch(/^hlk_[\w-]{43}$/)
    expect(one?.output).not.toBe(two?.output)
  })
})

describe('hookline seal', () => {
  test('seals for a relay what that relay opens, the token from standard input', async () => {
    const github = await startGitHub()
    const env = { HOOKLINE_API_URL: github.url, HOOKLINE_SEALING_KEYS: await newKeys() }
    const relay = await startRelay({ host: '127.0.0.1', port: 0, env, write: () => {} })
    const scope = ['--repository', 'o/r', '--path', '/hook/webhook', '--expires', '1h']
    const { output, errors } = await runCommand('seal', {
      arguments: ['--relay', relay.url, ...scope],
      input: `${TOKEN}\n`,
    })
    expect(errors).toBe('')
    const ask = (path: string) => send(relay.url, { target: `${path}?__token=${output}` })
    expect((await ask('/o/r/hook/webhook')).status).toBe(200)
    expect((await ask('/o/r/hook/other')).status).toBe(401)
    expect(github.calls[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`)
    await relay.close()
    await github.close()
  })

  test('seals with a key from a file, the token from the environment, as JSON', async () => {
    const set = await newKeys()
    const file = join(await mkdtemp(join(tmpdir(), 'keys-')), 'public.json')
    const { output: published } = await runCommand('keys', {
      arguments: ['public'],
      env: { HOOKLINE_SEALING_KEYS: set },
    })
    await writeFile(file, published)
    const { output } = await runCommand('seal', {
      arguments: ['--relay-key', file, '--repository', 'o/r', '--json'],
      env: { HOOKLINE_GITHUB_TOKEN: TOKEN },
    })
    expect(JSON.parse(output)).toEqual({ sealed: expect.stringMatching(/^eyJ/), repository: 'o/r' })
  })

  test('seals with the public part of a private key', async () => {
    const set = await newKeys()
    const file = join(await mkdtemp(join(tmpdir(), 'keys-')), 'private.json')
    await writeFile(file, set)
    const { output } = await runCommand('seal', {
      arguments: ['--relay-key', file, '--repository', 'o/r'],
      env: { HOOKLINE_GITHUB_TOKEN: TOKEN },
    })
    expect(await openSealed(output, await readSealingKeys(set))).toMatchObject({ token: TOKEN })
  })

  test('seals any token, and warns of one that does not look like one of GitHub', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'keys-')), 'keys.json')
    await writeFile(file, await newKeys())
    const { code, output, errors } = await runCommand('seal', {
      arguments: ['--relay-key', file, '--repository', 'o/r'],
      input: '"planted"',
    })
    expect([code, output.slice(0, 3)]).toEqual([0, 'eyJ'])
    expect(errors).toContain('token')
    expect(errors).not.toContain('planted')
  })

  const BAD = [
    ['no token', ['--relay', 'http://127.0.0.1:1', '--repository', 'o/r'], '', 'ECONNREFUSED'],
    [
      'an unencrypted relay elsewhere',
      ['--relay', 'http://relay.test', '--repository', 'o/r'],
      TOKEN,
      'http://relay.test',
    ],
    ['no relay', ['--repository', 'o/r'], TOKEN, '--relay'],
    ['a bad repository', ['--relay', 'x', '--repository', 'o'], TOKEN, '"o"'],
    ['a bad duration', ['--relay', 'x', '--repository', 'o/r', '--expires', 'soon'], TOKEN, 'soon'],
  ] as const
  let results: readonly CommandResult[]
  beforeAll(async () => {
    const runs = BAD.map(([, args, input]) => ({ arguments: args, input }))
    results = await runCommands('seal', runs)
  })

  test.each(BAD.map(([name, , , message], index) => [name, message, index] as const))(
    '%s: an error that names it',
    (_, message, index) => {
      const { errors, output } = results[index] ?? { errors: '', output: '' }
      expect(errors).toContain(message)
      expect(`${errors}${output}`).not.toContain(TOKEN)
    },
  )
})

describe('hookline relay', () => {
  test('says where it listens, relays, and stops at SIGTERM', async () => {
    const github = await startGitHub()
    const env = { HOOKLINE_API_URL: github.url, PORT: '0' }
    const child = startCommand('relay', { env, arguments: ['--repository', 'o/r'] })
    if (!child.stdout) throw new Error('no output')
    const lines = createInterface(child.stdout)
    const [line] = await once(lines, 'line')
    expect(line).toMatch(/^hookline relay listening on http:\/\/127\.0\.0\.1:\d+$/)
    const url = String(line).split(' ').at(-1) ?? ''
    const answer = await send(url, { target: `/webhook/hook/webhook?__token=${TOKEN}` })
    expect(answer.status).toBe(200)
    const [logged] = await once(lines, 'line')
    expect(JSON.parse(logged)).toMatchObject({ owner: 'o', repo: 'r', status: 200 })
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
    await github.close()
  })

  const BAD: readonly (readonly [flag: string, value: string])[] = [
    ['--port', 'x'],
    ['--port', '65536'],
    ['--repository', 'o/..'],
    ['--repository', 'octo/repo.git'],
  ]
  let results: readonly CommandResult[]
  beforeAll(async () => {
    results = await runCommands(
      'relay',
      BAD.map((flags) => ({ arguments: ['--port', '0', ...flags] })),
    )
  })

  test.each(BAD.map((row, index) => [...row, index] as const))(
    '%s %s: an error that names the value',
    (_, value, index) => {
      expect(results[index]).toMatchObject({ code: 1, errors: expect.stringContaining(value) })
    },
  )
})
