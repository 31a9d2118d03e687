import { createHmac, generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { exportJWK, SignJWT } from 'jose'
import type { TriggerPorts } from '../../../src/triggers/trigger.ts'
import { HttpFailure } from '../../../src/wire/http.ts'
import { bound, QUIET_WORLD, receive, type Sent } from '../../support/receive.ts'

const time = new Date('2026-11-21T00:00:00Z')
const now = `${time.getTime() / 1000}`
const late = `${time.getTime() / 1000 - 301}`
const body = '{"id":"evt_1"}'
const secret = 'a secret'

const hmac = (text: string, hash = 'sha256', encoding: 'hex' | 'base64' = 'hex') =>
  createHmac(hash, secret).update(text).digest(encoding)

/** The reason for which a request is refused; `undefined` if it is verified. */
async function reason(
  verify: object,
  sent: Sent,
  ports: Partial<TriggerPorts> = {},
): Promise<unknown> {
  const trigger = bound('webhook', { verify: { secret, ...verify } })
  const { checks } = await receive(trigger, { body, receivedAt: time, ...sent }, ports)
  const check = checks.find(({ option }) => option === 'verify')
  return check?.held ? undefined : check?.found
}

type Rows = readonly [title: string, verify: object, sent: Sent, reason: string | undefined][]

function tests(rows: Rows): void {
  test.each(rows)('%s', async (_, verify, sent, expected) => {
    expect(await reason(verify, sent)).toBe(expected)
  })
}

describe('a signature in a header is refused with the reason:', () => {
  const custom = { scheme: 'hmac', header: 'x-sum' }
  const list = {
    ...custom,
    signatureField: 'v1',
    timestampField: 't',
    signedPayload: '{timestamp}.{body}',
  }
  const places = {
    ...custom,
    signatureField: 2,
    timestampField: 1,
    signedPayload: '{timestamp}.{body}',
    separator: ':',
  }
  const signed = hmac(`${now}.${body}`)
  const stripe = { scheme: 'stripe' }
  const header = (text: string): Sent => ({ headers: { 'x-sum': text } })
  const ofStripe = (text: string): Sent => ({ headers: { 'stripe-signature': text } })
  const away = 'the timestamp is more than 300 seconds away from the receipt'
  const noList = 'the header x-sum is no list that has a signature in hex'
  tests([
    ['missing', custom, {}, 'hmac: the header x-sum is missing'],
    ['empty', custom, header(''), 'hmac: the header x-sum is missing'],
    ['right', custom, header(hmac(body)), undefined],
    ['right, among others', custom, header(`aabb, ${hmac(body)}`), undefined],
    ['another', custom, header(hmac('other')), 'hmac: the signature does not match'],
    ['none', custom, header('no'), 'hmac: the header x-sum contains no signature in hex'],
    [
      'none after the prefix',
      { ...custom, signaturePrefix: 'v0=' },
      header(hmac(body)),
      'hmac: the header x-sum contains no signature in hex after v0=',
    ],
    ['the prefix', { ...custom, signaturePrefix: 'v0=' }, header(`v0=${hmac(body)}`), undefined],
    [
      'of another length',
      custom,
      header('aabb'),
      'hmac: the signature has 2 bytes, but one of sha256 has 32',
    ],
    [
      'of another length than SHA-512',
      { ...custom, algorithm: 'sha512', signatureEncoding: 'base64' },
      header(hmac(body, 'sha256', 'base64')),
      'hmac: the signature has 32 bytes, but one of sha512 has 64',
    ],
    [
      'of SHA-1',
      { ...custom, algorithm: 'sha1', signatureEncoding: 'base64' },
      header(hmac(body, 'sha1', 'base64')),
      undefined,
    ],
    ['of SHA-384', { ...custom, algorithm: 'sha384' }, header(hmac(body, 'sha384')), undefined],
    ['a list', list, header(`t=${now},v1=${signed}`), undefined],
    ['a list with blanks', list, header(` t=${now} , v1=${signed} `), undefined],
    ['a list of two signatures', list, header(`t=${now},v1=aabb,v1=${signed},v0=x`), undefined],
    ['no list', list, header(signed), `hmac: ${noList} in field v1`],
    [
      'no list, after a prefix',
      { ...list, signaturePrefix: 'x' },
      header(`t=${now},v1=${signed}`),
      `hmac: ${noList} after x in field v1`,
    ],
    [
      'a list with a quoted part',
      list,
      header(`t=${now},v1="${signed}"`),
      `hmac: ${noList} in field v1`,
    ],
    [
      'a list with an unnamed part',
      list,
      header(`t=${now},v1=${signed},x`),
      `hmac: ${noList} in field v1`,
    ],
    [
      'no time',
      list,
      header(`v1=${signed}`),
      'hmac: the header x-sum has no time, or more than one',
    ],
    [
      'two times',
      list,
      header(`t=${now},t=1,v1=${signed}`),
      'hmac: the header x-sum has no time, or more than one',
    ],
    ['a time that is none', list, header(`t=soon,v1=${signed}`), 'hmac: the timestamp is invalid'],
    [
      'an empty time',
      stripe,
      ofStripe(`t=,v1=${signed}`),
      'stripe: the header stripe-signature has no time, or more than one',
    ],
    [
      'an early time, rightly signed',
      stripe,
      ofStripe(`t=${late},v1=${hmac(`${late}.${body}`)}`),
      `stripe: ${away}`,
    ],
    [
      'an early time, wrongly signed',
      stripe,
      ofStripe(`t=${late},v1=${signed}`),
      'stripe: the signature does not match',
    ],
    ['by position', places, header(`${now}:${signed}`), undefined],
    [
      'by position, with a second one',
      places,
      header(`${now}:${'ab'.repeat(32)}:${signed}`),
      undefined,
    ],
    [
      'by position, with another entry',
      places,
      header(`${now}:${signed}:x`),
      `hmac: ${noList} in place 2`,
    ],
    [
      'by position, with a named entry',
      { ...places, timestampField: 't' },
      header(`t=${now}:${signed}`),
      undefined,
    ],
    ['by position, without a signature', places, header(now), `hmac: ${noList} in place 2`],
    [
      'a header that contains the separator',
      { ...custom, signedPayload: '{header.x-id}.{body}' },
      { headers: { 'x-sum': hmac(`a.b.${body}`), 'x-id': 'a.b' } },
      'hmac: a signed header contains the separator of the next part',
    ],
    [
      'an absent header that is signed as empty',
      {
        ...custom,
        signedPayload: '{header.X-ID}.{method}:{body}|{url}',
        url: 'https://a.example/',
      },
      header(hmac(`.POST:${body}|https://a.example/`)),
      undefined,
    ],
    [
      'the time in a header of its own',
      { ...custom, signedPayload: '{timestamp}.{body}', timestampHeader: 'X-Time' },
      { headers: { 'x-sum': signed, 'x-time': now } },
      undefined,
    ],
    [
      'no header with the time',
      { ...custom, signedPayload: '{timestamp}.{body}', timestampHeader: 'X-Time' },
      header(signed),
      'hmac: the header x-time is missing',
    ],
    ...(
      [
        ['seconds', now, undefined],
        ['seconds', `${now}000`, 'hmac: the timestamp is invalid'],
        ['milliseconds', `${now}000`, undefined],
        ['milliseconds', now, 'hmac: the timestamp is invalid'],
        ['rfc3339', '2026-11-21T00:00:00Z', undefined],
        ['rfc3339', '2026-11-21T01:00:00.123456789+01:00', undefined],
        ['rfc3339', '2026-11-21T00:00:00', 'hmac: the timestamp is invalid'],
        ['rfc3339', '2026-13-21T00:00:00Z', 'hmac: the timestamp is invalid'],
        ['rfc3339', now, 'hmac: the timestamp is invalid'],
        [undefined, `${now}000`, undefined],
        [undefined, '2026-11-21T00:00:00+00:00', undefined],
        [undefined, '2026-11-20T19:00:00-0500', undefined],
        [undefined, '0', `hmac: ${away}`],
        [undefined, '9'.repeat(11), `hmac: ${away}`],
        [undefined, '9'.repeat(14), `hmac: ${away}`],
        [undefined, '9'.repeat(15), 'hmac: the timestamp is invalid'],
        [undefined, ` ${now}`, 'hmac: the timestamp is invalid'],
        [undefined, `x2026-11-21T00:00:00Z`, 'hmac: the timestamp is invalid'],
        [undefined, `2026-11-21T00:00:00Zx`, 'hmac: the timestamp is invalid'],
      ] as const
    ).map(([timestampFormat, sentTime, expected]): Rows[number] => [
      `the time ${sentTime} in the format ${timestampFormat}`,
      {
        ...custom,
        signedPayload: '{timestamp}.{body}',
        timestampHeader: 'x-time',
        ...(timestampFormat && { timestampFormat }),
      },
      { headers: { 'x-sum': hmac(`${sentTime}.${body}`), 'x-time': sentTime } },
      expected,
    ]),
    [
      'of two headers, a mismatch says less than a length',
      { scheme: 'box' },
      {
        headers: {
          'box-signature-primary': `${'A'.repeat(43)}=`,
          'box-signature-secondary': 'AAAA',
          'box-delivery-timestamp': '2026-11-21T00:00:00Z',
        },
      },
      'box: the signature has 3 bytes, but one of sha256 has 32',
    ],
    [
      'no time in the body',
      { scheme: 'linear' },
      { headers: { 'linear-signature': hmac(body) } },
      'linear: the body has no time',
    ],
    [
      'no time in a body that is no object',
      { scheme: 'linear' },
      { body: '[]', headers: { 'linear-signature': hmac('[]') } },
      'linear: the body has no time',
    ],
    [
      'the time in the body',
      { scheme: 'linear' },
      {
        body: `{"webhookTimestamp":${now}000}`,
        headers: { 'linear-signature': hmac(`{"webhookTimestamp":${now}000}`) },
      },
      undefined,
    ],
    [
      'no DER',
      {
        scheme: 'sendgrid',
        secret: generateKeyPairSync('ec', { namedCurve: 'P-256' })
          .publicKey.export({ type: 'spki', format: 'der' })
          .toString('base64'),
      },
      {
        headers: {
          'x-twilio-email-event-webhook-signature': 'AAAA',
          'x-twilio-email-event-webhook-timestamp': now,
        },
      },
      'sendgrid: the header x-twilio-email-event-webhook-signature contains no DER signature in base64',
    ],
  ])
})

describe('a token is refused with the reason:', () => {
  const token = (place: object) => ({ scheme: 'token', ...place })
  const authorization = (text: string): Sent => ({ headers: { authorization: text } })
  const basic = { scheme: 'basic', secret: 'ada:pass:word' }
  const encoded = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  tests([
    [
      'a header that is missing',
      token({ header: 'X-Key' }),
      {},
      'token: the header x-key is missing',
    ],
    [
      'an empty header',
      token({ header: 'x-key' }),
      { headers: { 'x-key': '' } },
      'token: the header x-key is missing',
    ],
    [
      'another token',
      token({ header: 'x-key' }),
      { headers: { 'x-key': 'x' } },
      'token: the token does not match',
    ],
    ['the token', token({ header: 'x-key' }), { headers: { 'x-key': secret } }, undefined],
    [
      'another query',
      token({ query: 'key' }),
      { path: '?other=1' },
      'token: the query parameter key is missing, or not a single string',
    ],
    [
      'an inherited name',
      token({ query: 'toString' }),
      {},
      'token: the query parameter toString is missing, or not a single string',
    ],
    [
      'another value in the query',
      token({ query: 'key' }),
      { path: '?key=1' },
      'token: the token does not match',
    ],
    ['the token in the query', token({ query: 'key' }), { path: '?key=a%20secret' }, undefined],
    [
      'no field',
      token({ field: 'a.b' }),
      {},
      'token: the field a.b is missing, or not a single string',
    ],
    ['another field', token({ field: 'id' }), {}, 'token: the token does not match'],
    [
      'two fields, of which one is no string',
      token({ field: 'a[*].b' }),
      { body: '{"a":[{"b":"a secret"},{"b":1}]}' },
      'token: the field a[*].b is missing, or not a single string',
    ],
    [
      'two fields, of which one is another',
      token({ field: 'a[*].b' }),
      { body: '{"a":[{"b":"a secret"},{"b":"x"}]}' },
      'token: the token does not match',
    ],
    ['no authorization', { scheme: 'bearer' }, {}, 'bearer: the header authorization is missing'],
    [
      'another authorization',
      { scheme: 'bearer' },
      authorization('Basic a secret'),
      'bearer: the header authorization is not of the type bearer',
    ],
    [
      'an authorization alone',
      { scheme: 'bearer' },
      authorization('Bearer'),
      'bearer: the credentials do not match',
    ],
    ['the authorization', { scheme: 'bearer' }, authorization('BEARER  a secret'), undefined],
    [
      'other credentials',
      basic,
      authorization(encoded('ada:pass')),
      'basic: the credentials do not match',
    ],
    ['the credentials', basic, authorization(encoded('ada:pass:word')), undefined],
  ])
})

describe('a signature of its own kind is refused with the reason:', () => {
  const url = 'https://relay.example/a?b=1'
  const jws = (claims: object, alg = 'HS256') =>
    new SignJWT({ ...claims }).setProtectedHeader({ alg }).sign(new TextEncoder().encode(secret))
  const whsec = `whsec_${Buffer.from(secret).toString('base64')}`
  const standard = { scheme: 'standard-webhooks', secret: whsec }
  const webhook = (more: Record<string, string>, prefix = 'webhook'): Sent => ({
    headers: Object.fromEntries(
      Object.entries({ id: 'msg_1', timestamp: now, signature: 'v1,AAAA', ...more }).map(
        ([name, value]) => [`${prefix}-${name}`, value],
      ),
    ),
  })
  const signature = `v1,${hmac(`msg_1.${now}.${body}`, 'sha256', 'base64')}`
  const contentful = { scheme: 'contentful', url }
  const listed = 'x-contentful-signed-headers,x-contentful-timestamp'
  const ofContentful = (more: Record<string, string>): Sent => ({
    headers: {
      'x-contentful-signature': 'aabb',
      'x-contentful-signed-headers': listed,
      'x-contentful-timestamp': `${now}000`,
      ...more,
    },
  })
  const contentfulSignature = (path: string) =>
    hmac(
      `POST\n${path}\nx-contentful-signed-headers:${listed};x-contentful-timestamp:${now}000\n${body}`,
    )
  const mailgun = (fields: object): Sent => ({ body: JSON.stringify(fields) })
  const twilio = { scheme: 'twilio', url }

  tests([
    [
      'standard-webhooks without an id',
      standard,
      webhook({ id: '' }),
      'standard-webhooks: the header webhook-id is missing',
    ],
    [
      'standard-webhooks without a time',
      standard,
      webhook({ timestamp: '' }, 'svix'),
      'standard-webhooks: the header svix-timestamp is missing',
    ],
    [
      'standard-webhooks without a signature',
      standard,
      {},
      'standard-webhooks: the header webhook-id is missing',
    ],
    [
      'standard-webhooks with a full stop',
      standard,
      webhook({ id: 'a.b' }, 'svix'),
      'standard-webhooks: the header svix-id holds a full stop',
    ],
    [
      'standard-webhooks with no time',
      standard,
      webhook({ timestamp: 'x' }),
      'standard-webhooks: the timestamp is invalid',
    ],
    [
      'standard-webhooks with a short signature',
      standard,
      webhook({}),
      'standard-webhooks: the signature has 3 bytes, but one of sha256 has 32',
    ],
    [
      'standard-webhooks of another kind',
      standard,
      webhook({ signature: 'v1a,AAAA' }),
      'standard-webhooks: the signature does not match',
    ],
    [
      'standard-webhooks with no base64',
      standard,
      webhook({ signature: 'v1,%' }),
      'standard-webhooks: the signature does not match',
    ],
    [
      'standard-webhooks, right',
      standard,
      webhook({ signature: `v1,AAAA ${signature}` }),
      undefined,
    ],
    [
      'standard-webhooks, with a secret of Supabase',
      { ...standard, secret: `v1,${whsec}` },
      webhook({ signature }, 'svix'),
      undefined,
    ],
    [
      'standard-webhooks, with the base64 alone',
      { ...standard, secret: whsec.slice(6) },
      webhook({ signature }),
      undefined,
    ],
    [
      'standard-webhooks of another time',
      standard,
      webhook({
        timestamp: late,
        signature: `v1,${hmac(`msg_1.${late}.${body}`, 'sha256', 'base64')}`,
      }),
      'standard-webhooks: the timestamp is more than 300 seconds away from the receipt',
    ],
    [
      'contentful without a signature',
      contentful,
      {},
      'contentful: the header x-contentful-signature is missing',
    ],
    [
      'contentful without a list',
      contentful,
      ofContentful({ 'x-contentful-signed-headers': '' }),
      'contentful: the header x-contentful-signed-headers is missing',
    ],
    [
      'contentful without a time',
      contentful,
      ofContentful({ 'x-contentful-timestamp': '' }),
      'contentful: the header x-contentful-timestamp is missing',
    ],
    [
      'contentful with an unsigned time',
      contentful,
      ofContentful({ 'x-contentful-signed-headers': 'x-contentful-signed-headers' }),
      'contentful: x-contentful-timestamp is not signed',
    ],
    [
      'contentful with an unsigned list',
      contentful,
      ofContentful({ 'x-contentful-signed-headers': 'x-contentful-timestamp' }),
      'contentful: x-contentful-timestamp is not signed',
    ],
    [
      'contentful without a signed header',
      contentful,
      ofContentful({ 'x-contentful-signed-headers': `${listed},x-a` }),
      'contentful: a signed header is missing, or does not travel',
    ],
    [
      'contentful with a shifted header',
      contentful,
      ofContentful({
        'x-contentful-signed-headers': `${listed},x-a`,
        'x-a': 'b;x-contentful-timestamp:1',
      }),
      'contentful: a signed header holds what separates it from the next one',
    ],
    [
      'contentful with no time',
      contentful,
      ofContentful({ 'x-contentful-timestamp': 'x' }),
      'contentful: the timestamp is invalid',
    ],
    [
      'contentful with a short signature',
      contentful,
      ofContentful({}),
      'contentful: the signature has 2 bytes, but one of sha256 has 32',
    ],
    [
      'contentful with no hex',
      contentful,
      ofContentful({ 'x-contentful-signature': 'x' }),
      'contentful: the signature does not match',
    ],
    [
      'contentful, right',
      contentful,
      ofContentful({ 'x-contentful-signature': contentfulSignature('/a?b=1') }),
      undefined,
    ],
    [
      'contentful, as its package writes the query',
      contentful,
      ofContentful({ 'x-contentful-signature': contentfulSignature('/a?b%253D1') }),
      undefined,
    ],
    [
      'contentful, without a query',
      { ...contentful, url: 'HTTPS://relay.example/ä#x' },
      ofContentful({ 'x-contentful-signature': contentfulSignature('/%C3%A4') }),
      undefined,
    ],
    [
      'mailgun without fields',
      { scheme: 'mailgun' },
      {},
      'mailgun: the body has no timestamp, token and signature',
    ],
    [
      'mailgun with no object',
      { scheme: 'mailgun' },
      { body: '5' },
      'mailgun: the body has no timestamp, token and signature',
    ],
    [
      'mailgun with no time',
      { scheme: 'mailgun' },
      mailgun({ timestamp: 'x', token: 't', signature: 'aa' }),
      'mailgun: the timestamp is invalid',
    ],
    [
      'mailgun with a short signature',
      { scheme: 'mailgun' },
      mailgun({ timestamp: now, token: 't', signature: 'aa' }),
      'mailgun: the signature has 1 bytes, but one of sha256 has 32',
    ],
    [
      'mailgun with no hex',
      { scheme: 'mailgun' },
      mailgun({ timestamp: now, token: 't', signature: 'x' }),
      'mailgun: the signature does not match',
    ],
    [
      'mailgun, in the fields of a route',
      { scheme: 'mailgun' },
      mailgun({ timestamp: now, token: 't', signature: hmac(`${now}t`) }),
      undefined,
    ],
    [
      'mailgun, in an object',
      { scheme: 'mailgun' },
      mailgun({ signature: { timestamp: Number(now), token: 't', signature: hmac(`${now}t`) } }),
      undefined,
    ],
    [
      'mailgun of another time',
      { scheme: 'mailgun' },
      mailgun({ timestamp: late, token: 't', signature: hmac(`${late}t`) }),
      'mailgun: the timestamp is more than 300 seconds away from the receipt',
    ],
    ['twilio without a signature', twilio, {}, 'twilio: the header x-twilio-signature is missing'],
    [
      'twilio with JSON',
      twilio,
      { headers: { 'x-twilio-signature': 'AAAA' } },
      'twilio: the body is neither a form, nor signed by bodySHA256 in the URL',
    ],
    [
      'twilio with another algorithm',
      twilio,
      {
        headers: {
          'x-twilio-signature': 'AAAA',
          'x-twilio-webhooks-signature-settings': 'algorithm=x',
        },
      },
      'twilio: the header x-twilio-webhooks-signature-settings names an unknown algorithm',
    ],
    [
      'twilio with another hash',
      twilio,
      { path: '?bodySHA256=aa', headers: { 'x-twilio-signature': 'AAAA' } },
      'twilio: the signature does not match',
    ],
    [
      'twilio with a short signature',
      twilio,
      { body: '', headers: { 'x-twilio-signature': 'AAAA' } },
      'twilio: the signature has 3 bytes, but one of sha1 has 20',
    ],
    [
      'twilio with no base64',
      twilio,
      { body: '', headers: { 'x-twilio-signature': '%' } },
      'twilio: the signature does not match',
    ],
    [
      'twilio with repeated parameters, in alphabetical order',
      twilio,
      {
        body: 'b=2&a=2&a=1&a=2&c=',
        headers: {
          'content-type': 'Application/X-WWW-Form-Urlencoded; charset=utf-8',
          'x-twilio-signature': hmac(`${url}a1a2b2c`, 'sha1', 'base64'),
        },
      },
      undefined,
    ],
    [
      'twilio with a fragment, a user and the other port',
      { ...twilio, url: 'http://u:p@[::1]/a?x=1&x=2&1=3#y' },
      {
        body: '',
        headers: {
          'x-twilio-signature': hmac('http://u:p@[::1]:80/a?1=3&x=1&x=2', 'sha1', 'base64'),
        },
      },
      undefined,
    ],
  ])

  test('netlify', async () => {
    const refusal = async (token: string) =>
      reason({ scheme: 'netlify' }, { headers: { 'x-webhook-signature': token } })
    const sha256 = Buffer.from(
      await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body)),
    ).toString('hex')
    const iss = 'netlify'
    expect(await refusal('x')).toBe('netlify: the header x-webhook-signature is missing')
    expect(await refusal(await jws({ iss, sha256 }))).toBeUndefined()
    expect(await refusal(`${await jws({ iss, sha256 })}.`)).toBe(
      'netlify: the header x-webhook-signature is missing',
    )
    expect(await refusal(await jws({ iss, sha256 }, 'HS512'))).toBe(
      'netlify: the signature does not match',
    )
    expect(await refusal(await jws({ sha256 }))).toBe('netlify: the signature is not of Netlify')
    expect(await refusal(await jws({ iss, sha256: 'x' }))).toBe(
      'netlify: the signature does not match',
    )
  })

  test('monday', async () => {
    const refusal = async (token: string, more = {}) =>
      reason({ scheme: 'monday', ...more }, { headers: { authorization: token } })
    const iat = Number(now)
    const [aud, exp] = [url, iat]
    expect(await refusal('')).toBe('monday: the header authorization is missing')
    expect(await refusal('x')).toBe('monday: the signature does not match')
    expect(await refusal(`bearer  ${await jws({ aud, exp, iat })}`, { url })).toBeUndefined()
    expect(await refusal(await jws({ exp }))).toBeUndefined()
    expect(await refusal(await jws({ exp, iat: 'x' }))).toBe('monday: the timestamp is invalid')
    expect(await refusal(await jws({ exp, aud: 'x' }), { url })).toBe(
      'monday: the signature is for another URL',
    )
    expect(await refusal(await jws({ exp: 'x' }))).toBe(
      'monday: the signature does not say until when it is valid',
    )
    expect(await refusal(await jws({ exp: exp - 300 }))).toBeUndefined()
    expect(await refusal(await jws({ exp: exp - 301 }))).toBe('monday: the signature has expired')
    expect(await refusal(await jws({ exp: exp - 61 }), { tolerance: 60 })).toBe(
      'monday: the signature has expired',
    )
    expect(await refusal(await jws({ exp, iat: iat - 301 }))).toBe(
      'monday: the timestamp is more than 300 seconds away from the receipt',
    )
  })

  test('plaid', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const jwk = { ...(await exportJWK(publicKey)), kid: 'k' }
    const refusal = async (token: string, more = {}) =>
      reason(
        { scheme: 'plaid', secret: JSON.stringify({ ...jwk, ...more }) },
        { headers: { 'plaid-verification': token } },
      )
    const hash = Buffer.from(
      await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body)),
    ).toString('hex')
    const signed = (claims: object, kid = 'k') =>
      new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey)
    const claims = { iat: Number(now), request_body_sha256: hash }
    expect(await refusal('x')).toBe('plaid: the header plaid-verification is missing')
    expect(await refusal(await jws(claims))).toBe('plaid: the signature is not of ES256')
    expect(await refusal(await signed(claims, 'other'))).toBe(
      'plaid: the "kid" of the signature is that of no key in "secret": ask Plaid for that key, and add it',
    )
    expect(await refusal(await signed(claims), { expired_at: Number(now) })).toBe(
      'plaid: the key with the "kid" of the signature has expired',
    )
    expect(await refusal(await signed(claims), { expired_at: Number(now) + 1 })).toBeUndefined()
    expect(await refusal(await signed(claims), { expired_at: null })).toBeUndefined()
    expect(await refusal(await signed(claims), { x: jwk.y, y: jwk.x })).toBe(
      'plaid: the signature does not match',
    )
    expect(await refusal(await signed({ ...claims, request_body_sha256: 'x' }))).toBe(
      'plaid: the signature does not match',
    )
    expect(await refusal(await signed({ ...claims, iat: Number(now) - 301 }))).toBe(
      'plaid: the timestamp is more than 300 seconds away from the receipt',
    )
  })
})

describe('a message of SNS is refused with the reason:', () => {
  const message = {
    ...{ Type: 'Notification', MessageId: 'm', TopicArn: 't', Message: 'x' },
    ...{ Timestamp: time.toISOString(), SignatureVersion: '2', Signature: 'AA==' },
    SigningCertURL: 'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0af1.pem',
  }
  const MISSING = 'aws-sns: a signed field of the message is missing'
  const UNAVAILABLE = 'aws-sns: the certificate of SNS could not be downloaded'
  const INVALID = 'aws-sns: the certificate is invalid, expired, or does not belong to SNS'
  const answer =
    (status: number, text = '') =>
    async () => ({ status, headers: {}, text })

  test.each<[string, unknown, (typeof QUIET_WORLD)['http'] | Error | undefined, string]>([
    ['no object', [], undefined, 'aws-sns: the body is not an SNS message'],
    ['no type', {}, undefined, 'aws-sns: the body is not an SNS message'],
    ['another type', { Type: 'Other' }, undefined, 'aws-sns: the body is not an SNS message'],
    ['no topic', { ...message, TopicArn: undefined }, undefined, MISSING],
    ['a subject that is no string', { ...message, Subject: 5 }, undefined, MISSING],
    [
      'a confirmation without a token',
      { ...message, Type: 'SubscriptionConfirmation' },
      undefined,
      MISSING,
    ],
    [
      'another end without a token',
      { ...message, Type: 'UnsubscribeConfirmation' },
      undefined,
      MISSING,
    ],
    [
      'another version',
      { ...message, SignatureVersion: '3' },
      undefined,
      'aws-sns: the signature version is neither 1 nor 2',
    ],
    [
      'no version',
      { ...message, SignatureVersion: undefined },
      undefined,
      'aws-sns: the signature version is neither 1 nor 2',
    ],
    [
      'another address',
      { ...message, SigningCertURL: 'https://a.example/SimpleNotificationService-0af1.pem' },
      undefined,
      'aws-sns: the address of the certificate is not an address of SNS',
    ],
    [
      'no base64',
      { ...message, Signature: '%' },
      undefined,
      'aws-sns: the signature does not match',
    ],
    ['no certificate', { ...message, SignatureVersion: '1' }, answer(404), UNAVAILABLE],
    ['no response', message, new HttpFailure('timeout', 'aborted'), UNAVAILABLE],
    ['a certificate that is none', message, answer(200, 'no PEM'), INVALID],
  ])('%s', async (_, sent, http, expected) => {
    const calls: object[] = []
    const ports = {
      ...QUIET_WORLD,
      http: async (request: object) => {
        calls.push(request)
        if (!http || http instanceof Error) throw http ?? new Error('nothing may be fetched')
        return http()
      },
    }
    const verify = { scheme: 'aws-sns', secret: undefined }
    expect(await reason(verify, { body: JSON.stringify(sent) }, ports)).toBe(expected)
    const call = { method: 'GET', url: message.SigningCertURL, timeout: 5000 }
    expect(calls).toEqual(http ? [call] : [])
  })

  test('a bug is none', async () => {
    const bug = new TypeError('a bug')
    const http = async () => {
      throw bug
    }
    const sent = { body: JSON.stringify(message) }
    await expect(reason({ scheme: 'aws-sns', secret: undefined }, sent, { http })).rejects.toBe(bug)
  })
})
