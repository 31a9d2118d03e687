import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { exportJWK, SignJWT, UnsecuredJWT } from 'jose'
import { fromDer } from '../../../src/triggers/verify/algorithms.ts'
import { bound, receive, type Sent } from '../../support/receive.ts'
import { SIGNERS, type Signer, URL_CALLED } from './signers.ts'

const time = new Date('2026-11-21T00:00:00Z')
const body = '{"id":"evt_1"}'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

function signer(name: string): Signer {
  const found = SIGNERS.find((one) => one.name === name)
  if (!found) throw new Error(`no signer ${name}`)
  return found
}

/** The trigger's reason for refusing a request; none if it fires. */
async function refusal(verify: unknown, sent: Sent): Promise<string | undefined> {
  const { items, messages = [] } = await receive(bound('webhook', { verify }), {
    receivedAt: time,
    ...sent,
  })
  expect(items.length + messages.length).toBe(1)
  return messages[0]?.text.replace(/^.*\((.*)\)$/, '$1')
}

async function proofOf(name: string, message = body) {
  const one = signer(name)
  const proof = await one.sign({ body: message, time }, one.secret)
  return { verify: { ...one.verify, secret: one.secret }, sent: { body: message, ...proof } }
}

describe('twilio', () => {
  test('a body under the hash of another is refused, whatever it says that it is', async () => {
    const { verify, sent } = await proofOf('twilio, JSON')
    for (const more of [{}, FORM]) {
      const headers = { ...sent.headers, ...more }
      for (const other of ['', '{"id":"evt_2"}', 'a=1']) {
        expect(await refusal(verify, { ...sent, headers, body: other })).toMatch(/does not match/)
      }
      expect(await refusal(verify, { ...sent, headers })).toBeUndefined()
    }
  })

  test('a body that nothing signs is refused under a signature of the URL alone', async () => {
    const { secret, verify } = signer('twilio, JSON')
    const signature = createHmac('sha1', secret).update(URL_CALLED).digest('base64')
    const headers = { 'x-twilio-signature': signature, 'content-type': 'application/json' }
    const options = { ...verify, secret }
    expect(await refusal(options, { headers, body: '' })).toBeUndefined()
    expect(await refusal(options, { headers, body })).toMatch(/neither a form, nor signed/)
    expect(await refusal(options, { headers: { ...headers, ...FORM }, body })).toMatch(
      /could be read in another way/,
    )
  })

  const LATIN = Uint8Array.of(...Buffer.from('Body=attacked+'), 0xe9)
  const UTF16 = Uint8Array.of(0xff, 0xfe, ...Buffer.from('Body=attacked', 'utf16le'))
  test.each([
    ['iso-8859-1', LATIN],
    ['windows-1252', LATIN],
    ['shift_jis', Uint8Array.of(...Buffer.from('Body='), 0x83, 0x41)],
    ['utf-16le', UTF16],
    ['', LATIN],
    ['utf-8', LATIN],
    ['utf-8', Uint8Array.of(0xef, 0xbb, 0xbf, ...Buffer.from('Body=attacked'))],
    // Of JSON, the object below an empty name would not be signed.
    ['', Buffer.from('{"Body":"attacked","":{"more":1}}')],
  ])(
    'a form of %j that reads in two ways is refused, whatever is signed',
    async (charset, body) => {
      const { secret, verify } = signer('twilio, a form')
      const type = `application/x-www-form-urlencoded${charset && `; charset=${charset}`}`
      for (const text of ['', 'Bodyattacked', 'Bodyattacked \u00e9', '\ufeffBodyattacked']) {
        const signature = createHmac('sha1', secret)
          .update(URL_CALLED + text)
          .digest('base64')
        const headers = { 'x-twilio-signature': signature, 'content-type': type }
        const sent = { headers, body }
        expect(await refusal({ ...verify, secret }, sent)).toMatch(/could be read in another way/)
      }
    },
  )

  test.each([
    ['https://r.example/a', 'https://r.example:443/a'],
    ['https://r.example:443/a', 'https://r.example/a'],
    ['http://r.example:80/a?b=1', 'http://r.example/a?b=1'],
    ['https://r.example:8443/a', 'https://r.example:8443/a'],
    ['https://r.example/a?__token=t&b=1', 'https://r.example/a?__token=t&b=1'],
    ['https://r.example/a?%5F%5Ftoken=t&b=1', 'https://r.example/a?%5F%5Ftoken=t&b=1'],
    [
      'https://r.example/a?b=1&__response%5fcode=202',
      'https://r.example/a?b=1&__response%5fcode=202',
    ],
  ])('of %s, what is signed as %s holds', async (url, called) => {
    const signature = createHmac('sha1', 'x').update(`${called}A1`).digest('base64')
    const headers = { ...FORM, 'x-twilio-signature': signature }
    const verify = { scheme: 'twilio', secret: 'x', url }
    const path = url.includes('?') ? '?b=1' : ''
    expect(await refusal(verify, { headers, body: 'A=1', path })).toBeUndefined()
    expect(await refusal(verify, { headers, body: 'A=2', path })).toMatch(/match/)
  })
})

describe('a JWS', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const header = (name: string, jws: string) => ({ headers: { [name]: jws }, body })

  test('of no algorithm, or another, is refused', async () => {
    const claims = { iss: 'netlify', aud: URL_CALLED, sha256: '', iat: 1, exp: 4e9 }
    const none = new UnsecuredJWT(claims).encode()
    const es256 = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(privateKey)
    const hs512 = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS512' })
      .sign(Buffer.from('x'.repeat(64)))
    const secret = 'x'.repeat(64)
    for (const jws of [none, `${none}AA`, es256, hs512, 'a.b.c', '..', 'e30.e30.e30.e30']) {
      const netlify = header('x-webhook-signature', jws)
      expect(await refusal({ scheme: 'netlify', secret }, netlify)).toMatch(/match|missing/)
      const monday = header('authorization', jws)
      expect(await refusal({ scheme: 'monday', secret }, monday)).toMatch(/match/)
    }
  })

  test.each([
    ['of another issuer', 'netlify', { iss: 'other' }, /not of Netlify/],
    ['for another URL', 'monday', { aud: 'https://other.example/', exp: 4e9 }, /another URL/],
    ['for no URL', 'monday', { exp: 4e9 }, /another URL/],
    ['without an end', 'monday', { aud: URL_CALLED }, /until when/],
    ['that has ended', 'monday', { aud: URL_CALLED, exp: 1 }, /expired/],
  ])('%s is refused', async (_, scheme, claims, message) => {
    const secret = 'a secret'
    const jws = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .sign(Buffer.from(secret))
    const name = scheme === 'monday' ? 'authorization' : 'x-webhook-signature'
    const url = scheme === 'monday' ? { url: URL_CALLED } : {}
    expect(await refusal({ scheme, secret, ...url }, header(name, jws))).toMatch(message)
  })

  test('of Plaid under a key that is not there says so; of several one holds', async () => {
    const jwk = { ...(await exportJWK(publicKey)), kid: 'right' }
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey
    const keys = [{ ...(await exportJWK(other)), kid: 'other' }, jwk]
    const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body))
    const claims = { request_body_sha256: Buffer.from(hash).toString('hex') }
    const signed = (kid: string) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256', kid })
        .setIssuedAt(time)
        .sign(privateKey)
    const forms = [keys, { keys }, { key: jwk }, jwk, { ...jwk, expired_at: 4e9 }]
    for (const form of forms.map((value) => JSON.stringify(value))) {
      const verify = { scheme: 'plaid', secret: form }
      const asked = async (kid: string) =>
        refusal(verify, header('plaid-verification', await signed(kid)))
      expect(await asked('right')).toBeUndefined()
      expect(await asked('gone')).toMatch(/no key in "secret"/)
    }
    const expired = JSON.stringify({ ...jwk, expired_at: 1 })
    const sent = header('plaid-verification', await signed('right'))
    expect(await refusal({ scheme: 'plaid', secret: expired }, sent)).toMatch(/expired/)
    const wrong = header('plaid-verification', await signed('other'))
    expect(await refusal({ scheme: 'plaid', secret: JSON.stringify(keys) }, wrong)).toMatch(/match/)
  })
})

describe('a token in the body', () => {
  const verify = { scheme: 'microsoft-graph', secret: 'state' }
  const state = { clientState: 'state' }
  test.each([
    ['in each entry', { value: [state, state] }, undefined],
    ['in one of two', { value: [state, { clientState: 'other' }] }, 'does not match'],
    ['missing in one of two', { value: [state, {}] }, 'is missing'],
    ['as a number', { value: [state, { clientState: 5 }] }, 'is missing'],
    ['in no entry', { value: [] }, 'is missing'],
    ['in an object', { value: state }, 'is missing'],
    ['elsewhere', { ...state }, 'is missing'],
    ['in no list', { value: 'state' }, 'is missing'],
  ])('of Microsoft Graph, %s', async (_, content, message) => {
    const found = await refusal(verify, { body: JSON.stringify(content) })
    if (message === undefined) expect(found).toBeUndefined()
    else expect(found).toContain(message)
  })

  test.each([
    [
      'value[0].clientState',
      { value: [state, { clientState: 'x' }] },
      { value: [{}, { clientState: 'x' }] },
    ],
    ['a.b', { a: { b: 'state', c: 1 } }, { a: { c: 1 } }],
    ['a.b', { 'a.b': 'state', a: { c: 1 } }, { a: { c: 1 } }],
    ['a.b', { 'a.b': 'x', a: { b: 'state' } }, { 'a.b': 'x', a: {} }],
    ["a['b.c']", { a: { 'b.c': 'state' } }, { a: {} }],
    ['data[token]', { 'data[token]': 'state' }, {}],
    ['a[1]', { a: ['x', 'state'] }, { a: ['x', null] }],
  ])('at %s of %j is found', async (field, content, rest) => {
    const options = { scheme: 'token', secret: 'state', field }
    const trigger = bound('webhook', { verify: options })
    const headers = { 'Content-Type': 'application/json' }
    const { items } = await receive(trigger, { headers, body: JSON.stringify(content) })
    expect(items).toHaveLength(1)
    expect(items[0]?.body).toEqual(rest)
    expect(JSON.stringify(items)).not.toContain('"state"')
  })
})

describe('contentful', () => {
  test.each([
    [
      'a list of headers without the time',
      { 'x-contentful-signed-headers': 'x-contentful-topic' },
      /is not signed/,
    ],
    ['a header that did not travel', { 'x-contentful-topic': undefined }, /does not travel/],
    ['another topic', { 'x-contentful-topic': 'other' }, /match/],
    [
      'a header that holds the next one',
      { 'x-contentful-timestamp': '1;x-contentful-topic:2' },
      /separates/,
    ],
    ['no time', { 'x-contentful-timestamp': 'soon' }, /timestamp is invalid/],
  ])('with %s is refused', async (_, change, message) => {
    const { verify, sent } = await proofOf('contentful')
    const changed = Object.entries({ ...sent.headers, ...change })
    const headers = Object.fromEntries(
      changed.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])),
    )
    expect(await refusal(verify, { ...sent, headers })).toMatch(message)
  })
})

describe('a signature of P-256 in DER', () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

  test("is read in GitHub's form", () => {
    for (let at = 0; at < 64; at++) {
      const der = sign('sha256', Buffer.from([at]), privateKey)
      const raw = sign('sha256', Buffer.from([at]), { key: privateKey, dsaEncoding: 'ieee-p1363' })
      expect(fromDer(new Uint8Array(der))).toHaveLength(64)
      expect(raw).toHaveLength(64)
    }
    expect(fromDer(Uint8Array.from([0x30, 6, 2, 1, 1, 2, 1, 2]))?.[63]).toBe(2)
  })

  test.each([
    ['padded without need', [0x30, 7, 2, 2, 0, 1, 2, 1, 2]],
    ['negative', [0x30, 6, 2, 1, 0x81, 2, 1, 2]],
    ['of a wrong length', [0x30, 7, 2, 1, 1, 2, 1, 2]],
    ['with more after it', [0x30, 6, 2, 1, 1, 2, 1, 2, 0]],
    ['with more within', [0x30, 7, 2, 1, 1, 2, 1, 2, 0]],
    ['of another kind', [0x31, 6, 2, 1, 1, 2, 1, 2]],
    ['of numbers of another kind', [0x30, 6, 3, 1, 1, 2, 1, 2]],
    ['of empty numbers', [0x30, 4, 2, 0, 2, 0]],
    ['of numbers that are too long', [0x30, 38, 2, 33, ...Array(33).fill(1), 2, 1, 2]],
    ['that is cut off', [0x30, 6, 2, 1, 1, 2, 4, 2]],
    ['that is empty', []],
  ])('is not, %s', (_, bytes) => {
    expect(fromDer(Uint8Array.from(bytes))).toBeUndefined()
  })
})
