import { describe, expect, test } from '@jest/globals'
import { reportError } from '../../src/cli/terminal.ts'
import { readRelayConfig } from '../../src/relay/config.ts'
import { createCredentials, storedCredential } from '../../src/relay/github/credential.ts'
import type { Endpoint } from '../../src/relay/store/endpoint-settings.ts'
import { UsageError, UserError } from '../../src/wire/errors.ts'
import { Secret } from '../../src/wire/secret.ts'
import { APP_ID, PKCS1 } from '../support/github-app.ts'
import { send } from '../support/raw-http.ts'
import { TOKEN } from '../support/scene.ts'
import { startOnWorkerd } from '../support/workerd.ts'

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
  const endpoint: Endpoint = {
    ...{ owner: 'o', name: 'orders', created: 1, id: new Secret('x'.repeat(22)) },
    ...{ repository: 'o/r', workflow: 'hook', trigger: 'webhook' },
    ...{ dispatch: 'workflow', ref: 'v1', respond: 'github' },
  }
  const keyOf = ({ owner, name, created }: Endpoint) => ({ owner, name, created })

  test('of a token URL gives the same token again', async () => {
    const opened = await createCredentials({}).open(new Secret(TOKEN))
    const stored = JSON.parse(JSON.stringify(storedCredential(opened)))
    const again = await createCredentials({}).restore(stored)
    expect((await again.token(wanted))?.reveal()).toBe(TOKEN)
    expect(storedCredential(again)).toEqual(stored)
  })

  test.each([
    ["the relay's own", undefined, 'of the relay'],
    ['its token', new Secret(TOKEN), TOKEN],
  ])('of an endpoint is the one that the endpoint has now: %s', async (_, token, found) => {
    const now = { ...endpoint, ...(token && { token }) }
    const findEndpoint = async () => now
    const credentials = createCredentials({ githubCredential, findEndpoint })
    const opened = await credentials.ofEndpoint({ ...endpoint, token: new Secret('ghp_before') })
    const stored = storedCredential(opened)
    expect(stored).toEqual({ kind: 'endpoint', endpoint: keyOf(endpoint) })
    const again = await credentials.restore(stored)
    expect((await again.token(wanted))?.reveal()).toBe(found)
    expect(again.secrets.map((secret) => secret.reveal())).toContain('x'.repeat(22))
  })

  test('of a deleted endpoint is refused, and of a relay that has no credential any more', async () => {
    const stored = { kind: 'endpoint', endpoint: keyOf(endpoint) } as const
    const deleted = createCredentials({ githubCredential, findEndpoint: async () => undefined })
    await expect(deleted.restore(stored)).rejects.toMatchObject({ code: 'endpoint_deleted' })
    const without = createCredentials({ findEndpoint: async () => endpoint })
    await expect(without.restore(stored)).rejects.toMatchObject({ code: 'credential_revoked' })
  })
})

test('a relay with its own credential takes tokens of others only with allowsTokens', async () => {
  const githubCredential = { token: async () => undefined }
  const refused = createCredentials({ githubCredential }).open(new Secret(TOKEN))
  await expect(refused).rejects.toMatchObject({ status: 401, code: 'invalid_token' })
  const allowing = createCredentials({ githubCredential, allowsTokens: true })
  expect(await allowing.open(new Secret(TOKEN))).toMatchObject({ kind: 'token', isOwn: false })
})
