import { describe, expect, test } from '@jest/globals'
import { type Http, HttpFailure } from '../../../src/wire/http.ts'
import { bound, receive } from '../../support/receive.ts'
import {
  CERTIFICATE_URL,
  CONFIRMATION,
  RECEIVED,
  SUBSCRIBE_URL,
  TOPIC,
} from '../../support/sns-signatory.ts'
import { NOW, pathOf, post, scene } from './aws-sns-scene.ts'

const here = scene()

describe('a subscription', () => {
  test.each([{}, { verify: {} }, { verify: { topic: TOPIC } }])(
    'is confirmed with %j, once its signature holds, and is no item',
    async (options) => {
      const { items, checks, warnings } = await post(
        here,
        here.signatory.sign(CONFIRMATION),
        options,
      )
      expect(items).toEqual([])
      expect(warnings ?? []).toEqual([])
      expect(checks.at(-1)?.found).toBe('is a subscription, now confirmed')
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
    const { items, warnings } = await post(
      here,
      { ...here.signatory.sign(CONFIRMATION), ...change },
      options,
    )
    expect(items).toEqual([])
    expect(warnings).toHaveLength(1)
    expect(here.amazon.visited).not.toContain(SUBSCRIBE_URL)
  })

  test.each([302, 403, 500])(
    'that Amazon answers with %d is said not to be confirmed',
    async (status) => {
      here.amazon.answers[pathOf(SUBSCRIBE_URL)] = {
        status,
        location: `${here.amazon.address}/elsewhere`,
      }
      const { warnings } = await post(here, here.signatory.sign(CONFIRMATION), {})
      expect(warnings).toEqual([
        `a subscription was not confirmed: SNS answered with status ${status}`,
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
    const { warnings } = await receive(bound('aws_sns', {}), sent, { http, now: NOW })
    expect(warnings).toEqual(['a subscription was not confirmed: SNS gave no answer (timeout)'])
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
