import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { TRIGGERS } from '../../../src/triggers/index.ts'
import { bound, receive } from '../../support/receive.ts'

const secret = 'a token of a sender'
const encoded = encodeURIComponent(secret)

async function itemOf(verify: unknown, sent: Parameters<typeof receive>[1]) {
  const { items } = await receive(bound('webhook', { verify }), sent)
  expect(items).toHaveLength(1)
  return items[0] ?? {}
}

describe('without any verification', () => {
  test.each([
    'Authorization',
    'X-Api-Key',
    'X-Auth-Token',
    'X-Gitlab-Token',
    'X-Telegram-Bot-Api-Secret-Token',
  ])('%s is left out of the headers', async (name) => {
    const { headers } = await itemOf(undefined, { headers: { [name]: 'x', 'X-Other': 'y' } })
    expect(headers).toEqual({ 'x-other': 'y' })
  })

  test('a signature stays, for a job that checks it by itself', async () => {
    const headers = { 'x-hub-signature-256': 'sha256=0a', 'stripe-signature': 't=1,v1=0a' }
    expect((await itemOf(undefined, { headers })).headers).toEqual(headers)
  })

  test('ids and times, by which one may deduplicate, stay', async () => {
    const headers = { 'webhook-id': '1', 'webhook-timestamp': '2', 'x-github-delivery': '3' }
    expect((await itemOf(undefined, { headers })).headers).toEqual(headers)
  })
})

describe('a token', () => {
  test.each([
    [`?a=1&key=${encoded}&b=2`, 'a=1&b=2'],
    [`?key=${encoded}`, ''],
    [`?%6bey=${encoded}&%20=%zz&a=`, '%20=%zz&a='],
  ])('in the query %s leaves %j', async (path, querystring) => {
    const item = await itemOf({ scheme: 'token', secret, query: 'key' }, { path })
    const query = Object.fromEntries(new URLSearchParams(querystring))
    expect(item).toMatchObject({ querystring, query, search: querystring && `?${querystring}` })
    expect(JSON.stringify(item)).not.toContain(secret)
  })

  test.each([
    ['application/json', JSON.stringify({ token: secret, a: 1 }), { a: 1 }],
    ['application/x-www-form-urlencoded', `a=1&token=${encoded}`, { a: '1' }],
  ])('in a body of %s is left out of it', async (type, body, rest) => {
    const headers = { 'Content-Type': type }
    const item = await itemOf({ scheme: 'token', secret, field: 'token' }, { headers, body })
    expect(item.body).toEqual(rest)
  })

  test.each([
    ['query', { path: '' }],
    ['query', { path: '?key=' }],
    ['query', { path: `?key=${encoded}&key=${encoded}` }],
    ['field', { body: '' }],
    ['field', { body: '{"key":["a token of a sender"]}' }],
    ['field', { body: '"key"' }],
    ['field', { body: '[]' }],
  ])('in the %s that is not there once, as text, is refused: %j', async (place, sent) => {
    const trigger = bound('webhook', { verify: { scheme: 'token', secret, [place]: 'key' } })
    expect((await receive(trigger, sent)).items).toEqual([])
  })

  test('named toString finds nothing inherited', async () => {
    const trigger = bound('webhook', { verify: { scheme: 'token', secret, field: 'toString' } })
    expect((await receive(trigger, { body: '{}' })).items).toEqual([])
  })

  test.each(['constructor', '__proto__', "a['prototype']", 'a..b'])(
    'named %s is refused',
    (field) => {
      const options = { verify: { scheme: 'token', secret, field } }
      expect(() => bound('webhook', options)).toThrow(/every object inherits|is not a path/)
    },
  )
})

describe('several schemes', () => {
  const verify = [
    { scheme: 'bearer', secret },
    { scheme: ['gitlab', 'telegram'], secret },
  ]
  test.each([
    [{ Authorization: `Bearer ${secret}` }, 1],
    [{ Authorization: `bearer  ${secret}` }, 1],
    [{ 'X-Gitlab-Token': secret }, 1],
    [{ 'X-Telegram-Bot-Api-Secret-Token': secret, 'X-Gitlab-Token': 'wrong' }, 1],
    [{ Authorization: `Basic ${secret}` }, 0],
    [{ Authorization: secret }, 0],
    [{ Authorization: `Bearer ${secret}, Bearer ${secret}` }, 0],
    [{}, 0],
  ])('with %j fire %d time(s)', async (headers, count) => {
    const { items } = await receive(bound('webhook', { verify }), { headers })
    expect(items).toHaveLength(count)
  })

  test('that all refuse are all told of, without a value', async () => {
    const headers = { Authorization: 'Bearer guess', 'X-Gitlab-Token': 'guess' }
    const { checks, messages } = await receive(bound('webhook', { verify }), { headers })
    const found =
      'bearer: the credentials do not match; gitlab: the token does not match; telegram: the header x-telegram-bot-api-secret-token is missing'
    expect(checks.at(-1)).toEqual({ option: 'verify', held: false, found })
    expect(messages?.map(({ text }) => text)).toEqual([
      `signature verification failed, so the request fires nothing (${found})`,
    ])
  })
})

test.each([
  [{}, true],
  [{ 'X-Gitlab-Token': 'guess' }, undefined],
])('a request with %j is distinguished from one without a signature', async (headers, isAbsent) => {
  const verify = [
    { scheme: 'gitlab', secret },
    { scheme: 'token', field: 'a', secret },
  ]
  const { checks } = await receive(bound('webhook', { verify }), { headers })
  expect(checks.at(-1)?.isAbsent).toBe(isAbsent)
})

test('a request of another method or path is not looked at any further', async () => {
  const verify = { scheme: 'gitlab', secret }
  const trigger = bound('webhook', { verify, method: 'put', path: '/a' })
  const { checks, messages } = await receive(trigger, { method: 'POST', path: '/b' })
  expect(checks.map(({ option }) => option)).toEqual(['method', 'path'])
  expect(messages).toBeUndefined()
})

describe('white space around a secret', () => {
  const told = /^a "secret" or "url" of "verify" begins or ends with white space/

  test.each([
    ['a line break', 'a\n'],
    ['a line break of Windows', 'a\r\n'],
    ['a space before it', ' a'],
    ['a tab', 'a\t'],
    ['a space that does not break', 'a\u00a0'],
    ['a space without width', 'a\u200b'],
    ['a byte order mark', '\ufeffa'],
  ])('%s: the secret is named, whether it was the one or not', async (_, secret) => {
    const verify = { scheme: 'bearer', secret: [secret, 'b'] }
    for (const [sent, count] of [
      ['a', 0],
      ['b', 1],
    ] as const) {
      const headers = { Authorization: `Bearer ${sent}` }
      const { items, messages = [] } = await receive(bound('webhook', { verify }), { headers })
      expect(items).toHaveLength(count)
      expect(messages.at(-1)?.text).toMatch(told)
      expect(messages).toHaveLength(2 - count)
    }
  })

  test('a space around "url" is named too', async () => {
    const verify = { scheme: 'twilio', secret: 'a', url: 'https://relay.example/a ' }
    const { messages = [] } = await receive(bound('webhook', { verify }), {})
    expect(messages.map(({ text }) => text)).toEqual([
      expect.stringContaining('x-twilio-signature is missing'),
      expect.stringMatching(told),
    ])
  })

  test.each([
    ['a secret without', 'a'],
    ['a secret with a space inside', 'a b'],
  ])('%s gives no such message', async (_, secret) => {
    const verify = { scheme: 'bearer', secret }
    const { messages = [] } = await receive(bound('webhook', { verify }), {})
    expect(messages).toHaveLength(1)
  })

  test('a PEM file, which ends in a line break, gives no such message', async () => {
    const { publicKey } = generateKeyPairSync('ed25519')
    const pem = publicKey.export({ type: 'spki', format: 'pem' })
    const verify = { scheme: 'ed25519', header: 'x-signature', secret: String(pem) }
    const { messages = [] } = await receive(bound('webhook', { verify }), {})
    expect(messages).toHaveLength(1)
  })

  test.each([
    ['standard-webhooks', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n'],
    ['standard-webhooks', ' whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    ['standard-webhooks', 'whsec_MfKQ9r8GKYqr\nTwjUPD8ILPZIo2LaLaSw'],
    ['teams', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\r\n'],
  ])('of the scheme %s is the mistake that is named: %j', (scheme, secret) => {
    const result = TRIGGERS.get('webhook')?.bind({ verify: { scheme, secret } })
    const messages = result && 'issues' in result ? result.issues.map(({ message }) => message) : []
    expect(messages).toEqual([
      '"secret" contains white space or a line break: store it again without',
    ])
  })

  test('a secret with another mistake too keeps its message', () => {
    const verify = { scheme: 'standard-webhooks', secret: ' not base64!\n' }
    const result = TRIGGERS.get('webhook')?.bind({ verify })
    const messages = result && 'issues' in result ? result.issues.map(({ message }) => message) : []
    expect(messages).toEqual([expect.stringContaining('is not whsec_…')])
  })
})
