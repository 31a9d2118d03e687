import { expect, test } from '@jest/globals'
import { verifySlackRequest } from 'slack-edge'
import { bound, receive } from '../support/receive.ts'
import { BY_DOCUMENTATION } from './signers/by-documentation.ts'

/** Messages and signatures that the makers of a scheme have published. */
const VECTORS = [
  {
    name: 'Standard Webhooks, the vector of its libraries',
    verify: { scheme: 'standard-webhooks', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    at: 1_614_265_330,
    headers: {
      'Webhook-Id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'Webhook-Timestamp': '1614265330',
      'Webhook-Signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    body: '{"test": 2432232314}',
  },
  {
    name: 'the same with a secret that has no prefix',
    verify: { scheme: 'standard-webhooks', secret: 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    at: 1_614_265_330,
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    body: '{"test": 2432232314}',
  },
  {
    name: 'the same among signatures of other keys and kinds',
    verify: { scheme: 'standard-webhooks', secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
    at: 1_614_265_330,
    headers: {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature':
        'v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc= v2,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc= v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
    body: '{"test": 2432232314}',
  },
  {
    name: 'Slack, "Verifying requests from Slack"',
    verify: { scheme: 'slack', secret: '8f742231b10e8888abcd99yyyzzz85a5' },
    at: 1_531_420_618,
    headers: {
      'X-Slack-Request-Timestamp': '1531420618',
      'X-Slack-Signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
    body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
  },
  {
    name: 'GitHub, "Validating webhook deliveries"',
    verify: { scheme: 'github', secret: "It's a Secret to Everybody" },
    at: 0,
    headers: {
      'X-Hub-Signature-256':
        'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    },
    body: 'Hello, World!',
  },
]

test.each(VECTORS)('R32: $name', async ({ verify, at, headers, body }) => {
  const trigger = bound('webhook', { verify })
  const sent = { headers, body, receivedAt: new Date(at * 1000) }
  expect((await receive(trigger, sent)).items).toHaveLength(1)
  expect((await receive(trigger, { ...sent, body: `${body} ` })).items).toHaveLength(0)
})

test('another id under the same signature is refused', async () => {
  const [vector] = VECTORS
  const headers = { ...vector?.headers, 'Webhook-Id': 'msg_p5jXN8AQM9LWM0D4loKWxJel' }
  const sent = { headers, body: vector?.body ?? '', receivedAt: new Date(1_614_265_330_000) }
  expect((await receive(bound('webhook', { verify: vector?.verify }), sent)).items).toEqual([])
})

test.each(['v2,', 'v1a,', 'V1,', 'v1', 'v1;', ''])(
  'under the name %j a signature of v1 is refused',
  async (kind) => {
    const [vector] = VECTORS
    const signature = `${kind}g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=`
    const headers = { ...vector?.headers, 'Webhook-Signature': signature }
    const sent = { headers, body: vector?.body ?? '', receivedAt: new Date(1_614_265_330_000) }
    expect((await receive(bound('webhook', { verify: vector?.verify }), sent)).items).toEqual([])
  },
)

test('what is signed here as Slack documents it, a verifier for Slack apps accepts', async () => {
  const slack = BY_DOCUMENTATION.find(({ name }) => name === 'slack')
  const message = { body: 'text=hé', time: new Date() }
  const headers = new Headers(await slack?.sign(message, 'secret'))
  expect(await verifySlackRequest('secret', headers, message.body)).toBe(true)
  expect(await verifySlackRequest('other', headers, message.body)).toBe(false)
})
