import { describe, expect, test } from '@jest/globals'
import { reportError } from '../../src/cli/terminal.ts'
import { createCredentials, storedCredential } from '../../src/relay/credentials/credentials.ts'
import { generateSigningKey, signGrant } from '../../src/relay/credentials/grant.ts'
import { generateSealingKey, sealToken } from '../../src/relay/credentials/sealing-key.ts'
import { readRelayConfig, weakKeyProblems } from '../../src/relay/relay-config.ts'
import { UsageError, UserError } from '../../src/wire/errors.ts'
import { Secret } from '../../src/wire/secret.ts'
import { APP_ID, PKCS1 } from '../support/github-app.ts'
import { send } from '../support/raw-http.ts'
import { TOKEN } from '../support/scene.ts'
import { startOnWorkerd } from '../support/workerd.ts'

const KEY = 'hlk_a-key-that-is-long-enough'
const [signingKey, sealingKey] = [await generateSigningKey(), await generateSealingKey()]
const SIGN = { HOOKLINE_SIGNING_KEYS: JSON.stringify({ keys: [signingKey.jwk] }) }
const APP = { HOOKLINE_APP_ID: APP_ID, HOOKLINE_APP_KEY: PKCS1 }
const HELD = { HOOKLINE_GITHUB_TOKEN: TOKEN }

describe('the credential of a relay', () => {
  test.each([
    ['nothing', {}],
    ['an App and grants', { ...APP, ...SIGN }],
    ['a token and grants', { ...HELD, ...SIGN }],
    ['a token and keys', { ...HELD, HOOKLINE_ACCESS_KEYS: KEY }],
    ['a token, grants and keys', { ...HELD, ...SIGN, HOOKLINE_ACCESS_KEYS: KEY }],
    ['one signing key alone', { ...HELD, HOOKLINE_SIGNING_KEYS: JSON.stringify(signingKey.jwk) }],
  ])('%s', async (_, env) => {
    await expect(readRelayConfig(env)).resolves.toBeDefined()
  })

  const short = { ...signingKey.jwk, k: 'c2hvcnQ' }
  test.each([
    ['a token and an App', { ...APP, ...SIGN, ...HELD }, /HOOKLINE_GITHUB_TOKEN.*HOOKLINE_APP_ID/],
    [
      'keys and an App',
      { ...APP, ...SIGN, HOOKLINE_ACCESS_KEYS: KEY },
      /HOOKLINE_ACCESS_KEYS.*HOOKLINE_APP_ID/,
    ],
    ['an App without grants', APP, /^HOOKLINE_SIGNING_KEYS/],
    ['the id of an App alone', { HOOKLINE_APP_ID: '1', ...SIGN }, /^HOOKLINE_APP_KEY/],
    ['the key of an App alone', { HOOKLINE_APP_KEY: PKCS1, ...SIGN }, /^HOOKLINE_APP_ID/],
    ['an id with a space', { ...APP, ...SIGN, HOOKLINE_APP_ID: 'a b' }, /^HOOKLINE_APP_ID/],
    ['a key that is no PEM', { ...APP, ...SIGN, HOOKLINE_APP_KEY: 'x' }, /^HOOKLINE_APP_KEY/],
    ['id and key interchanged', { ...APP, ...SIGN, HOOKLINE_APP_ID: PKCS1 }, /^HOOKLINE_APP_ID/],
    ['an API without HTTP', { HOOKLINE_API_URL: 'ftp://x' }, /^HOOKLINE_API_URL/],
    [
      'a token in a URL',
      { HOOKLINE_API_URL: `https://bot:${TOKEN}@ghe.test` },
      /^HOOKLINE_API_URL/,
    ],
    [
      'a token as a number',
      { HOOKLINE_TEST_MAX_BODY_MEMORY_MB: TOKEN },
      /^HOOKLINE_TEST_MAX_BODY_MEMORY_MB/,
    ],
    [
      'a unit after a number',
      { HOOKLINE_TEST_GITHUB_TIMEOUT_MS: '8s' },
      /^HOOKLINE_TEST_GITHUB_TIMEOUT_MS/,
    ],
    ['grants without a token or an App', SIGN, /HOOKLINE_GITHUB_TOKEN.*HOOKLINE_APP_ID/],
    ['keys without a token', { HOOKLINE_ACCESS_KEYS: KEY }, /HOOKLINE_GITHUB_TOKEN/],
    ['a token alone', HELD, /HOOKLINE_ACCESS_KEYS.*HOOKLINE_SIGNING_KEYS/],
    [
      'a token with a space',
      { HOOKLINE_GITHUB_TOKEN: ` ${TOKEN}`, HOOKLINE_ACCESS_KEYS: KEY },
      /^HOOKLINE_GITHUB_TOKEN/,
    ],
    ['an empty list of keys', { ...HELD, HOOKLINE_ACCESS_KEYS: ' , ' }, /^HOOKLINE_ACCESS_KEYS/],
    ['no sealing keys', { HOOKLINE_SEALING_KEYS: '{}' }, /^HOOKLINE_SEALING_KEYS/],
    [
      'no signing keys',
      { ...HELD, HOOKLINE_SIGNING_KEYS: '{"keys":[]}' },
      /^HOOKLINE_SIGNING_KEYS/,
    ],
    [
      'a short key',
      { ...HELD, HOOKLINE_SIGNING_KEYS: JSON.stringify(short) },
      /^HOOKLINE_SIGNING_KEYS/,
    ],
    [
      'a public key',
      { ...HELD, HOOKLINE_SIGNING_KEYS: JSON.stringify(sealingKey.publicJwk) },
      /^HOOKLINE_SIGNING_KEYS/,
    ],
  ])('not %s: the error names the setting, and no secret', async (_, env, message) => {
    const error: Error = await readRelayConfig(env).then(
      () => new Error('accepted'),
      (refused) => refused,
    )
    const [problem] = error instanceof UserError ? error.problems : []
    expect(`${error.message} ${problem?.hint}`).toMatch(message)
    for (const secret of [TOKEN, KEY, PKCS1.split('\n')[1], String(signingKey.jwk.k)]) {
      expect(error.message).not.toContain(secret)
    }
  })
})

describe('the one repository that a relay serves', () => {
  const HOOKLINE_REPOSITORY = 'octo/repo'
  const octo = { owner: 'octo', name: 'repo' }
  test.each([
    ['HOOKLINE_REPOSITORY', { HOOKLINE_REPOSITORY }, undefined, octo],
    ['the flag', {}, 'octo/repo', octo],
    ['the flag, where both are set', { HOOKLINE_REPOSITORY: 'a/b' }, 'octo/repo', octo],
    ['nothing, where it is empty', { HOOKLINE_REPOSITORY: '' }, undefined, undefined],
  ])('is named by %s', async (_, env, flag, repository) => {
    expect((await readRelayConfig(env, flag)).repository).toEqual(repository)
  })

  test.each([
    ['HOOKLINE_REPOSITORY', { HOOKLINE_REPOSITORY: 'a/..' }, undefined, 'HOOKLINE_REPOSITORY'],
    ['a flag', { HOOKLINE_REPOSITORY }, 'repo', '"repo"'],
    ['an empty flag', { HOOKLINE_REPOSITORY }, '', '""'],
  ])('%s that names none is refused', async (_, env, flag, named) => {
    await expect(readRelayConfig(env, flag)).rejects.toThrow(named)
  })
})

test.each([
  ['keys', { HOOKLINE_ACCESS_KEYS: KEY }],
  ['a token', HELD],
])('%s and an App: wrong usage, so exit 2', async (_, env) => {
  const error = await readRelayConfig({ ...APP, ...SIGN, ...env }).catch((refused) => refused)
  expect(error).toBeInstanceOf(UsageError)
  expect(reportError(error)).toBe(2)
})

test('workerd writes faults of settings to the log, because nothing starts there', async () => {
  const relay = await startOnWorkerd({ env: { ...APP, ...SIGN, HOOKLINE_APP_KEY: 'planted' } })
  const answer = await send(relay.url, { target: '/o/r/hook/webhook?__token=x' })
  expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([500, 'internal_error'])
  expect(answer.body).not.toContain('HOOKLINE_APP_KEY')
  while (relay.log.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  expect(relay.log.join()).toContain('HOOKLINE_APP_KEY')
  expect(relay.log.join()).not.toContain('planted')
  await relay.close()
})

const scope = { repository: 'o/r', dispatch: 'workflow', ref: 'v1' } as const
const soon = Math.floor(Date.now() / 1000) + 60
const SEALED = await sealToken({ token: TOKEN, ...scope }, sealingKey.publicJwk)
const GRANT = await signGrant({ id: 'a', exp: soon, ...scope }, signingKey)

describe('a credential that is kept', () => {
  const webhook = {
    repository: { owner: 'o', name: 'r' },
    path: 'hook/webhook',
    reserved: new Map(),
  }
  const wanted = { repository: webhook.repository, event: 'repository_dispatch' } as const
  const githubCredential = { token: async () => new Secret('of the relay') }
  const judge = (own: boolean, revoked: readonly string[] = []) =>
    createCredentials({
      sealingKeys: [sealingKey],
      signingKeys: [signingKey],
      accessKeys: [new Secret(KEY)],
      revoked: new Set(revoked),
      now: () => new Date(),
      ...(own && { githubCredential }),
    })

  test.each([
    ['a token', false, TOKEN, TOKEN],
    ['a sealed token', false, SEALED, TOKEN],
    ['a key', true, KEY, 'of the relay'],
    ['a grant', true, GRANT, 'of the relay'],
  ])('%s gives the same token again, and no less is known of it', async (_, own, text, token) => {
    const credentials = judge(own)
    const opened = await credentials.open(new Secret(text), webhook)
    const kept = JSON.parse(JSON.stringify(storedCredential(opened)))
    const again = await credentials.restore(kept)
    expect((await again.token(wanted))?.reveal()).toBe(token)
    expect(again).toMatchObject({ kind: opened.kind, ...(opened.scope && { scope: opened.scope }) })
    expect(storedCredential(again)).toEqual(kept)
    expect(JSON.stringify(kept).includes('of the relay')).toBe(false)
  })

  test('a grant that was revoked meanwhile is refused', async () => {
    const opened = await judge(true).open(new Secret(GRANT), webhook)
    const restored = judge(true, ['a']).restore(storedCredential(opened))
    await expect(restored).rejects.toMatchObject({ code: 'revoked' })
  })
})

test.each([
  [{}, []],
  [{ HOOKLINE_ACCESS_KEYS: KEY, HOOKLINE_ADMIN_KEY: KEY }, []],
  [{ HOOKLINE_ACCESS_KEYS: `${KEY},short` }, ['HOOKLINE_ACCESS_KEYS']],
  [{ HOOKLINE_ACCESS_KEYS: KEY, HOOKLINE_ADMIN_KEY: 'admin' }, ['HOOKLINE_ADMIN_KEY']],
  [
    { HOOKLINE_ACCESS_KEYS: 'a', HOOKLINE_ADMIN_KEY: 'b' },
    ['HOOKLINE_ACCESS_KEYS', 'HOOKLINE_ADMIN_KEY'],
  ],
])('a warning names the setting of a short key, and not the key: %j', (env, names) => {
  const problems = weakKeyProblems(env)
  expect(problems.map(({ message }) => message.split(' ', 1)[0])).toEqual(names)
  expect(JSON.stringify(problems)).not.toMatch(/short|admin/)
})
