import https from 'node:https'
import { connect } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import MessageValidator from 'sns-validator'
import { type Http, HttpFailure } from '../../../src/wire/http.ts'
import { bound, receive } from '../../support/receive.ts'
import { rsaKeys } from '../../support/rsa.ts'
import {
  CERTIFICATE_URL,
  CONFIRMATION,
  NOTIFICATION,
  RECEIVED,
  Signatory,
  type SnsMessage,
  SUBSCRIBE_URL,
  TOPIC,
} from '../../support/sns-signatory.ts'
import { NOW, pathOf, post, scene } from './aws-sns-scene.ts'

const here = scene()

/** The same keys for all certificates that differ in something else. */
const KEYS = rsaKeys('sns-2')

describe('a notification', () => {
  const { Subject: _, ...withoutSubject } = NOTIFICATION
  const messages: readonly (readonly [string, SnsMessage])[] = [
    ['with a subject', NOTIFICATION],
    ['without one', withoutSubject],
  ]
  test.each(messages.flatMap((row) => [[...row, '1'] as const, [...row, '2'] as const]))(
    '%s, signed in version %3$s, is verified with its certificate',
    async (_, message, version) => {
      const { items, messages } = await post(here, here.signatory.sign(message, version))
      expect(items).toHaveLength(1)
      expect(messages ?? []).toEqual([])
      expect(here.amazon.visited).toEqual([CERTIFICATE_URL])
    },
  )

  test('is verified by the webhook trigger too', async () => {
    const body = JSON.stringify(here.signatory.sign(NOTIFICATION))
    const verify = { scheme: 'aws_sns', topic: [TOPIC] }
    const sent = { body, receivedAt: RECEIVED }
    const trigger = bound('webhook', { verify })
    expect((await receive(trigger, sent, { http: here.amazon.http, now: NOW })).items).toHaveLength(
      1,
    )
  })

  const fields = ['Type', 'MessageId', 'TopicArn', 'Subject', 'Message', 'Timestamp', 'Signature']
  test.each(fields)(
    'is refused after every change of one bit of its %s',
    async (field) => {
      const signed = here.signatory.sign(NOTIFICATION)
      const text = String(signed[field])
      for (let at = 0; at < text.length; at += 5) {
        const char = String.fromCharCode(text.charCodeAt(at) ^ (1 << (at % 7)))
        const changed = text.slice(0, at) + char + text.slice(at + 1)
        expect((await post(here, { ...signed, [field]: changed })).items).toEqual([])
      }
    },
    60_000,
  )

  test.each([
    ['without a field', { MessageId: undefined }],
    ['with a subject that is no text', { Subject: 5 }],
    ['with a subject of null', { Subject: null }],
    ['without its subject', { Subject: undefined }],
    ['of a type that there is not', { Type: 'Other' }],
    [
      'as a confirmation',
      { Type: 'UnsubscribeConfirmation', Token: '1', SubscribeURL: SUBSCRIBE_URL },
    ],
    ['of version 3', { SignatureVersion: '3' }],
    ['without a version', { SignatureVersion: undefined }],
    ['without a signature', { Signature: undefined }],
  ])('is refused %s', async (_, change) => {
    const { items, messages } = await post(here, {
      ...here.signatory.sign(NOTIFICATION),
      ...change,
    })
    expect(items).toEqual([])
    expect(messages).toHaveLength(1)
  })

  test.each([5, null, ['x'], { a: 1 }])(
    'with a subject of %j that was not signed is refused',
    async (subject) => {
      const message = { ...here.signatory.sign(withoutSubject), Subject: subject }
      expect((await post(here, message)).items).toEqual([])
    },
  )

  test.each([
    [TOPIC, 1],
    [[`${TOPIC}2`, TOPIC], 1],
    [`${TOPIC}2`, 0],
  ])('with the topic %j fires %d time(s)', async (topic, count) => {
    const { items } = await post(here, here.signatory.sign(NOTIFICATION), { verify: { topic } })
    expect(items).toHaveLength(count)
  })

  test.each([
    [0, 1],
    [3600, 1],
    [3901, 0],
    [-3901, 0],
  ])('received %d seconds after its time fires %d time(s)', async (skew, count) => {
    const at = new Date(Date.parse(String(NOTIFICATION.Timestamp)) + skew * 1000)
    expect((await post(here, here.signatory.sign(NOTIFICATION), undefined, at)).items).toHaveLength(
      count,
    )
  })

  test.each(['not JSON', '[]', '{}', 'null'])('is not %j', async (body) => {
    const sent = { body, receivedAt: RECEIVED }
    const { items } = await receive(bound('aws_sns', { verify: {} }), sent, {
      http: here.amazon.http,
    })
    expect(items).toEqual([])
    expect(here.amazon.connections).toBe(0)
  })
})

describe('a certificate', () => {
  test.each([
    ['is missing', async () => ({ status: 404 })],
    ['is none', async () => ({ status: 200, text: '<html>' })],
    ['is of another key', async () => pem(new Signatory({ keys: KEYS }))],
    ['is said to be elsewhere', async () => ({ status: 302, location: here.amazon.address })],
  ])('that %s verifies nothing', async (_, answer) => {
    here.amazon.answers = { [pathOf(CERTIFICATE_URL)]: await answer(), '/': pem(here.signatory) }
    const { items, messages } = await post(here, here.signatory.sign(NOTIFICATION))
    expect(items).toEqual([])
    expect(messages?.[0]?.text).toMatch(/^signature verification failed/)
    expect(here.amazon.connections).toBe(1)
  })

  test.each([
    ['is valid today', {}, 1],
    ['is expired', { days: [-3, -2] }, 0],
    ['is not valid yet', { days: [2, 3] }, 0],
    ['is of a region', { subject: 'CN=sns.us-west-2.amazonaws.com' }, 1],
    ['is of China', { subject: 'CN=sns.cn-north-1.amazonaws.com.cn, O=Amazon' }, 1],
    ['is of the European Sovereign Cloud', { subject: 'CN=sns.eusc-de-east-1.amazonaws.eu' }, 1],
    ['has another ending', { subject: 'CN=sns.eusc-de-east-1.amazonaws.eu.evil.example' }, 0],
    ['has another domain', { subject: 'CN=sns.amazonaws.eus' }, 0],
    ['names a bucket of that name', { subject: 'CN=evil.example' }, 0],
    ['only begins with the name', { subject: 'CN=sns.amazonaws.com.evil.example' }, 0],
    ['only ends with the name', { subject: 'CN=evilsns.amazonaws.com' }, 0],
    ['has the name elsewhere', { subject: 'O=CN\\=sns.amazonaws.com, CN=evil.example' }, 0],
    ['has two names', { subject: 'CN=evil.example, CN=sns.amazonaws.com' }, 0],
    ['has none', { subject: 'O=sns.amazonaws.com' }, 0],
  ] as const)('of the signatory that %s makes %3$d item(s)', async (_, terms, count) => {
    const signatory = new Signatory({ ...terms, keys: KEYS })
    here.amazon.answers = { [pathOf(CERTIFICATE_URL)]: pem(signatory) }
    expect((await post(here, signatory.sign(NOTIFICATION))).items).toHaveLength(count)
  })

  test('that is not of RSA verifies nothing', async () => {
    const signatory = Signatory.elliptic()
    here.amazon.answers = { [pathOf(CERTIFICATE_URL)]: pem(signatory) }
    expect((await post(here, signatory.sign(NOTIFICATION))).items).toEqual([])
  })

  test('that was valid when a message says that it was received, and is not now, verifies nothing', async () => {
    const body = JSON.stringify(here.signatory.sign(NOTIFICATION))
    const later = () => RECEIVED.getTime() + 2 * 86_400_000
    const ports = { http: here.amazon.http, now: later }
    const sent = { body, receivedAt: RECEIVED }
    expect((await receive(bound('aws_sns', { verify: {} }), sent, ports)).items).toEqual([])
  })

  test('that cannot be fetched verifies nothing, and breaks nothing', async () => {
    here.amazon.stop()
    expect((await post(here, here.signatory.sign(NOTIFICATION))).messages?.[0]?.text).toMatch(
      'could not be downloaded',
    )
  })
})

describe('a subscription', () => {
  test.each([{}, { verify: {} }, { verify: { topic: TOPIC } }])(
    'is confirmed with %j, once its signature holds, and is no item',
    async (options) => {
      const { items, checks, messages } = await post(
        here,
        here.signatory.sign(CONFIRMATION),
        options,
      )
      expect(items).toEqual([])
      expect(messages ?? []).toEqual([])
      expect(checks.at(-1)?.found).toBe('is a subscription request, which was confirmed')
      expect(here.amazon.visited.at(0)).toBe(CERTIFICATE_URL)
      expect(here.amazon.visited.filter((url) => url === SUBSCRIBE_URL)).toHaveLength(1)
      expect(here.amazon.visited.at(-1)).toBe(SUBSCRIBE_URL)
    },
  )

  test.each([
    ['another topic', { verify: { topic: `${TOPIC}2` } }, {}],
    ['a changed token', {}, { Token: '2336412f38' }],
    ['another address', {}, { SubscribeURL: `${SUBSCRIBE_URL}0` }],
    ['no signature', {}, { Signature: '' }],
    ['a user and password that are missing', { verify: { scheme: 'basic', secret: 'a:b' } }, {}],
  ])('is not confirmed with %s', async (_, options, change) => {
    const { items, messages } = await post(
      here,
      { ...here.signatory.sign(CONFIRMATION), ...change },
      options,
    )
    expect(items).toEqual([])
    expect(messages).toHaveLength(1)
    expect(here.amazon.visited).not.toContain(SUBSCRIBE_URL)
  })

  test.each([302, 403, 500])(
    'that Amazon answers with %d is said not to be confirmed',
    async (status) => {
      here.amazon.answers[pathOf(SUBSCRIBE_URL)] = {
        status,
        location: `${here.amazon.address}/elsewhere`,
      }
      const { messages } = await post(here, here.signatory.sign(CONFIRMATION), {})
      expect(messages?.map(({ text }) => text)).toEqual([
        `a subscription was not confirmed: unexpected response from SNS (status ${status})`,
      ])
      expect(here.amazon.visited).toEqual([CERTIFICATE_URL, SUBSCRIBE_URL])
    },
  )

  test('is said not to be confirmed when Amazon does not answer', async () => {
    const message = here.signatory.sign(CONFIRMATION)
    const http: Http = async (request) => {
      if (request.url === SUBSCRIBE_URL) throw new HttpFailure('timeout', 'aborted')
      return here.amazon.http(request)
    }
    const sent = { body: JSON.stringify(message), receivedAt: RECEIVED }
    const { messages } = await receive(bound('aws_sns', {}), sent, { http, now: NOW })
    expect(messages?.map(({ text }) => text)).toEqual([
      'a subscription was not confirmed: no response from SNS (timeout)',
    ])
  })

  test.each([CERTIFICATE_URL, SUBSCRIBE_URL])(
    'does not hide a fault of ours at %s',
    async (url) => {
      const sent = { body: JSON.stringify(here.signatory.sign(CONFIRMATION)), receivedAt: RECEIVED }
      const http: Http = async (request) => {
        if (request.url === url) throw new TypeError('a bug')
        return here.amazon.http(request)
      }
      await expect(receive(bound('aws_sns', {}), sent, { http, now: NOW })).rejects.toThrow('a bug')
    },
  )

  test('that is over is no item, and nothing is fetched', async () => {
    const { items } = await post(here, { ...CONFIRMATION, Type: 'UnsubscribeConfirmation' }, {})
    expect(items).toEqual([])
    expect(here.amazon.connections).toBe(0)
  })
})

describe("Amazon's own validator", () => {
  const { globalAgent } = https

  /**
   * Amazon's validator fetches by itself, so its connections are redirected to the stand-in,
   * without TLS.
   */
  beforeEach(() => {
    const agent = new https.Agent()
    agent.createConnection = () => connect(Number(new URL(here.amazon.address).port), '127.0.0.1')
    https.globalAgent = agent
  })
  afterEach(() => {
    https.globalAgent = globalAgent
  })

  function amazonAccepts(message: SnsMessage): Promise<boolean> {
    return new Promise((resolve) => {
      new MessageValidator().validate({ ...message }, (error) => resolve(error === null))
    })
  }

  test.each([
    ['a notification of version 1', NOTIFICATION, '1'],
    ['a notification of version 2', NOTIFICATION, '2'],
    ['a confirmation of version 1', CONFIRMATION, '1'],
    ['a confirmation of version 2', CONFIRMATION, '2'],
  ] as const)('thinks of %s as the trigger does', async (_, message, version) => {
    const signed = here.signatory.sign(message, version)
    const changed = { ...signed, Message: 'another' }
    expect(await amazonAccepts(signed)).toBe(true)
    expect(await amazonAccepts(changed)).toBe(false)
    expect((await post(here, signed)).messages ?? []).toEqual([])
    expect((await post(here, changed)).messages).toHaveLength(1)
  })
})

function pem({ certificate }: Signatory) {
  return { status: 200, text: certificate }
}
