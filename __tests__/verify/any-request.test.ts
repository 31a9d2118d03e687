import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { SCHEMES } from '../../src/triggers/verify/schemes.ts'
import { bound, QUIET_WORLD, receive } from '../support/receive.ts'
import { anyRequest } from '../triggers/requests.ts'

/** What a scheme needs besides its name. */
const NEEDED: Readonly<Record<string, object>> = {
  aws_sns: {},
  'standard-webhooks': { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
  trello: { secret: 'x', url: 'https://relay.example/' },
  hmac: { secret: 'x', header: 'x-signature' },
  basic: { secret: 'user:password' },
  token: { secret: 'x', field: 'Type' },
}

/** Headers of every scheme, with something that is not what it should be. */
const headers = fc.dictionary(
  fc.constantFrom(
    ...['x-hub-signature-256', 'stripe-signature', 'x-slack-signature', 'webhook-signature'],
    ...['x-slack-request-timestamp', 'webhook-id', 'webhook-timestamp', 'svix-signature'],
    ...['x-shopify-hmac-sha256', 'typeform-signature', 'x-trello-webhook', 'x-signature'],
    ...['authorization', 'x-gitlab-token', 'x-telegram-bot-api-secret-token'],
  ),
  fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.constantFrom('sha256=', 'sha256=00', 'v0=', 'v1,', 'v1,AA==', 't=,v1=', 't=1,v1=00'),
    fc.constantFrom('1', '99999999999', '-1', 'Bearer ', 'Basic Og==', 'v1,AA== v1a,AA=='),
  ),
)

/** Messages of SNS in which one field is not what it should be. */
const sns = fc
  .tuple(
    fc.constantFrom('Type', 'SignatureVersion', 'Signature', 'SigningCertURL', 'Timestamp'),
    fc.oneof(fc.jsonValue({ maxDepth: 1 }), fc.constantFrom('constructor', '__proto__', '1')),
  )
  .map(([field, value]) =>
    JSON.stringify({
      ...{ Type: 'Notification', MessageId: 'a', TopicArn: 'a', Message: 'a', Timestamp: 'a' },
      ...{ SignatureVersion: '2', Signature: 'AA==' },
      SigningCertURL: 'https://sns.us-east-1.amazonaws.com/a.pem',
      [field]: value,
    }),
  )

const hostile = fc.tuple(anyRequest, headers, fc.option(sns)).map(([sent, more, body]) => ({
  ...sent,
  headers: { ...sent.headers, ...more },
  ...(body !== null && { method: 'POST', body }),
}))

describe.each([...SCHEMES.keys()])('%s', (scheme) => {
  test('refuses whatever comes, with one sentence and without failing', async () => {
    const verify = { scheme, ...(NEEDED[scheme] ?? { secret: 'x' }) }
    const trigger = bound('webhook', { verify })
    await fc.assert(
      fc.asyncProperty(hostile, async (sent) => {
        const { items, warnings = [] } = await receive(trigger, sent, QUIET_WORLD)
        expect(items).toEqual([])
        expect(warnings).toHaveLength(1)
        expect(warnings[0]).toMatch(/^a request was not verified, so it fires nothing \(\S.*\)$/)
      }),
      { numRuns: 200 },
    )
  })
})
