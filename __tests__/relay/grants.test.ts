import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { base64url, CompactEncrypt, CompactSign, importJWK } from 'jose'
import { type Grant, generateSigningKey, signGrant } from '../../src/relay/credentials/grant.ts'
import { generateSealingKey, sealToken } from '../../src/relay/credentials/seal.ts'
import {
  APP_ID,
  type AppPlatform,
  INSTALLED,
  PKCS1,
  startAppPlatform,
} from '../support/github-app.ts'
import { fc } from '../support/properties.ts'
import { type RawAnswer, type RawRequest, send } from '../support/raw-http.ts'
import { type RelayUnderTest, RUNTIMES } from '../support/relays.ts'
import { payloadOf, TOKEN } from '../support/scene.ts'

const START_TIMEOUT = 60_000

const HOOK = '/owner/repo/hook/webhook'
const [current, older, stranger] = [
  await generateSigningKey(),
  await generateSigningKey(),
  await generateSigningKey(),
]
const [sealingKey, strangersSealKey] = [await generateSealingKey(), await generateSealingKey()]
const REVOKED = 'leaked'
const FOREVER: Grant = { id: 'a', repository: 'owner/repo' }
const now = () => Math.floor(Date.now() / 1000)

const env = {
  HOOKLINE_SIGNING_KEYS: JSON.stringify({ keys: [current.jwk, older.jwk] }),
  HOOKLINE_SEALING_KEYS: JSON.stringify({ keys: [sealingKey.privateJwk] }),
  HOOKLINE_REVOKED_GRANTS: `other, ${REVOKED}`,
}
const APP = { HOOKLINE_APP_ID: APP_ID, HOOKLINE_APP_KEY: PKCS1 }

/** A response without the parts that vary between requests. */
const shown = ({ status, body, headers }: RawAnswer) =>
  `${status} ${body.replace(headers['x-hookline-delivery'] ?? '', 'id')}`

describe.each(RUNTIMES)('a relay with an App on %s', (_, start) => {
  let platform: AppPlatform
  let relay: RelayUnderTest
  beforeAll(async () => {
    platform = await startAppPlatform()
    relay = await start({ env: { HOOKLINE_API_URL: platform.url, ...env, ...APP } })
  }, START_TIMEOUT)
  afterEach(() => platform.reset())
  afterAll(async () => {
    await relay.close()
    await platform.close()
  })

  const sendWith = (token: string, request: Partial<RawRequest> = {}) =>
    send(relay.url, { target: HOOK, headers: [['X-Platform-Authorization', token]], ...request })
  const dispatched = () => platform.calls.filter(({ url }) => url.endsWith('/dispatches'))

  test.each([
    ['for the repository', FOREVER, HOOK],
    ['whatever its case', { ...FOREVER, repository: 'Owner/REPO' }, HOOK],
    ['for a workflow', { ...FOREVER, path: 'hook' }, HOOK],
    ['for the very path', { ...FOREVER, path: 'hook/webhook' }, `${HOOK}?a=1`],
    ['for the beginning of a path', { ...FOREVER, path: 'hook/webhook/' }, `${HOOK}/user`],
    ['for a while', { ...FOREVER, exp: now() + 3600 }, HOOK],
  ])('a grant %s is accepted, and GitHub sees a token of the App', async (_, grant, target) => {
    const answer = await sendWith(await signGrant(grant, current), { target })
    expect([answer.status, answer.body]).toEqual([200, '{"success":true}'])
    expect(dispatched()).toMatchObject([{ status: 204 }])
  })

  test('one signed with an older key is accepted', async () => {
    expect((await sendWith(await signGrant(FOREVER, older))).status).toBe(200)
  })

  test('it may be in the query, in a header or in the body, and is not forwarded in path or headers', async () => {
    const grant = await signGrant(FOREVER, current)
    const headers = [['Referer', `https://h.test/?__token=${grant}`]] as const
    const target = `${HOOK}?__token=${grant}&copy=${grant}`
    const body = `{"callbackURL":"https://h.test${HOOK}?__token=${grant}"}`
    expect((await send(relay.url, { method: 'POST', target, headers, body })).status).toBe(200)
    const payload = payloadOf(JSON.stringify(dispatched()[0]?.body))
    expect(JSON.stringify([payload.path, payload.headers])).not.toContain(grant)
    expect(payload.body).toBe(body)
  })

  test('a sealed token works with the token inside, without the App', async () => {
    const token = await sealToken({ token: TOKEN, repository: 'owner/repo' }, sealingKey.publicJwk)
    platform.next.push({ status: 204 })
    expect((await sendWith(token)).status).toBe(200)
    expect(platform.calls).toHaveLength(1)
  })

  test('a remembered token that GitHub calls 401 is made anew, once', async () => {
    const grant = await signGrant(FOREVER, current)
    await sendWith(grant)
    platform.revokeTokens()
    platform.calls.length = 0
    expect((await sendWith(grant)).status).toBe(200)
    expect(platform.calls.map(({ url, status }) => [url.split('/').at(-1), status])).toEqual([
      ['dispatches', 401],
      ['access_tokens', 201],
      ['dispatches', 204],
    ])
  })

  test('one for workflow_dispatch starts the one workflow, by a token that cannot push code', async () => {
    platform.installations = [{ ...INSTALLED, id: 9, permissions: { actions: 'write' } }]
    const direct = { dispatch: 'workflow', ref: 'v1' } as const
    const grant = await signGrant({ ...FOREVER, ...direct }, current)
    const cold = await start({ env: { HOOKLINE_API_URL: platform.url, ...env, ...APP } })
    const headers = [['X-Platform-Authorization', grant]] as const
    expect((await send(cold.url, { target: HOOK, headers })).status).toBe(200)
    await cold.close()
    const [, minted, started] = platform.calls
    expect(minted?.body).toEqual({ repositories: ['repo'], permissions: { actions: 'write' } })
    expect(started).toMatchObject({
      url: '/repos/owner/repo/actions/workflows/hook.yml/dispatches',
      body: { ref: 'v1' },
    })
  })

  test('a plain token of GitHub is 401', async () => {
    expect((await sendWith(TOKEN)).status).toBe(401)
    expect(platform.calls).toEqual([])
  })

  test('the 401 comes before the body is read', async () => {
    const answer = await send(relay.url, {
      method: 'POST',
      target: HOOK,
      headers: [
        ['X-Platform-Authorization', 'made-up'],
        ['Content-Length', '200000'],
      ],
    })
    expect(answer.status).toBe(401)
  })

  test('the 401 is the same for every fault, and nothing reaches GitHub', async () => {
    const good = await signGrant(FOREVER, current)
    const [header = '', payload = '', signature = ''] = good.split('.')
    const bad = new Map([
      ['another repository', await signGrant({ ...FOREVER, repository: 'owner/other' }, current)],
      ['another owner', await signGrant({ ...FOREVER, repository: 'other/repo' }, current)],
      ['another path', await signGrant({ ...FOREVER, path: 'hook/webhook2' }, current)],
      ['half a segment', await signGrant({ ...FOREVER, path: 'hook/web' }, current)],
      ['a deeper path', await signGrant({ ...FOREVER, path: 'hook/webhook/deeper' }, current)],
      ['an empty path', await signGrant({ ...FOREVER, path: '' }, current)],
      ['expired', await signGrant({ ...FOREVER, exp: now() - 1 }, current)],
      ['revoked', await signGrant({ ...FOREVER, id: REVOKED }, current)],
      ['a stranger’s key', await signGrant(FOREVER, stranger)],
      [
        'a stranger’s key under our name',
        await signGrant(FOREVER, { ...stranger, id: current.id }),
      ],
      ['alg none', `${part({ alg: 'none', kid: current.id })}.${payload}.`],
      ['alg none, signed', `${part({ alg: 'none', kid: current.id })}.${payload}.${signature}`],
      ['no key named', `${part({ alg: 'HS256' })}.${payload}.${signature}`],
      ['the public seal key as a secret', await withPublicKey()],
      ['another hash', await withHash('HS512')],
      ['the same bytes, written otherwise', respelled(good)],
      ['a sealed token, written otherwise', respelled(await sealed(TOKEN))],
      ['no id', await signText('{"repository":"owner/repo"}')],
      ['no repository', await signText('{"id":"a"}')],
      [
        'an unknown dispatch mode',
        await signText('{"id":"a","repository":"owner/repo","dispatch":"push"}'),
      ],
      ['a ref that is none', await signText('{"id":"a","repository":"owner/repo","ref":1}')],
      ['an expiry that is none', await signText('{"id":"a","repository":"owner/repo","exp":"9"}')],
      ['a list', await signText('[]')],
      ['no JSON', await signText('nothing')],
      ['another payload', `${header}.${part({ ...FOREVER, repository: 'owner/x' })}.${signature}`],
      ['the signature alone', `..${signature}`],
      ['sealed by a stranger for another key', await sealedFor(strangersSealKey)],
      ['a grant, sealed', await sealed(good)],
      ['a sealed grant’s claims', await sealedClaims()],
      ['a token', TOKEN],
      ['a key that is none', 'hlk_nothing'],
    ])
    const answers = new Map<string, string>()
    for (const [name, token] of bad) {
      // A value that anyone sealed for the relay's own key reaches GitHub, which rejects it.
      answers.set(name, shown(await sendWith(token)))
    }
    expect([...new Set(answers.values())]).toEqual([
      expect.stringMatching(/^401 .*"invalid_token"/),
    ])
    expect(platform.calls.filter(({ status }) => status !== 401)).toEqual([])
  })

  test('any of 100 changes to a good grant is the same 401', async () => {
    const good = await signGrant({ ...FOREVER, path: 'hook/webhook' }, current)
    const expected = shown(await sendWith('hlk_nothing'))
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.'
    const changed = fc
      .tuple(
        fc.nat(good.length - 1),
        fc.constantFrom(...alphabet),
        fc.constantFrom('set', 'add', 'cut'),
      )
      .map(([at, char, change]) => {
        if (change === 'cut') return good.slice(0, at) + good.slice(at + 1)
        return good.slice(0, at) + char + good.slice(change === 'set' ? at + 1 : at)
      })
      .filter((text) => text !== good && text !== '')
    const property = fc.asyncProperty(changed, async (text) => {
      expect(shown(await sendWith(text))).toBe(expected)
    })
    expect((await sendWith(good)).status).toBe(200)
    platform.calls.length = 0
    await fc.assert(property, { numRuns: 100 })
    expect(platform.calls).toEqual([])
  })

  test('100 grants with a signature of another key are the same 401, whatever they claim', async () => {
    const expected = shown(await sendWith('hlk_nothing'))
    const claims = fc.record(
      {
        id: fc.constantFrom('a', REVOKED, ''),
        repository: fc.constantFrom('owner/repo', 'owner/other'),
        path: fc.constantFrom('', 'hook', 'hook/webhook'),
        dispatch: fc.constantFrom('repository', 'workflow'),
        exp: fc.constantFrom(0, 1e15, -1),
      },
      { requiredKeys: [] },
    )
    const head = fc.record({
      alg: fc.constantFrom('HS256', 'none', 'RS256', 'ES256', 'HS384', 'dir', ''),
      kid: fc.constantFrom(current.id, older.id, stranger.id, sealingKey.id, '__proto__'),
    })
    const property = fc.asyncProperty(claims, head, async (content, header) => {
      const mac = await signText(JSON.stringify(content), stranger)
      const token = `${part(header)}.${part(content)}.${mac.split('.')[2]}`
      expect(shown(await sendWith(token))).toBe(expected)
    })
    await fc.assert(property, { numRuns: 100 })
    expect(platform.calls).toEqual([])
  })
})

describe.each(RUNTIMES)('a relay that holds a token, on %s', (_, start) => {
  test('takes grants and access keys', async () => {
    const platform = await startAppPlatform()
    const KEY = 'hlk_a-key-that-is-long-enough'
    const held = {
      HOOKLINE_API_URL: platform.url,
      HOOKLINE_GITHUB_TOKEN: TOKEN,
      HOOKLINE_ACCESS_KEYS: KEY,
    }
    const relay = await start({ env: { ...held, ...env } })
    platform.next.push({ status: 204 }, { status: 204 })
    const tokens = [KEY, await signGrant(FOREVER, current), TOKEN]
    const answers = tokens.map((token) =>
      send(relay.url, { target: HOOK, headers: [['X-Platform-Authorization', token]] }),
    )
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 401])
    await relay.close()
    await platform.close()
  })
})

function part(content: object): string {
  return base64url.encode(JSON.stringify(content))
}

/**
 * Base64url leaves bits of the last character unused, so another character can represent the same
 * bytes.
 */
function respelled(text: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return text.slice(0, -1) + alphabet[alphabet.indexOf(text.at(-1) ?? '') + 1]
}

async function signText(text: string, key = current): Promise<string> {
  const jws = new CompactSign(new TextEncoder().encode(text))
  return jws.setProtectedHeader({ alg: 'HS256', kid: current.id }).sign(key.key)
}

/** Key confusion: a public key used as if it were the secret. */
async function withPublicKey(): Promise<string> {
  const secret = new TextEncoder().encode(JSON.stringify(sealingKey.publicJwk))
  const jws = new CompactSign(new TextEncoder().encode(JSON.stringify(FOREVER)))
  return jws.setProtectedHeader({ alg: 'HS256', kid: sealingKey.id }).sign(secret)
}

async function withHash(alg: string): Promise<string> {
  const secret = base64url.decode(`${current.jwk.k}${'A'.repeat(43)}`)
  const jws = new CompactSign(new TextEncoder().encode(JSON.stringify(FOREVER)))
  return jws.setProtectedHeader({ alg, kid: current.id }).sign(secret)
}

const sealedFor = (key: typeof sealingKey) =>
  sealToken({ token: TOKEN, repository: 'owner/repo' }, key.publicJwk)

const sealed = (token: string) =>
  sealToken({ token, repository: 'owner/repo' }, sealingKey.publicJwk)

async function sealedClaims(): Promise<string> {
  const key = await importJWK(sealingKey.publicJwk, 'ECDH-ES')
  const text = JSON.stringify({ id: 'a', repository: 'owner/repo' })
  return new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: sealingKey.id })
    .encrypt(key)
}
