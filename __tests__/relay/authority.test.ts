import { describe, expect, test } from '@jest/globals'
import { reportError } from '../../src/cli/terminal.ts'
import { readRelayConfig } from '../../src/relay/config.ts'
import { judgeCredentials, keepCredential } from '../../src/relay/credentials.ts'
import { newSignKey, signGrant } from '../../src/relay/grant.ts'
import { newSealKey, sealToken } from '../../src/relay/seal.ts'
import { UsageError } from '../../src/wire/errors.ts'
import { Secret } from '../../src/wire/secret.ts'
import { APP_ID, PKCS1 } from '../support/github-app.ts'
import { send } from '../support/raw-http.ts'
import { TOKEN } from '../support/scene.ts'
import { startOnWorkerd } from '../support/workerd.ts'

const KEY = 'hlk_a-key-that-is-long-enough'
const [signKey, sealKey] = [await newSignKey(), await newSealKey()]
const SIGN = { HOOKLINE_SIGN_KEYS: JSON.stringify({ keys: [signKey.jwk] }) }
const APP = { HOOKLINE_APP_ID: APP_ID, HOOKLINE_APP_KEY: PKCS1 }
const HELD = { HOOKLINE_TOKEN: TOKEN }

describe('what a relay may be set up with', () => {
  test.each([
    ['nothing', {}],
    ['an App and grants', { ...APP, ...SIGN }],
    ['a token and grants', { ...HELD, ...SIGN }],
    ['a token and keys', { ...HELD, HOOKLINE_KEYS: KEY }],
    ['a token, grants and keys', { ...HELD, ...SIGN, HOOKLINE_KEYS: KEY }],
    ['one signing key alone', { ...HELD, HOOKLINE_SIGN_KEYS: JSON.stringify(signKey.jwk) }],
  ])('%s', async (_, env) => {
    await expect(readRelayConfig(env)).resolves.toBeDefined()
  })

  const short = { ...signKey.jwk, k: 'c2hvcnQ' }
  test.each([
    ['a token beside an App', { ...APP, ...SIGN, ...HELD }, 'one authority'],
    ['keys beside an App', { ...APP, ...SIGN, HOOKLINE_KEYS: KEY }, 'HOOKLINE_KEYS is set beside'],
    ['an App without grants', APP, 'HOOKLINE_SIGN_KEYS is missing'],
    ['an id alone', { HOOKLINE_APP_ID: '1', ...SIGN }, 'HOOKLINE_APP_KEY is missing'],
    ['a key alone', { HOOKLINE_APP_KEY: PKCS1, ...SIGN }, 'HOOKLINE_APP_ID is missing'],
    ['an id that is none', { ...APP, ...SIGN, HOOKLINE_APP_ID: 'a b' }, 'not the id of an App'],
    ['a key that is none', { ...APP, ...SIGN, HOOKLINE_APP_KEY: 'x' }, 'holds no private key'],
    ['id and key interchanged', { ...APP, ...SIGN, HOOKLINE_APP_ID: PKCS1 }, 'APP_ID is not'],
    ['a token in an address', { HOOKLINE_API_URL: `https://bot:${TOKEN}@ghe.test` }, 'API_URL'],
    ['a token in place of a number', { HOOKLINE_BODY_MEMORY_MB: TOKEN }, 'BODY_MEMORY_MB'],
    ['grants without an authority', SIGN, 'HOOKLINE_TOKEN is missing'],
    ['keys without an authority', { HOOKLINE_KEYS: KEY }, 'HOOKLINE_TOKEN is missing'],
    ['a token alone', HELD, 'HOOKLINE_KEYS is missing'],
    ['no signing keys', { ...HELD, HOOKLINE_SIGN_KEYS: '{"keys":[]}' }, 'holds no signing keys'],
    [
      'a short key',
      { ...HELD, HOOKLINE_SIGN_KEYS: JSON.stringify(short) },
      'holds no signing keys',
    ],
    [
      'a public key',
      { ...HELD, HOOKLINE_SIGN_KEYS: JSON.stringify(sealKey.publicJwk) },
      'holds no signing keys',
    ],
  ])('not %s, and it says so without a secret', async (_, env, message) => {
    const error: Error = await readRelayConfig(env).then(
      () => new Error('accepted'),
      (refused) => refused,
    )
    expect(error.message).toContain(message)
    for (const secret of [TOKEN, KEY, PKCS1.split('\n')[1], String(signKey.jwk.k)]) {
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
    ['HOOKLINE_REPOSITORY', { HOOKLINE_REPOSITORY: 'a/..' }, undefined, 'HOOKLINE_REPOSITORY is'],
    ['a flag', { HOOKLINE_REPOSITORY }, 'repo', '"repo" is'],
    ['an empty flag', { HOOKLINE_REPOSITORY }, '', '"" is'],
  ])('%s that names none is refused', async (_, env, flag, message) => {
    await expect(readRelayConfig(env, flag)).rejects.toThrow(`${message} not a repository`)
  })
})

test.each([
  ['keys', { HOOKLINE_KEYS: KEY }],
  ['a token', HELD],
])('%s beside an App: wrong usage, so exit 2', async (_, env) => {
  const error = await readRelayConfig({ ...APP, ...SIGN, ...env }).catch((refused) => refused)
  expect(error).toBeInstanceOf(UsageError)
  expect(reportError(error)).toBe(2)
})

test('on workerd, where there is no start, settings that are wrong are told to the log alone', async () => {
  const relay = await startOnWorkerd({ env: { ...APP, ...SIGN, HOOKLINE_APP_KEY: 'planted' } })
  const answer = await send(relay.url, { target: '/o/r/hook/webhook?__token=x' })
  expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([500, 'internal_error'])
  expect(answer.body).not.toContain('HOOKLINE_APP_KEY')
  while (relay.log.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  expect(relay.log.join()).toContain('HOOKLINE_APP_KEY holds no private key')
  expect(relay.log.join()).not.toContain('planted')
  await relay.close()
})

const scope = { repository: 'o/r', event: 'workflow_dispatch', ref: 'v1' } as const
const soon = Math.floor(Date.now() / 1000) + 60
const SEALED = await sealToken({ token: TOKEN, ...scope }, sealKey.publicJwk)
const GRANT = await signGrant({ id: 'a', exp: soon, ...scope }, signKey)

describe('a credential that is kept', () => {
  const webhook = {
    repository: { owner: 'o', name: 'r' },
    path: 'hook/webhook',
    reserved: new Map(),
  }
  const wanted = { repository: webhook.repository, event: 'repository_dispatch' } as const
  const authority = { token: async () => new Secret('of the relay') }
  const judge = (own: boolean, revoked: readonly string[] = []) =>
    judgeCredentials({
      sealKeys: [sealKey],
      signKeys: [signKey],
      accessKeys: [new Secret(KEY)],
      revoked: new Set(revoked),
      now: () => new Date(),
      ...(own && { authority }),
    })

  test.each([
    ['a token', false, TOKEN, TOKEN],
    ['a sealed token', false, SEALED, TOKEN],
    ['a key', true, KEY, 'of the relay'],
    ['a grant', true, GRANT, 'of the relay'],
  ])('%s gives the same token again, and no less is known of it', async (_, own, text, token) => {
    const credentials = judge(own)
    const opened = await credentials.open(new Secret(text), webhook)
    const kept = JSON.parse(JSON.stringify(keepCredential(opened)))
    const again = await credentials.restore(kept)
    expect((await again.token(wanted))?.reveal()).toBe(token)
    expect(again).toMatchObject({ kind: opened.kind, ...(opened.scope && { scope: opened.scope }) })
    expect(keepCredential(again)).toEqual(kept)
    expect(JSON.stringify(kept).includes('of the relay')).toBe(false)
  })

  test('a grant that was revoked meanwhile is refused', async () => {
    const opened = await judge(true).open(new Secret(GRANT), webhook)
    const restored = judge(true, ['a']).restore(keepCredential(opened))
    await expect(restored).rejects.toMatchObject({ code: 'revoked' })
  })
})
