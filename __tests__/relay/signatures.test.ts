import { createHmac } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { RUNTIMES } from '../support/relays.ts'
import { scene } from '../support/scene.ts'

const hmac = (key: string | Buffer, text: string, encoding: 'hex' | 'base64') => {
  return createHmac('sha256', key).update(text).digest(encoding)
}

const SLACK_BODY =
  'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c'

type Headers = Readonly<Record<string, string>>

/** Each sender's own published example, or its scheme with a key of ours. */
const SENDERS = [
  {
    // https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries
    name: 'GitHub',
    body: 'Hello, World!',
    headers: [
      [
        'X-Hub-Signature-256',
        'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
      ],
    ],
    expected: (body: string) => `sha256=${hmac("It's a Secret to Everybody", body, 'hex')}`,
    sent: (headers: Headers) => headers['x-hub-signature-256'],
  },
  {
    // https://api.slack.com/authentication/verifying-requests-from-slack
    name: 'Slack',
    body: SLACK_BODY,
    headers: [
      ['X-Slack-Request-Timestamp', '1531420618'],
      ['X-Slack-Signature', 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503'],
    ],
    expected: (body: string, headers: Headers) => {
      const base = `v0:${headers['x-slack-request-timestamp']}:${body}`
      return `v0=${hmac('8f742231b10e8888abcd99yyyzzz85a5', base, 'hex')}`
    },
    sent: (headers: Headers) => headers['x-slack-signature'],
  },
  {
    // https://github.com/standard-webhooks/standard-webhooks
    name: 'Standard Webhooks',
    body: '{"test": 2432232314}',
    headers: [
      ['webhook-id', 'msg_p5jXN8AQM9LWM0D4loKWxJek'],
      ['webhook-timestamp', '1614265330'],
      ['webhook-signature', 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='],
    ],
    expected: (body: string, headers: Headers) => {
      const base = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
      const key = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')
      return `v1,${hmac(key, base, 'base64')}`
    },
    sent: (headers: Headers) => headers['webhook-signature'],
  },
  {
    // https://docs.stripe.com/webhooks/signature
    name: 'Stripe',
    body: '{\n  "id": "evt_1",\n  "object": "event",\n  "amount": 1.10,\n  "name": "Zoë 😀"\n}\n',
    headers: [['Stripe-Signature', 'replaced below']],
    expected: (body: string, headers: Headers) => {
      const timestamp = /t=(\d+)/.exec(headers['stripe-signature'] ?? '')?.[1]
      return `t=${timestamp},v1=${hmac('whsec_test', `${timestamp}.${body}`, 'hex')}`
    },
    sent: (headers: Headers) => headers['stripe-signature'],
  },
] as const

describe.each(RUNTIMES)('what a relay on %s forwards still verifies', (_, start) => {
  const at = scene(start)

  test.each(SENDERS)('$name', async ({ body, headers, expected, sent, name }) => {
    const signature = `t=1492774577,v1=${hmac('whsec_test', `1492774577.${body}`, 'hex')}`
    const signed = headers.map(([header, value]) => {
      return [header, name === 'Stripe' ? signature : value] as const
    })
    await at.send({ method: 'POST', target: '/o/r/hook/webhook', headers: signed, body })
    const [payload] = at.payloads()
    const forwarded = payload?.headers ?? {}
    expect(sent(forwarded)).toBe(expected(String(payload?.body), forwarded))
  })
})
