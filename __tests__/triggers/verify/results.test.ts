import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import { exportJWK } from 'jose'
import { fromDer, p256Spki } from '../../../src/triggers/verify/algorithms.ts'
import { compactJws, hs256Holds } from '../../../src/triggers/verify/jws.ts'
import { settingsFrom, settingsJson } from '../../../src/triggers/verify/scheme.ts'
import { ruleOf, schemeNamed } from '../../../src/triggers/verify/schemes.ts'
import { hasWhiteSpaceAround } from '../../../src/triggers/verify.ts'
import { Secret } from '../../../src/wire/secret.ts'
import { bound, receive, type Sent } from '../../support/receive.ts'

const secret = 'a secret'
const body = '{"id":"evt_1"}'
const time = new Date('2026-11-21T00:00:00Z')
const hmac = (text: string | Uint8Array) => createHmac('sha256', secret).update(text).digest('hex')

const PAGE = 'https://github.com/hookline/hookline/blob/v1/docs/senders/README.md'
const CONDITIONS = [
  { option: 'method', held: true, found: 'any method' },
  { option: 'path', held: true, found: 'any path' },
]

async function result(verify: unknown, sent: Sent) {
  const found = await receive(bound('webhook', { verify }), { body, receivedAt: time, ...sent })
  return { ...found, items: found.items.length }
}

describe('the result of verification', () => {
  const github = { scheme: 'github', secret }
  const missing = 'the header x-hub-signature-256 is missing'
  const token = { scheme: 'token', secret, field: 'a[*].b' }

  test.each<[string, unknown, Sent, boolean, string, string?]>([
    ['a sender’s scheme, absent', github, {}, true, `github: ${missing}`, `; see ${PAGE}#github`],
    [
      'a sender’s scheme, wrong',
      github,
      { headers: { 'x-hub-signature-256': `sha256=${'00'.repeat(32)}` } },
      false,
      'github: the signature does not match',
      `; see ${PAGE}#github`,
    ],
    [
      'a general scheme',
      { scheme: 'bearer', secret },
      {},
      true,
      'bearer: the header authorization is missing',
    ],
    [
      'two schemes',
      { scheme: ['github', 'gitlab'], secret },
      {},
      true,
      `github: ${missing}; gitlab: the header x-gitlab-token is missing`,
    ],
    [
      'a token in the query, which is there',
      { scheme: 'token', secret, query: 'key' },
      { path: '?key=' },
      false,
      'token: the token does not match',
    ],
    [
      'a token in two fields, of which one is there',
      token,
      { body: '{"a":[{},{"b":1}]}' },
      false,
      'token: the field a[*].b is missing, or not a single string',
    ],
    [
      'a token in two fields, of which none is there',
      token,
      { body: '{"a":[{},{}]}' },
      true,
      'token: the field a[*].b is missing, or not a single string',
    ],
    [
      'one of several locations',
      [token, { scheme: 'token', secret, query: 'key' }],
      { path: '?key=1' },
      false,
      'token: the field a[*].b is missing, or not a single string; token: the token does not match',
    ],
  ])('of %s', async (_, verify, sent, isAbsent, found, page = '') => {
    expect(await result(verify, sent)).toEqual({
      checks: [
        ...CONDITIONS,
        { option: 'verify', held: false, found, ...(isAbsent && { isAbsent }) },
      ],
      items: 0,
      messages: [
        {
          level: 'warning',
          code: 'unverified',
          text: `signature verification failed, so the request fires nothing (${found})${page}`,
        },
      ],
    })
  })

  test('is the scheme that matched', async () => {
    const headers = { 'x-gitlab-token': secret }
    expect(await result({ scheme: ['github', 'gitlab'], secret }, { headers })).toEqual({
      checks: [...CONDITIONS, { option: 'verify', held: true, found: 'gitlab' }],
      items: 1,
      messages: [],
    })
  })

  test('of a compressed body is right for the body as sent, or before its compression', async () => {
    const sent = gzipSync(body)
    const of = async (signature: string) =>
      result(github, {
        body: sent,
        headers: {
          'content-type': 'application/json',
          'content-encoding': 'gzip',
          'x-hub-signature-256': `sha256=${signature}`,
        },
      })
    expect((await of(hmac(sent))).items).toBe(1)
    expect((await of(hmac(body))).items).toBe(1)
    const { checks, items } = await of(hmac('other'))
    expect([items, checks.at(-1)?.found]).toEqual([0, 'github: the signature does not match'])
  })
})

test('the signatures of a trigger have their secrets, options and headers', () => {
  const verify = [
    { scheme: 'trello', secret: 'c', url: 'https://a.example' },
    { scheme: 'bearer', secret: 'd' },
    { scheme: 'hmac', secret: 'e', header: 'x-sum', algorithm: 'sha1' },
  ]
  const { signatures } = bound('webhook', { verify })
  const shown = signatures.map(({ secret: own, url, ...others }) => ({
    ...others,
    secret: own.reveal(),
    url: url?.reveal(),
  }))
  expect(shown).toEqual([
    { scheme: 'trello', secret: 'c', url: 'https://a.example', options: {} },
    { scheme: 'bearer', secret: 'd', options: {} },
    { scheme: 'hmac', secret: 'e', options: { header: 'x-sum', algorithm: 'sha1' } },
  ])
  const tokens = bound('webhook', {
    verify: [
      { scheme: 'token', secret: ['a', 'b'], header: 'X-Key' },
      { scheme: 'token', secret: 'c', query: 'key' },
    ],
  }).signatures
  expect(tokens.map(({ secret: own, header, options }) => [own.reveal(), header, options])).toEqual(
    [
      ['a', 'x-key', { header: 'x-key' }],
      ['b', 'x-key', { header: 'x-key' }],
      ['c', undefined, { query: 'key' }],
    ],
  )
  expect(bound('typeform', { verify: { secret } }).signatures).toMatchObject([
    { scheme: 'typeform' },
  ])
  expect(bound('webhook', {}).signatures).toEqual([])
})

test('settings are JSON with their secrets, without the URL', () => {
  const settings = {
    ...{ secrets: [new Secret('a'), new Secret('b')], url: new Secret('u') },
    ...{ header: 'x-a', tolerance: 5, query: undefined },
  }
  expect(settingsJson(settings)).toEqual({ secret: ['a', 'b'], header: 'x-a', tolerance: 5 })
})

test.each<[object, object, string[]]>([
  [{}, {}, []],
  [{ secret: 'a' }, {}, ['a']],
  [{ secret: ['a', 5] }, {}, ['a', '5']],
  [
    { scheme: 'hmac', header: 'X-A', timestampHeader: 'X-B', signatureField: 2, timestampField: 1 },
    { header: 'x-a', timestampHeader: 'x-b', signatureField: '2', timestampField: '1' },
    [],
  ],
  [
    { header: 5, signatureField: 'v1', separator: 'X' },
    { header: 5, signatureField: 'v1', separator: 'X' },
    [],
  ],
])('settings %j are read', (json, expected, texts) => {
  const { secrets, ...settings } = settingsFrom(JSON.parse(JSON.stringify(json)))
  expect(settings).toEqual(expected)
  expect(secrets.map((one) => one.reveal())).toEqual(texts)
})

test('a scheme is data, or code', () => {
  expect(ruleOf('github')).toMatchObject({ header: 'x-hub-signature-256' })
  expect(['twilio', 'gitlab', 'hmac', 'toString'].map(ruleOf)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ])
  expect(
    ['aws_sns', 'standard_webhooks', 'hmac', 'toString'].map((name) => schemeNamed(name)?.name),
  ).toEqual(['aws-sns', 'standard-webhooks', 'hmac', undefined])
})

test.each([
  ['a', false],
  ['a b', false],
  [' a', true],
  ['a\n', true],
  ['\u200ba', true],
  ['a\u2060', true],
  ['a\u200e', false],
  ['-----BEGIN PUBLIC KEY-----\n', false],
])('%j has white space around it: %s', (text, expected) => {
  expect(hasWhiteSpaceAround(text)).toBe(expected)
})

describe('a JWS', () => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

  test.each([
    [undefined],
    [''],
    [`${part({})}.${part({})}.AA.AA`],
    [`${part([])}.${part({})}.AA`],
    [`${part({})}.${part([])}.AA`],
    [`${part({})}.${part({})}.A+`],
    [`!.${part({})}.AA`],
  ])('is not %s', (text) => {
    expect(compactJws(text)).toBeUndefined()
  })

  test('of another algorithm does not hold under the same key', async () => {
    for (const [alg, holds] of [
      ['HS256', true],
      ['HS512', false],
      ['none', false],
    ] as const) {
      const signed = `${part({ alg })}.${part({ a: 1 })}`
      const signature = createHmac('sha256', secret).update(signed).digest('base64url')
      const jws = compactJws(`${signed}.${signature}`)
      expect(jws && (await hs256Holds(jws, [new Secret(secret)]))).toBe(holds)
    }
  })
})

describe('a key', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const der = publicKey.export({ type: 'spki', format: 'der' })
  const headers = { 'x-sum': sign(null, Buffer.from(body), privateKey).toString('hex') }

  test.each([
    ['SPKI in base64', der.toString('base64')],
    ['SPKI in hex', der.toString('hex')],
    ['PEM', String(publicKey.export({ type: 'spki', format: 'pem' }))],
    ['32 bytes in hex', der.subarray(12).toString('hex')],
    ['32 bytes in base64', der.subarray(12).toString('base64')],
  ])('of Ed25519 is %s', async (_, own) => {
    const verify = { scheme: 'ed25519', secret: own, header: 'x-sum' }
    expect((await result(verify, { headers })).items).toBe(1)
    expect((await result(verify, { headers, body: 'other' })).items).toBe(0)
  })

  test.each([
    ['31 bytes', der.subarray(13).toString('hex')],
    ['33 bytes', `${der.subarray(12).toString('hex')}00`],
    ['45 bytes', `${der.toString('hex')}00`],
  ])('of Ed25519 is not %s', (_, own) => {
    const verify = { scheme: 'ed25519', secret: own, header: 'x-sum' }
    expect(() => bound('webhook', { verify })).toThrow(
      '"secret" is not a public key of Ed25519: 32 bytes in hex or base64, or SPKI',
    )
  })

  const P256 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey
  const spki = P256.export({ type: 'spki', format: 'der' })

  test.each([
    ['another kind', Buffer.concat([Buffer.of(0x31), spki.subarray(1)])],
    ['90 bytes', spki.subarray(1)],
  ])('of P-256 is not %s', (_, bytes) => {
    const verify = { scheme: 'sendgrid', secret: bytes.toString('base64') }
    expect(() => bound('webhook', { verify })).toThrow('"secret" is not a public key of P-256')
  })

  test('of P-256 has two coordinates of 32 bytes', () => {
    const [x, y] = [new Uint8Array(spki.subarray(27, 59)), new Uint8Array(spki.subarray(59))]
    expect(Buffer.from(p256Spki(x, y) ?? []).equals(spki)).toBe(true)
    expect(p256Spki(x.slice(1), y)).toBeUndefined()
    expect(p256Spki(x, y.slice(1))).toBeUndefined()
  })

  test('of Plaid is a JWK of P-256 with its id', async () => {
    const jwk = { ...(await exportJWK(P256)), kid: 'k' }
    const accepts = (value: unknown) => {
      const verify = { scheme: 'plaid', secret: ` ${JSON.stringify(value)} ` }
      const issues = () => bound('webhook', { verify })
      try {
        issues()
        return true
      } catch {
        return false
      }
    }
    const right = [jwk, [jwk], { keys: [null, jwk] }, { key: jwk }]
    expect(right.map(accepts)).toEqual([true, true, true, true])
    const wrong = [
      { ...jwk, kty: 'RSA' },
      { ...jwk, crv: 'P-384' },
      { ...jwk, kid: 5 },
      { keys: jwk },
      [],
      'k',
    ]
    expect(wrong.map(accepts)).toEqual(wrong.map(() => false))
  })

  test('in DER is one of 32 bytes at most', () => {
    const number = (size: number, first = 1) => [2, size, first, ...Array(size - 1).fill(1)]
    const der = (...numbers: number[]) =>
      fromDer(Uint8Array.from([0x30, numbers.length, ...numbers]))
    expect(der(...number(32), ...number(32))).toHaveLength(64)
    expect(der(...[2, 1, 0], ...[2, 1, 0])).toEqual(new Uint8Array(64))
    expect(der(...[2, 2, 0, 0x80], ...[2, 1, 1])?.[31]).toBe(0x80)
    expect(der(...[2, 33, 0, 0x80, ...Array(31).fill(1)], ...[2, 1, 1])).toHaveLength(64)
    expect(der(...[2, 34, 0, 0x80, ...Array(32).fill(1)], ...[2, 1, 1])).toBeUndefined()
  })
})

describe('several schemes and entries', () => {
  test('are accepted in a service’s trigger, whose own scheme is the default', () => {
    const names = (verify: unknown) =>
      bound('typeform', { verify }).signatures.map(({ scheme }) => scheme)
    expect(names([{ secret }, { scheme: ['gitlab', 'bearer'], secret }])).toEqual([
      ...['typeform', 'gitlab', 'bearer'],
    ])
  })

  test('are refused with the mistakes of each', () => {
    expect(() =>
      bound('webhook', { verify: { scheme: ['github', 'trello', 'token'], secret, topic: 'a' } }),
    ).toThrow(
      [
        'the scheme github does not use "topic"',
        'the scheme trello needs "url"',
        'the scheme trello does not use "topic"',
        'the scheme token does not use "topic"',
        'set exactly one of "header", "query" and "field": the location of the token',
      ].join('; '),
    )
  })
})
