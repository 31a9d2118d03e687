import { createHmac } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { SIGNATURE_NAMES, signed } from '../../../src/cli/send/signatures.ts'
import { Secret } from '../../../src/wire/secret.ts'

interface Vector {
  readonly scheme: string
  readonly secret: string
  readonly body: string
  readonly id?: string
  readonly timestamp?: number
  readonly url?: string
  readonly headers: Readonly<Record<string, string>>
}

const url = 'https://relay.example.com/o/r/w/t?__token=x'

/** As the makers of each scheme publish them, or made with Node's own HMAC. */
const VECTORS: readonly Vector[] = [
  {
    // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
    scheme: 'github',
    secret: "It's a Secret to Everybody",
    body: 'Hello, World!',
    headers: {
      'x-hub-signature-256':
        'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    },
  },
  {
    // https://api.slack.com/authentication/verifying-requests-from-slack
    scheme: 'slack',
    secret: '8f742231b10e8888abcd99yyyzzz85a5',
    timestamp: 1531420618,
    body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
    headers: {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
  },
  {
    // https://github.com/standard-webhooks/standard-webhooks, the vector of its libraries
    scheme: 'standard-webhooks',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1614265330,
    body: '{"test": 2432232314}',
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
  },
  {
    scheme: 'stripe',
    secret: 'whsec_test',
    timestamp: 1614265330,
    body: '{"id":"evt_1"}',
    headers: {
      'stripe-signature': `t=1614265330,v1=${hmac('sha256', 'whsec_test', '1614265330.{"id":"evt_1"}', 'hex')}`,
    },
  },
  {
    scheme: 'shopify',
    secret: 'hush',
    body: '{}',
    headers: { 'x-shopify-hmac-sha256': hmac('sha256', 'hush', '{}', 'base64') },
  },
  {
    scheme: 'typeform',
    secret: 'hush',
    body: '{}',
    headers: { 'typeform-signature': `sha256=${hmac('sha256', 'hush', '{}', 'base64')}` },
  },
  {
    scheme: 'trello',
    secret: 'hush',
    body: '{}',
    url,
    headers: { 'x-trello-webhook': hmac('sha1', 'hush', `{}${url}`, 'base64') },
  },
  {
    scheme: 'meta',
    secret: 'hush',
    body: '{}',
    headers: { 'x-hub-signature-256': `sha256=${hmac('sha256', 'hush', '{}', 'hex')}` },
  },
  { scheme: 'gitlab', secret: 'hush', body: '', headers: { 'x-gitlab-token': 'hush' } },
  {
    scheme: 'telegram',
    secret: 'hush',
    body: '',
    headers: { 'x-telegram-bot-api-secret-token': 'hush' },
  },
  { scheme: 'bearer', secret: 'hush', body: '', headers: { authorization: 'Bearer hush' } },
]

function hmac(algorithm: string, key: string, text: string, encoding: 'hex' | 'base64'): string {
  return createHmac(algorithm, key).update(text).digest(encoding)
}

function sign({ scheme, secret, body, id = 'msg_1', timestamp = 1, url = '' }: Vector) {
  const request = { method: 'POST', headers: {}, body: new TextEncoder().encode(body) }
  return signed(request, scheme, new Secret(secret), { id, timestamp, url })
}

test.each(VECTORS.map((vector) => [vector.scheme, vector] as const))('%s', async (_, vector) => {
  const { headers, body } = await sign(vector)
  expect(headers).toEqual(vector.headers)
  expect(new TextDecoder().decode(body)).toBe(vector.body)
})

test('every scheme has its vector', () => {
  expect(VECTORS.map(({ scheme }) => scheme).sort()).toEqual([...SIGNATURE_NAMES].sort())
})

describe('refused, without showing the secret', () => {
  test.each([
    ['an unknown scheme', 'githb', 'did you mean "github"?'],
    ['a secret that is no base64', 'standard-webhooks', 'whsec_'],
  ])('%s', async (_, scheme, text) => {
    const error = await sign({ scheme, secret: 'not*base64', body: '', headers: {} }).catch(
      (e) => e,
    )
    expect(JSON.stringify(error.problems)).toContain(JSON.stringify(text).slice(1, -1))
    expect(JSON.stringify(error.problems)).not.toContain('not*base64')
  })
})

test('bytes that are no text are signed as they are', async () => {
  const body = Uint8Array.of(0, 255, 128)
  const request = { method: 'POST', headers: {}, body }
  const moment = { id: '', timestamp: 1, url: '' }
  const { headers } = await signed(request, 'meta', new Secret('hush'), moment)
  const expected = createHmac('sha256', 'hush').update(body).digest('hex')
  expect(headers['x-hub-signature-256']).toBe(`sha256=${expected}`)
})
