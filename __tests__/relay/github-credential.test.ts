import { describe, expect, test } from '@jest/globals'
import { reportError } from '../../src/cli/terminal.ts'
import { createCredentials, storedCredential } from '../../src/relay/credentials/credentials.ts'
import { readRelayConfig, weakKeyProblems } from '../../src/relay/relay-config.ts'
import { UsageError, UserError } from '../../src/wire/errors.ts'
import { Secret } from '../../src/wire/secret.ts'
import { APP_ID, PKCS1 } from '../support/github-app.ts'
import { send } from '../support/raw-http.ts'
import { TOKEN } from '../support/scene.ts'
import { startOnWorkerd } from '../support/workerd.ts'

const KEY = 'hlk_a-key-that-is-long-enough'
const APP = { HOOKLINE_APP_ID: APP_ID, HOOKLINE_APP_KEY: PKCS1 }
const HELD = { HOOKLINE_GITHUB_TOKEN: TOKEN }

describe('the credential of a relay', () => {
  test.each([
    ['nothing', {}],
    ['an App', APP],
    ['a token', HELD],
    ['a token, with tokens of others', { ...HELD, HOOKLINE_ALLOW_TOKENS: 'true' }],
  ])('%s', async (_, env) => {
    await expect(readRelayConfig(env)).resolves.toBeDefined()
  })

  test.each([
    ['a token and an App', { ...APP, ...HELD }, /HOOKLINE_GITHUB_TOKEN.*HOOKLINE_APP_ID/],
    ['the id of an App alone', { HOOKLINE_APP_ID: '1' }, /^HOOKLINE_APP_KEY/],
    ['the key of an App alone', { HOOKLINE_APP_KEY: PKCS1 }, /^HOOKLINE_APP_ID/],
    ['an id with a space', { ...APP, HOOKLINE_APP_ID: 'a b' }, /^HOOKLINE_APP_ID/],
    ['a key that is no PEM', { ...APP, HOOKLINE_APP_KEY: 'x' }, /^HOOKLINE_APP_KEY/],
    ['id and key interchanged', { ...APP, HOOKLINE_APP_ID: PKCS1 }, /^HOOKLINE_APP_ID/],
    ['an API without HTTP', { HOOKLINE_API_URL: 'ftp://x' }, /^HOOKLINE_API_URL/],
    [
      'a token in a URL',
      { HOOKLINE_API_URL: `https://bot:${TOKEN}@ghe.test` },
      /^HOOKLINE_API_URL/,
    ],
    ['an unknown word', { HOOKLINE_ALLOW_TOKENS: 'yes' }, /^HOOKLINE_ALLOW_TOKENS/],
    ['a token with a space', { HOOKLINE_GITHUB_TOKEN: ` ${TOKEN}` }, /^HOOKLINE_GITHUB_TOKEN/],
    ['no sealing keys', { HOOKLINE_SEALING_KEYS: '{}' }, /^HOOKLINE_SEALING_KEYS/],
  ])('not %s: the error names the setting, and no secret', async (_, env, message) => {
    const error: Error = await readRelayConfig(env).then(
      () => new Error('accepted'),
      (refused) => refused,
    )
    const [problem] = error instanceof UserError ? error.problems : []
    expect(`${error.message} ${problem?.hint}`).toMatch(message)
    for (const secret of [TOKEN, PKCS1.split('\n')[1]]) {
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

test('a token and an App: wrong usage, so exit 2', async () => {
  const env = HELD
  const error = await readRelayConfig({ ...APP, ...env }).catch((refused) => refused)
  expect(error).toBeInstanceOf(UsageError)
  expect(reportError(error)).toBe(2)
})

test('workerd writes faults of settings to the log, because nothing starts there', async () => {
  const relay = await startOnWorkerd({ env: { ...APP, HOOKLINE_APP_KEY: 'planted' } })
  const answer = await send(relay.url, { target: '/o/r/hook/webhook?__token=x' })
  expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([500, 'internal_error'])
  expect(answer.body).not.toContain('HOOKLINE_APP_KEY')
  while (relay.log.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  expect(relay.log.join()).toContain('HOOKLINE_APP_KEY')
  expect(relay.log.join()).not.toContain('planted')
  await relay.close()
})

describe('a credential that is stored', () => {
  const repository = { owner: 'o', name: 'r' }
  const wanted = { repository, event: 'repository_dispatch' } as const
  const githubCredential = { token: async () => new Secret('of the relay') }
  const scope = {
    repository: 'o/r',
    path: 'hook/webhook',
    dispatch: 'workflow',
    ref: 'v1',
  } as const
  const endpoint = { id: 'x'.repeat(22), name: 'orders', ...scope }

  test.each([
    ['a token', false, TOKEN, 'token'],
    ['the token of an endpoint', true, TOKEN, 'endpoint'],
    ['an endpoint', true, 'of the relay', 'endpoint'],
  ])(
    '%s gives the same token again, and no less is known of it',
    async (name, own, token, kind) => {
      const credentials = createCredentials(own ? { githubCredential } : {})
      const opened =
        kind === 'token'
          ? await credentials.open(new Secret(TOKEN))
          : await credentials.ofEndpoint(name === 'an endpoint' ? endpoint : { ...endpoint, token })
      const stored = JSON.parse(JSON.stringify(storedCredential(opened)))
      const again = await credentials.restore(stored)
      expect((await again.token(wanted))?.reveal()).toBe(token)
      expect(again).toMatchObject({ kind, ...(opened.scope && { id: 'orders', scope }) })
      expect(storedCredential(again)).toEqual(stored)
      expect(JSON.stringify(stored).includes('of the relay')).toBe(false)
    },
  )

  test('an endpoint of a relay that has no credential any more is refused', async () => {
    const opened = await createCredentials({ githubCredential }).ofEndpoint(endpoint)
    const restored = createCredentials({}).restore(storedCredential(opened))
    await expect(restored).rejects.toMatchObject({ code: 'credential_revoked' })
  })
})

test('a relay with its own credential takes tokens of others only with allowsTokens', async () => {
  const githubCredential = { token: async () => undefined }
  const refused = createCredentials({ githubCredential }).open(new Secret(TOKEN))
  await expect(refused).rejects.toMatchObject({ status: 401, code: 'invalid_token' })
  const allowing = createCredentials({ githubCredential, allowsTokens: true })
  expect(await allowing.open(new Secret(TOKEN))).toMatchObject({ kind: 'token', isOwn: false })
})

test.each([
  [{}, []],
  [{ HOOKLINE_ADMIN_KEY: KEY }, []],
  [{ HOOKLINE_ADMIN_KEY: 'admin' }, ['HOOKLINE_ADMIN_KEY']],
])('a warning names the setting of a short key, and not the key: %j', (env, names) => {
  const problems = weakKeyProblems(env)
  expect(problems.map(({ message }) => message.split(' ', 1)[0])).toEqual(names)
  expect(JSON.stringify(problems)).not.toMatch(/short|admin/)
})
