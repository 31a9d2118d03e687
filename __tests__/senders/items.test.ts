import { describe, expect, test } from '@jest/globals'
import { exampleOf } from '../../src/cli/send/example-events.ts'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { SENDERS } from '../../src/triggers/senders.ts'
import { bound, receive } from '../support/receive.ts'

/** Senders with a trigger of their own in addition to `webhook`. */
const OWN = SENDERS.flatMap(({ name, trigger }) => (trigger ? [[name, trigger] as const] : []))

test('there are such senders', () => expect(OWN.length).toBeGreaterThan(3))

test.each(OWN)(
  'the request of send --sender %s fires %s, with the fields of that trigger',
  async (name, trigger) => {
    const fixture = exampleOf(name)
    const { headers, body } = fixture?.request({ id: crypto.randomUUID(), now: new Date() }) ?? {}
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const { items } = await receive(
      bound(trigger, trigger === 'messaging_bot' ? { webhook: true } : {}),
      {
        headers: { ...headers },
        body: text,
      },
    )
    const [first] = TRIGGERS.get(trigger)?.columns ?? []
    const path = String(first).split('.')
    const shown = path.reduce<unknown>((value, key) => Object(value)[key], items[0])
    // Another sender's body gives answers with an empty title, or none.
    expect(shown).toBeTruthy()
    expect(JSON.stringify(shown)).not.toBe('{}')
  },
)

test.each([
  ['a message', { type: 'message', ts: '1.2', event_ts: '3.4' }, '1.2'],
  [
    'a reaction, which has no time of a message',
    { type: 'reaction_added', event_ts: '3.4' },
    '3.4',
  ],
  ['neither', { type: 'app_rate_limited' }, null],
])('the time of an event of Slack: %s', async (_, event, timestamp) => {
  const body = JSON.stringify({ type: 'event_callback', event })
  const { items } = await receive(bound('slack', {}), { body })
  expect(items).toMatchObject([{ kind: 'event', timestamp, user_id: null, channel_id: null }])
})

describe('no item is', () => {
  test.each([
    [
      'slack',
      'a challenge',
      '{"type":"url_verification","challenge":"x","token":"y"}',
      'is a handshake',
    ],
    ['slack', 'an interaction that is no JSON', '{"payload":"{"}', 'is not an event of Slack'],
    ['slack', 'an interaction that is a list', '{"payload":"[]"}', 'is not an event of Slack'],
    ['slack', 'a check of the certificate', '{"ssl_check":"1","token":"y"}', 'is a handshake'],
    ['slack', 'something else', '{"a":1}', 'is not an event of Slack'],
    ['trello', 'something else', '{"model":{}}', 'is not an action'],
    [
      'typeform',
      'something else',
      '{"event_type":"form_response"}',
      'is not a submission of a form',
    ],
    [
      'google_form',
      'something else',
      '{"event_type":"form_response"}',
      'is not a response to a form',
    ],
    ['aws_sns', 'something else', '{"Type":"Other"}', 'is not a notification'],
  ])('for %s, %s', async (trigger, _, body, found) => {
    const { items, checks, messages = [] } = await receive(bound(trigger, {}), { body })
    expect(items).toEqual([])
    expect(messages).toEqual([])
    expect(checks.at(-1)).toMatchObject({ option: 'body', held: false, found })
  })

  test.each(['GET', 'HEAD', 'PUT'])('for any service, a request of %s', async (method) => {
    for (const trigger of ['aws_sns', 'typeform', 'slack', 'trello', 'google_form']) {
      const verify = { scheme: 'gitlab', secret: 'x' }
      const { items, messages = [] } = await receive(bound(trigger, { verify }), { method })
      expect([items, messages]).toEqual([[], []])
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
