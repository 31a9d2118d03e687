import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { openGrant } from '../../src/relay/credentials/grant.ts'
import { generateSealingKey, openSealed, sealToken } from '../../src/relay/credentials/seal.ts'
import { readSealingKeys, readSigningKeys } from '../../src/relay/relay-config.ts'
import { type CommandRun, runShared } from '../support/cli.ts'
import { DescribedRelay } from '../support/described-relay.ts'
import { TOKEN } from '../support/scene.ts'

async function hookline(args: readonly string[], run: CommandRun = {}) {
  const { exitCode, stdout, stderr } = await runShared(args, run)
  return { code: exitCode, output: stdout.trim(), errors: stderr }
}

async function signingKeys(env: Record<string, string> = {}): Promise<string> {
  return (await hookline(['keys', 'create', 'signing'], { env })).output
}

test('keys create signing prints a new key, followed by those of HOOKLINE_SIGNING_KEYS', async () => {
  const first = await signingKeys()
  const second = await signingKeys({ HOOKLINE_SIGNING_KEYS: first })
  const [old] = JSON.parse(first).keys
  const { keys } = JSON.parse(second)
  expect(old).toEqual({
    kty: 'oct',
    kid: expect.any(String),
    alg: 'HS256',
    use: 'sig',
    k: expect.stringMatching(/^[\w-]{43}$/),
  })
  expect(keys[1]).toEqual(old)
  expect(keys[0].kid).not.toBe(old.kid)
})

describe('hookline grant', () => {
  const SCOPE = ['--repository', 'o/r', '--path', '/hook/webhook', '--expires', '90d']
  const DIRECT = ['--dispatch', 'workflow', '--ref', 'main']

  test('signs the claims of its flags with the first key, and prints its id', async () => {
    const keys = await signingKeys({ HOOKLINE_SIGNING_KEYS: await signingKeys() })
    const { code, output, errors } = await hookline(['grant', ...SCOPE, ...DIRECT], {
      env: { HOOKLINE_SIGNING_KEYS: keys },
    })
    expect(code).toBe(0)
    const [first] = await readSigningKeys(keys)
    const grant = await openGrant(output, first ? [first] : [])
    const { id, exp } = grant
    expect(grant).toEqual({
      id,
      repository: 'o/r',
      path: 'hook/webhook',
      dispatch: 'workflow',
      ref: 'main',
      exp,
    })
    expect(Math.abs(Number(exp) - Date.now() / 1000 - 90 * 86_400)).toBeLessThan(600)
    expect(errors).toContain(id)
  })

  test('--json prints all claims; without --expires there is no end', async () => {
    const env = { HOOKLINE_SIGNING_KEYS: await signingKeys() }
    const asked = ['grant', '--repository', 'o/r', '--json']
    const { output, errors } = await hookline(asked, { env })
    expect(JSON.parse(output)).toEqual({
      grant: expect.stringMatching(/^eyJ/),
      id: expect.stringMatching(/^[\w-]{36}$/),
      repository: 'o/r',
    })
    expect(errors).toBe('')
  })

  test.each([
    ['no keys', [], {}, 'HOOKLINE_SIGNING_KEYS'],
    [
      'keys of another kind',
      [],
      { HOOKLINE_SIGNING_KEYS: '{"keys":[{"kty":"oct","k":"planted"}]}' },
      'HOOKLINE_SIGNING_KEYS',
    ],
    ['keys that are no JSON', [], { HOOKLINE_SIGNING_KEYS: 'planted' }, 'HOOKLINE_SIGNING_KEYS'],
    ['a file in the path', ['--path', 'hook.yml/webhook'], {}, 'hook/webhook'],
    ['an invalid duration', ['--expires', 'soon'], {}, '"soon"'],
    ['a ref without workflow_dispatch', ['--dispatch', 'repository', '--ref', 'x'], {}, '--ref'],
    ['an unknown mode', ['--dispatch', 'push'], {}, 'workflow'],
    ['an empty path', ['--path', ''], {}, '--path'],
    ['a path of slashes', ['--path', '//'], {}, '--path'],
    ['an empty ref', ['--ref', ''], {}, '--ref'],
    ['an empty duration', ['--expires', ''], {}, '--expires'],
  ])('%s is an error without a key in it', async (_, flags, env, words) => {
    const args = ['grant', '--repository', 'o/r', ...flags]
    const { code, output, errors } = await hookline(args, { env })
    expect([code === 0, output]).toEqual([false, ''])
    expect(errors).toContain(words)
    expect(errors).not.toContain('planted')
  })
})

describe('hookline seal', () => {
  const seal = async (flags: readonly string[]) => {
    const key = await generateSealingKey()
    const env = { HOOKLINE_SEALING_KEYS: JSON.stringify({ keys: [key.privateJwk] }) }
    const { output: published } = await hookline(['keys', 'public'], { env })
    const file = `${await mkdtemp(`${tmpdir()}/keys-`)}/public.json`
    await writeFile(file, published)
    const args = ['seal', '--relay-key', file, '--repository', 'o/r', ...flags]
    return { env, ...(await hookline(args, { input: TOKEN })) }
  }

  test('takes --dispatch and --ref', async () => {
    const scope = { dispatch: 'workflow', ref: 'v1' }
    const { env, output } = await seal(['--dispatch', scope.dispatch, '--ref', scope.ref])
    const opened = await openSealed(output, await readSealingKeys(env.HOOKLINE_SEALING_KEYS))
    expect(opened).toEqual({ token: TOKEN, repository: 'o/r', ...scope })
  })

  test.each(['--path', '--ref', '--expires'])('refuses an empty %s', async (flag) => {
    const { code, output, errors } = await seal([flag, ''])
    expect([code, output]).toEqual([1, ''])
    expect(errors).toContain(flag)
  })
})

describe('hookline url', () => {
  let relay: DescribedRelay
  let flags: readonly string[]
  beforeAll(async () => {
    relay = await new DescribedRelay().start()
    flags = ['hook.yml', '--relay', relay.url, '--repository', 'o/r']
  })
  afterAll(() => relay.stop())

  test('prints a URL with a grant for its own path', async () => {
    const keys = await signingKeys()
    const own = ['--trigger', 'slack', '--dispatch', 'workflow']
    const env = { HOOKLINE_SIGNING_KEYS: keys, HOOKLINE_CREDENTIAL: TOKEN }
    const { output } = await hookline(['url', ...flags, ...own], { env })
    const [, url = '', token = ''] = /^(http:\S+)\?__token=(\S+)$/m.exec(output) ?? []
    expect(url).toBe(`${relay.url}/o/r/hook/slack`)
    expect(await openGrant(token, await readSigningKeys(keys))).toEqual({
      id: expect.any(String),
      repository: 'o/r',
      path: 'hook/slack',
      dispatch: 'workflow',
    })
    expect(output).toContain(`-H 'X-Platform-Authorization: Bearer ${token}'`)
    expect(output).not.toContain(TOKEN)
  })

  test('prints a URL in which the shell fills in the sealed token', async () => {
    const { publicJwk } = await generateSealingKey()
    const text = await sealToken({ token: TOKEN, repository: 'o/r' }, publicJwk)
    const { output } = await hookline(['url', ...flags], { env: { HOOKLINE_CREDENTIAL: text } })
    expect(output).toContain(`${relay.url}/o/r/hook/webhook?__token=$HOOKLINE_CREDENTIAL`)
    expect(output).not.toContain(text)
  })

  test('--json prints the grant', async () => {
    const env = { HOOKLINE_SIGNING_KEYS: await signingKeys() }
    const { output } = await hookline(['url', ...flags, '--json'], { env })
    expect(JSON.parse(output).grant).toMatchObject({ repository: 'o/r', path: 'hook/webhook' })
  })

  test('without signing keys the sender sets a header, and --expires is refused', async () => {
    const plain = await hookline(['url', ...flags])
    expect(plain.output).toContain('X-Platform-Authorization: Bearer $HOOKLINE_CREDENTIAL')
    expect(plain.output).toContain(
      `hookline seal --relay '${relay.url}' --repository 'o/r' --path 'hook/webhook'`,
    )
    const narrowed = await hookline(['url', ...flags, '--expires', '1d'])
    expect(narrowed.errors).toContain('HOOKLINE_SIGNING_KEYS')
  })

  test.each(['--expires', '--ref'])('refuses an empty %s', async (flag) => {
    const env = { HOOKLINE_SIGNING_KEYS: await signingKeys() }
    const { code, output, errors } = await hookline(['url', ...flags, flag, ''], { env })
    expect([code, output]).toEqual([1, ''])
    expect(errors).toContain(flag)
  })
})
