import { describe, expect, test } from '@jest/globals'
import { CompactEncrypt, importJWK } from 'jose'
import {
  generateSealingKey,
  type Sealed,
  type SealingKey,
  sealToken,
} from '../../src/relay/credentials/seal.ts'
import { send } from '../support/raw-http.ts'
import { RUNTIMES } from '../support/relays.ts'
import { type Scene, scene, TOKEN } from '../support/scene.ts'

const HOOK = '/owner/repo/hook/webhook'
const FOREVER = { token: TOKEN, repository: 'owner/repo' }
const keys: SealingKey[] = [await generateSealingKey(), await generateSealingKey()]
const env = { HOOKLINE_SEALING_KEYS: JSON.stringify({ keys: keys.map((key) => key.privateJwk) }) }

const sealed = (content: Sealed, key = keys[0]) => sealToken(content, key?.publicJwk ?? {})
const ago = (seconds: number) => Math.floor(Date.now() / 1000) - seconds

async function sendWith(at: Scene, token: string, target = HOOK) {
  return send(at.relay.url, { target, headers: [['X-Platform-Authorization', token]] })
}

describe.each(RUNTIMES)('sealed tokens at a relay on %s', (_, start) => {
  const at = scene(start, { env })

  test.each([
    ['for the repository', FOREVER, HOOK],
    ['whatever its case', { ...FOREVER, repository: 'Owner/REPO' }, HOOK],
    ['for the very path', { ...FOREVER, path: 'hook/webhook' }, HOOK],
    ['for the beginning of a path', { ...FOREVER, path: 'hook/webhook' }, `${HOOK}/user/1?x=1`],
    ['for a workflow', { ...FOREVER, path: 'hook/' }, HOOK],
    ['for a while', { ...FOREVER, expires: ago(-60) }, HOOK],
  ])('%s opens to the GitHub token', async (_, content, target) => {
    expect((await sendWith(at, await sealed(content), target)).status).toBe(200)
    expect(at.github.calls[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`)
  })

  test('opens in the query too, and none of its forms travels', async () => {
    const token = await sealed(FOREVER)
    const headers = [['Referer', `https://h.test/?__token=${token}&t=${TOKEN}`]] as const
    const target = `${HOOK}?__token=${token}&copy=${token}`
    expect((await send(at.relay.url, { target, headers })).status).toBe(200)
    const travelled = at.github.calls[0]?.body
    expect(travelled).not.toContain(token)
    expect(travelled).not.toContain(TOKEN)
  })

  test('may occur in the body, because some senders repeat the URL there', async () => {
    const token = await sealed(FOREVER)
    const body = `{"webhook":{"callbackURL":"https://h.test${HOOK}?__token=${token}"}}`
    const target = `${HOOK}?__token=${token}`
    expect((await send(at.relay.url, { method: 'POST', target, body })).status).toBe(200)
    expect(JSON.parse(at.github.calls[0]?.body ?? '').client_payload.body).toBe(body)
  })

  test.each([
    ['Authorization', 'stays whole, as a sender has signed it', (aud: string) => aud, true],
    ['X-Proof', 'loses it', (aud: string) => aud, false],
    ['Authorization', 'loses the token of the platform', () => `https://h.test/?t=${TOKEN}`, false],
  ] as const)('a JWS in %s that names the URL %s', async (header, _, named, isWhole) => {
    const token = await sealed(FOREVER)
    const aud = named(`https://h.test${HOOK}?__token=${token}`)
    const parts = [{ alg: 'HS256' }, { aud }].map((part) => JSON.stringify(part))
    const jws = [...parts, 'signature'].map((part) => Buffer.from(part).toString('base64url'))
    const headers = [[header, jws.join('.')]] as const
    const target = `${HOOK}?__token=${token}`
    expect((await send(at.relay.url, { target, headers })).status).toBe(200)
    const { client_payload } = JSON.parse(at.github.calls[0]?.body ?? '')
    expect(client_payload.headers[header.toLowerCase()] === jws.join('.')).toBe(isWhole)
  })

  test('rotation: a token sealed for the older key still opens', async () => {
    expect((await sendWith(at, await sealed(FOREVER, keys[1]))).status).toBe(200)
  })

  test('the public keys are published, the current one first, and nothing else of them', async () => {
    const { body, headers } = await at.send({ target: '/.well-known/hookline-seal.json' })
    expect(headers['content-type']).toBe('application/json')
    expect(JSON.parse(body)).toEqual({ keys: keys.map((key) => key.publicJwk) })
    for (const { privateJwk } of keys) expect(body).not.toContain(privateJwk.d)
  })

  test('a token that is not sealed is used as a GitHub token', async () => {
    expect((await sendWith(at, TOKEN)).status).toBe(200)
  })

  test('one 401 for every reason, and nothing is dispatched', async () => {
    const good = await sealed(FOREVER)
    const bent = `${good.slice(0, -2)}${good.endsWith('AA') ? 'BB' : 'AA'}`
    const bad = [
      await sealed({ ...FOREVER, repository: 'owner/other' }),
      await sealed({ ...FOREVER, repository: 'other/repo' }),
      await sealed({ ...FOREVER, path: 'hook/webhook2' }),
      await sealed({ ...FOREVER, path: 'hook/web' }),
      await sealed({ ...FOREVER, path: 'hook/webhook/deeper' }),
      await sealed({ ...FOREVER, expires: ago(1) }),
      await sealed(FOREVER, await generateSealingKey()),
      await sealedText('{"token":1,"repository":"owner/repo"}'),
      await sealedText('not JSON'),
      await sealed({ ...FOREVER, token: `${TOKEN}\r\nX-Injected: 1` }),
      await sealedText('{"token":"t","repository":"owner/repo"}', { enc: 'A128GCM' }),
      await sealedText('{"token":"t","repository":"owner/repo"}', { alg: 'ECDH-ES+A256KW' }),
      bent,
      'eyJhbGciOiJkaXIifQ..AA.AA.AA',
    ]
    const answers = await Promise.all(bad.map((token) => sendWith(at, token)))
    const bodies = answers.map(({ status, body, headers }) => {
      return `${status} ${body.replace(headers['x-hookline-delivery'] ?? '', 'id')}`
    })
    expect(new Set(bodies).size).toBe(1)
    expect(bodies[0]).toMatch(/^401 .*"invalid_token"/)
    expect(at.github.calls).toHaveLength(0)
  })
})

describe.each(RUNTIMES)('a relay on %s that holds the token', (_, start) => {
  const KEY = 'hlk_first-of-the-two-keys'
  const OTHER = 'hlk_second-of-the-two-keys'
  const held = { HOOKLINE_GITHUB_TOKEN: TOKEN, HOOKLINE_ACCESS_KEYS: `${KEY}, ${OTHER}` }
  const at = scene(start, { env: held, repository: 'owner/repo' })
  const target = '/webhook/hook/webhook'

  test.each([KEY, OTHER, `Bearer ${KEY}`])('takes %s in its place', async (key) => {
    expect((await sendWith(at, key, target)).status).toBe(200)
    expect(at.github.calls[0]).toMatchObject({
      url: '/repos/owner/repo/dispatches',
      headers: { authorization: `Bearer ${TOKEN}` },
    })
  })

  test.each([TOKEN, `${KEY}x`, KEY.slice(0, -1), KEY.toUpperCase(), 'x'])(
    'refuses %s',
    async (key) => {
      expect((await sendWith(at, key, target)).status).toBe(401)
      expect(at.github.calls).toHaveLength(0)
    },
  )

  test('neither the key nor the token travels', async () => {
    const headers = [
      ['X-Platform-Authorization', KEY],
      ['Referer', `https://h.test/?k=${KEY}&t=${TOKEN}`],
    ] as const
    expect((await send(at.relay.url, { target: `${target}?k=${KEY}`, headers })).status).toBe(200)
    expect(at.github.calls[0]?.body).not.toContain(KEY)
    expect(at.github.calls[0]?.body).not.toContain(TOKEN)
  })

  test('publishes no sealing keys, having none', async () => {
    expect((await at.send({ target: '/.well-known/hookline-seal.json' })).status).toBe(404)
  })
})

async function sealedText(text: string, header: { alg?: string; enc?: string } = {}) {
  const jwk = keys[0]?.publicJwk ?? {}
  const key = await importJWK(jwk, 'ECDH-ES')
  return new CompactEncrypt(new TextEncoder().encode(text))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM', kid: jwk.kid ?? '', ...header })
    .encrypt(key)
}
