import { describe, expect, test } from '@jest/globals'
import { SCHEME_NAMES } from '../../../src/triggers/verify/schemes.ts'
import { fc } from '../../support/properties.ts'
import { bound, QUIET_WORLD, receive } from '../../support/receive.ts'
import { anyRequest } from '../requests.ts'
import { SIGNERS } from './signers.ts'

/** The required options of each scheme. */
const OPTIONS = new Map<string, object>([
  ['aws-sns', { scheme: 'aws_sns' }],
  ...SIGNERS.map(({ verify, secret }) => [String(verify.scheme), { ...verify, secret }] as const),
  ['token', { scheme: 'token', secret: 'x', field: 'Type' }],
])

/** The headers of every scheme with wrong values. */
const headers = fc.dictionary(
  fc.constantFrom(
    ...SIGNERS.flatMap(({ signature }) => signature?.[0] ?? []),
    ...['x-slack-request-timestamp', 'webhook-id', 'webhook-timestamp', 'content-type'],
    ...['x-contentful-signed-headers', 'x-contentful-timestamp', 'x-signature-timestamp'],
  ),
  fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.constantFrom('sha256=', 'sha256=00', 'v0=', 'v1,', 'v1,AA==', 't=,v1=', 't=1,v1=00'),
    fc.constantFrom('1', '99999999999', '-1', 'Bearer ', 'Basic Og==', 'v1,AA== v1a,AA=='),
    fc.constantFrom('e30.e30.AA', '..', 'eyJhbGciOiJub25lIn0.e30.', 'MAYCAQECAQE=', 'ts=1;h1=00'),
    fc.constantFrom('application/x-www-form-urlencoded', 'x-contentful-timestamp', '0'.repeat(128)),
  ),
)

/** Messages of SNS with one wrong field. */
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

/** Bodies of senders that authenticate in the body. */
const inBody = fc
  .tuple(
    fc.constantFrom('signature', 'timestamp', 'token', 'value', 'webhookTimestamp', 'Type'),
    fc.jsonValue({ maxDepth: 3 }),
  )
  .map(([field, value]) => JSON.stringify({ [field]: value }))

const hostile = fc
  .tuple(anyRequest, headers, fc.option(fc.oneof(sns, inBody)))
  .map(([sent, more, body]) => ({
    ...sent,
    headers: { ...sent.headers, ...more },
    ...(body !== null && { method: 'POST', body }),
  }))

describe.each(SCHEME_NAMES)('%s', (scheme) => {
  test('refuses whatever comes, with one sentence and without failing', async () => {
    const trigger = bound('webhook', { verify: OPTIONS.get(scheme) })
    await fc.assert(
      fc.asyncProperty(hostile, async (sent) => {
        const { items, messages = [] } = await receive(trigger, sent, QUIET_WORLD)
        expect(items).toEqual([])
        expect(messages).toHaveLength(1)
        expect(messages[0]?.text).toMatch(
          /^signature verification failed, so the request fires nothing \(\S.*\)(?:; see https:\S+)?$/,
        )
      }),
      { numRuns: 15 },
    )
  })
})
