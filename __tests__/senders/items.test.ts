import { describe, expect, test } from '@jest/globals'
import { bound, receive } from '../support/receive.ts'
import { RECORDED } from './recorded.ts'

test.each(RECORDED)('$name makes one item, with all that its page promises', async (recorded) => {
  const { trigger, contentType, moreHeaders, body, outputs } = recorded
  const headers = { 'Content-Type': contentType, ...moreHeaders }
  const { items } = await receive(bound(trigger, {}), { headers, body })
  expect(items).toEqual([expect.objectContaining(outputs)])
})

describe('no item is', () => {
  test.each([
    ['slack', 'a challenge', '{"type":"url_verification","challenge":"x","token":"y"}'],
    ['slack', 'an interaction that is no JSON', '{"payload":"{"}'],
    ['slack', 'an interaction that is a list', '{"payload":"[]"}'],
    ['slack', 'a check of the certificate', '{"ssl_check":"1","token":"y"}'],
    ['slack', 'something else', '{"a":1}'],
    ['trello', 'something else', '{"model":{}}'],
    ['typeform', 'something else', '{"event_type":"form_response"}'],
    ['google_form', 'something else', '{"event_type":"form_response"}'],
    ['aws_sns', 'something else', '{"Type":"Other"}'],
  ])('for %s, %s', async (trigger, _, body) => {
    const { items, checks, warnings = [] } = await receive(bound(trigger, {}), { body })
    expect(items).toEqual([])
    expect(warnings).toEqual([])
    expect(checks.at(-1)).toMatchObject({ option: 'body', held: false })
  })

  test.each(['GET', 'HEAD', 'PUT'])('for any service, a request of %s', async (method) => {
    for (const trigger of ['aws_sns', 'typeform', 'slack', 'trello', 'google_form']) {
      const verify = { scheme: 'gitlab', secret: 'x' }
      const { items, warnings = [] } = await receive(bound(trigger, { verify }), { method })
      expect([items, warnings]).toEqual([[], []])
    }
  })
})

test.each([
  ['{"a":1}', { a: 1 }],
  [' [1]', [1]],
  ['{"id":12345678901234567890}', { id: '12345678901234567890' }],
  ['12', '12'],
  ['{not json', '{not json'],
  ['', ''],
])('a message of SNS %j becomes %j', async (Message, expected) => {
  const body = JSON.stringify({ Type: 'Notification', Message })
  const { items } = await receive(bound('aws_sns', {}), { body })
  expect(items[0]?.Message).toEqual(expected)
})
