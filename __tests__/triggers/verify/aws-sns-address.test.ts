import { describe, expect, test } from '@jest/globals'
import { certificateUrl, snsUrl } from '../../../src/triggers/verify/sns-scheme.ts'
import { fc } from '../../support/properties.ts'
import {
  CERTIFICATE_URL,
  CONFIRMATION,
  NOTIFICATION,
  SUBSCRIBE_URL,
} from '../../support/sns-signatory.ts'
import { post, scene } from './aws-sns-scene.ts'

const here = scene()

const TRICKS = [
  // The old virtual hosts of a bucket named `sns`, which anyone can own.
  'https://sns.s3-us-west-2.amazonaws.com/SimpleNotificationService-0af1.pem',
  'https://sns.s3.us-west-2.amazonaws.com/SimpleNotificationService-0af1.pem',
  'https://sns.s3.amazonaws.com/SimpleNotificationService-0af1.pem',
  'https://sns.s3-external-1.amazonaws.com/SimpleNotificationService-0af1.pem',
  'https://sns.s3-website-us-west-2.amazonaws.com/SimpleNotificationService-0af1.pem',
  'https://sns.execute-api-1.amazonaws.com/SimpleNotificationService-0af1.pem',
  // Buckets, and other services of a customer, in other partitions.
  ...[
    'sns.s3.eusc-de-east-1.amazonaws.eu',
    'sns.s3-website.eusc-de-east-1.amazonaws.eu',
    'sns.s3.cn-north-1.amazonaws.com.cn',
    'sns.s3-us-gov-west-1.amazonaws.com',
    'sns.s3.us-iso-east-1.c2s.ic.gov',
    'sns.eusc-de-east-1.elb.amazonaws.eu',
    // A region, and the domain of another partition.
    'sns.us-west-2.amazonaws.eu',
    'sns.eusc-de-east-1.amazonaws.com',
    'sns.eusc-de-east-1.amazonaws.eu.cn',
    'sns.us-west-2.amazonaws.com.cn',
    'sns.us-west-2.c2s.ic.gov',
    'sns.us-iso-east-1.sc2s.sgov.gov',
    'sns.eusc-de-east-1.amazonaws.eu.evil.example',
    'sns.eusc.amazonaws.eu',
  ].map((host) => `https://${host}/SimpleNotificationService-0af1.pem`),
  'http://sns.us-west-2.amazonaws.com/a.pem',
  'https://sns.us-west-2.amazonaws.com.evil.example/a.pem',
  'https://sns.us-west-2.amazonaws.com@evil.example/a.pem',
  'https://user@sns.us-west-2.amazonaws.com/a.pem',
  'https://user:word@sns.us-west-2.amazonaws.com/a.pem',
  'https://sns.us-west-2.amazonaws.com:8443/a.pem',
  'https://sns.us-west-2.amazonaws.com:443/a.pem',
  'https://sns.us-west-2.amazonaws.com./a.pem',
  'https://evil.sns.us-west-2.amazonaws.com/a.pem',
  'https://snsXus-west-2.amazonaws.com/a.pem',
  'https://sns.us-west-2.amazonaws.comX/a.pem',
  'https://sns.us.amazonaws.com/a.pem'.replace('us', 'u'),
  'https://sns.amazonaws.com/a.pem',
  'https://sns.us-west-2-amazonaws.com/a.pem',
  'https://sns.us-west-2.amazonaws.com\\@evil.example/a.pem',
  'https:\\\\sns.us-west-2.amazonaws.com/a.pem',
  'https:/sns.us-west-2.amazonaws.com/a.pem',
  'https:sns.us-west-2.amazonaws.com/a.pem',
  ' https://sns.us-west-2.amazonaws.com/a.pem',
  'https://sns.us-west-2.amazonaws.com/a.pem\n',
  'https://sns.us-west-2.amaz\tonaws.com/a.pem',
  'https://evil.example/#https://sns.us-west-2.amazonaws.com/a.pem',
  'https://evil.example/?https://sns.us-west-2.amazonaws.com/a.pem',
  'https://evil.example\u2044sns.us-west-2.amazonaws.com/a.pem',
  'https://sns\u3002us-west-2\u3002amazonaws\u3002com/a.pem',
  'https://ｓns.us-west-2.amazonaws.com/a.pem',
  'https://sns.us-west-2.amazonaws.com%2eevil.example/a.pem',
  'https://sns.us-west-2.amazonaws.com%00.evil.example/a.pem',
  'https://127.0.0.1/sns.us-west-2.amazonaws.com/a.pem',
  'https://[::1]/a.pem',
  'https://169.254.169.254/latest/meta-data/a.pem',
  'file:///sns.us-west-2.amazonaws.com/a.pem',
  'javascript:https://sns.us-west-2.amazonaws.com/a.pem',
  'data:text/plain,https://sns.us-west-2.amazonaws.com/a.pem',
  '//sns.us-west-2.amazonaws.com/a.pem',
  'sns.us-west-2.amazonaws.com/a.pem',
  '',
  null,
  ['https://sns.us-west-2.amazonaws.com/a.pem'],
  { href: 'https://sns.us-west-2.amazonaws.com/a.pem' },
]

describe('an address that only looks like one of SNS', () => {
  const calls = [
    'https://sns.us-west-2.amazonaws.com/a.pem',
    'https://sns.us-west-2.amazonaws.com/SimpleNotificationService-.pem',
    'https://sns.us-west-2.amazonaws.com/SimpleNotificationService-0AF1.pem',
    'https://sns.us-west-2.amazonaws.com/SimpleNotificationService-0af1.pem?x',
    'https://sns.us-west-2.amazonaws.com/x/SimpleNotificationService-0af1.pem',
    'https://sns.us-west-2.amazonaws.com/?Action=Publish&a.pem',
    'https://sns.us-west-2.amazonaws.com/a/b.pem',
    'https://sns.us-west-2.amazonaws.com/a.pem?x',
    'https://sns.us-west-2.amazonaws.com/a.txt',
    'https://sns.us-west-2.amazonaws.com/../a.pem',
  ]
  test.each([...TRICKS, ...calls].map((url) => [url]))(
    'is not asked for a certificate: %j',
    async (url) => {
      const { items } = await post(here, {
        ...here.signatory.sign(NOTIFICATION),
        SigningCertURL: url,
      })
      expect(items).toEqual([])
      expect([here.amazon.connections, here.amazon.visited]).toEqual([0, []])
    },
  )

  test.each(TRICKS.map((url) => [url]))(
    'peers’ fault of visiting any address: is not visited to confirm, even when signed: %j',
    async (url) => {
      const { items } = await post(
        here,
        here.signatory.sign({ ...CONFIRMATION, SubscribeURL: url }),
        {},
      )
      expect(items).toEqual([])
      expect(here.amazon.visited.filter((visited) => visited !== CERTIFICATE_URL)).toEqual([])
    },
  )

  test('every accepted address has a host of SNS', () => {
    const part = fc.constantFrom(
      ...'@:/\\?#%.[]\t\n é',
      'sns',
      'us-west-2',
      'eusc-de-east-1',
      'cn-north-1',
      's3',
      'amazonaws',
      'com',
      'cn',
      'eu',
      'evil',
      'https',
      '//',
      '.pem',
      '%2e',
      '443',
      '\u3002',
    )
    const mixed = fc.array(part, { maxLength: 14 }).map((parts) => parts.join(''))
    const near = fc
      .tuple(mixed, mixed, mixed)
      .map(
        ([a, b, c]) =>
          `https://${a}sns.us-west-2.amazonaws.com${b}/${c}SimpleNotificationService-0a.pem`,
      )
    fc.assert(
      fc.property(fc.oneof(mixed, near), (text) => {
        for (const address of [snsUrl(text), certificateUrl(text)]) {
          if (address === undefined) continue
          const { protocol, host, username, password } = new URL(address)
          expect(protocol + username + password).toBe('https:')
          expect(host).toMatch(
            /^sns\.(?:[a-z]{2}|eusc)(-[a-z]+)+-\d\.(?:amazonaws\.com(\.cn)?|amazonaws\.eu)$/,
          )
        }
      }),
      { numRuns: 5000 },
    )
  })

  test.each([
    new URL(CERTIFICATE_URL).host,
    'sns.us-gov-west-1.amazonaws.com',
    'sns.ap-southeast-5.amazonaws.com',
    'sns.cn-north-1.amazonaws.com.cn',
    'sns.cn-northwest-1.amazonaws.com.cn',
    'sns.eusc-de-east-1.amazonaws.eu',
    'sns.us-iso-east-1.c2s.ic.gov',
    'sns.us-isob-east-1.sc2s.sgov.gov',
    'sns.eu-isoe-west-1.cloud.adc-e.uk',
    'sns.us-isof-south-1.csp.hci.ic.gov',
  ])('unlike one at %s', (host) => {
    const certificate = `https://${host}/SimpleNotificationService-0af1.pem`
    const confirmation = `https://${host}/?Action=ConfirmSubscription&TopicArn=a&Token=b`
    expect(certificateUrl(certificate)).toBe(certificate)
    expect(snsUrl(confirmation)).toBe(confirmation)
    expect(snsUrl(SUBSCRIBE_URL)).toBe(SUBSCRIBE_URL)
  })
})
