import { createHmac } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { verifySlackRequest } from 'slack-edge'
import { Webhook } from 'standardwebhooks'
import { bound, receive } from '../../support/receive.ts'
import { SIGNERS } from './signers.ts'
import { VECTORS } from './vectors.ts'

test.each(VECTORS)('$sender, by $by: $name', async ({ verify, at, headers, body, path = '' }) => {
  const trigger = bound('webhook', { verify })
  const sent = { headers, body, path, receivedAt: new Date(at * 1000) }
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

test("a request signed by Slack's documentation is accepted by a verifier for Slack apps", async () => {
  const slack = SIGNERS.find(({ name }) => name === 'slack')
  const message = { body: 'text=hé', time: new Date() }
  const headers = new Headers((await slack?.sign(message, 'secret'))?.headers)
  expect(await verifySlackRequest('secret', headers, message.body)).toBe(true)
  expect(await verifySlackRequest('other', headers, message.body)).toBe(false)
})

describe('the signed string is unambiguous', () => {
  const at = new Date(1_614_265_330_000)

  test('an id of Standard Webhooks that holds a full stop is refused, for it may hold a time', async () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const body = '1614265330.{"to":"me"}'
    const signature = new Webhook(secret).sign('msg_1', at, body)
    const headers = {
      'webhook-id': 'msg_1.1614265330',
      'webhook-timestamp': '1614265330',
      'webhook-signature': signature,
    }
    const trigger = bound('webhook', { verify: { scheme: 'standard-webhooks', secret } })
    const shifted = { headers, body: '{"to":"me"}', receivedAt: at }
    expect((await receive(trigger, shifted)).items).toEqual([])
    const asSigned = { headers: { ...headers, 'webhook-id': 'msg_1' }, body, receivedAt: at }
    expect((await receive(trigger, asSigned)).items).toHaveLength(1)
  })

  test.each([
    ['{header.x-id}.{body}', { 'x-id': 'a' }, 'b.c', { 'x-id': 'a.b' }, 'c'],
    ['{body}|{header.x-id}', { 'x-id': 'c' }, 'a|b', { 'x-id': 'b|c' }, 'a'],
    ['{header.a};{header.b}/{body}', { a: '1', b: '2;3' }, '4', { a: '1;2', b: '3' }, '4'],
  ])(
    'of %s with a separator in a header nothing fires',
    async (template, fair, body, foul, rest) => {
      const signed = template
        .replace('{body}', body)
        .replace(/\{header\.([^}]*)\}/g, (_, name: string) => Object(fair)[name])
      const signature = createHmac('sha256', 'x').update(signed).digest('hex')
      const verify = { scheme: 'hmac', secret: 'x', header: 'x-signature', signedPayload: template }
      const trigger = bound('webhook', { verify })
      const sent = (headers: object, body: string) => ({
        headers: { ...headers, 'x-signature': signature },
        body,
      })
      expect((await receive(trigger, sent(fair, body))).items).toHaveLength(1)
      expect((await receive(trigger, sent(foul, rest))).items).toEqual([])
    },
  )
})
