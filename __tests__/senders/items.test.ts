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
    ['aws_sns', 'a list', '[]', 'is not a notification'],
    ['aws_sns', 'nothing', '', 'is not a notification'],
    ['discord', 'nothing', '', 'is not an event of Discord'],
    ['slack', 'nothing', '', 'is not an event of Slack'],
    ['trello', 'nothing', '', 'is not an action'],
    ['typeform', 'nothing', '', 'is not a submission of a form'],
    ['google_form', 'nothing', '', 'is not a response to a form'],
    ['slack', 'a list', '[]', 'is not an event of Slack'],
    ['trello', 'a list', '[]', 'is not an action'],
    ['typeform', 'a list', '[]', 'is not a submission of a form'],
    ['google_form', 'a list', '[]', 'is not a response to a form'],
  ])('for %s, %s', async (trigger, _, body, found) => {
    const { items, checks, messages = [] } = await receive(bound(trigger, {}), { body })
    expect(items).toEqual([])
    expect(messages).toEqual([])
    expect(checks).toEqual([{ option: 'body', held: false, found }])
  })

  test.each(['GET', 'HEAD', 'PUT'])('for any service, a request of %s', async (method) => {
    for (const trigger of ['aws_sns', 'typeform', 'slack', 'trello', 'google_form']) {
      const verify = { scheme: 'gitlab', secret: 'x' }
      expect(await receive(bound(trigger, { verify }), { method })).toEqual({
        checks: [{ option: 'method', held: false, found: 'is not post' }],
        items: [],
      })
    }
  })
})

test('a request without its signature is not read any further', async () => {
  const trigger = bound('typeform', { verify: { secret: 'x' } })
  const { items, checks } = await receive(trigger, { body: '{"form_response":{}}' })
  const found = 'typeform: the header typeform-signature is missing'
  expect([items, checks]).toEqual([[], [{ option: 'verify', held: false, found, isAbsent: true }]])
})

test.each(['typeform', 'google_form', 'trello', 'slack', 'discord', 'aws_sns'])(
  'the example of %s fires it, and there is none if a signature is needed',
  async (name) => {
    const { example } = bound(name, {})
    expect(example).toMatchObject({ method: 'POST', path: '' })
    expect(example?.contentType).toMatch(/^(?:application\/json|text\/plain)(?:; charset=utf-8)?$/i)
    expect((await receive(bound(name, {}), { body: example?.body ?? '' })).items).toHaveLength(1)
    const verify = name === 'aws_sns' ? {} : { scheme: 'hmac', header: 'x-sum', secret: 'x' }
    expect(bound(name, { verify }).example).toBeUndefined()
    expect(bound(name, { verify }).signatures.map(({ scheme }) => scheme)).toEqual(
      name === 'aws_sns' ? [] : ['hmac'],
    )
  },
)

test('a subscription of SNS is not confirmed without its signature', async () => {
  const body = '{"Type":"SubscriptionConfirmation"}'
  const found = 'aws-sns: a signed field of the message is missing'
  const failed = { option: 'verify', held: false, found, isAbsent: true }
  expect(await receive(bound('aws_sns', {}), { body })).toMatchObject({
    ...{ checks: [failed], items: [], messages: [{ code: 'unverified' }] },
  })
  expect(await receive(bound('aws_sns', {}), { method: 'PUT', body })).toEqual({
    ...{ checks: [{ option: 'method', held: false, found: 'is not post' }], items: [] },
  })
  const verify = { scheme: 'gitlab', secret: 'x' }
  const { checks } = await receive(bound('aws_sns', { verify }), { body })
  expect(checks.map((check) => check.found)).toEqual([
    'gitlab: the header x-gitlab-token is missing',
  ])
})

const FORM = { form_id: 'f' }

test.each<[trigger: string, response: object, answers: object]>([
  ['typeform', FORM, {}],
  ['typeform', { ...FORM, definition: 'none', answers: 'none' }, {}],
  [
    'typeform',
    {
      definition: {
        fields: [
          { id: 'a', title: 'Name' },
          { id: 'g', title: 'Group', properties: { fields: [{ id: 'b', title: 'Name' }] } },
          { id: 'c', title: 'Color' },
        ],
      },
      answers: [
        { type: 'text', text: 'Ada', field: { id: 'a' } },
        { type: 'text', text: 'Bob', field: { id: 'b' } },
        { type: 'number', number: 0, field: { id: 'a' } },
        { type: 'choice', choice: { label: 'red' }, field: { id: 'c' } },
        { type: 'choice', choice: { other: 'rust' }, field: { id: 'x', ref: 'why' } },
        { type: 'choices', choices: { labels: ['a', 'b'] }, field: { id: 'y' } },
        { type: 'choices', choices: { labels: [], other: 'c' } },
        { type: 'payment', payment: { amount: '1' }, field: { ref: 'p' } },
        { type: 'file_url', field: { ref: 'f' } },
        'none',
      ],
    },
    {
      Name: 'Ada',
      'Name (2)': 'Bob',
      'Name (3)': 0,
      Color: 'red',
      why: 'rust',
      y: ['a', 'b'],
      '': ['c'],
      p: { amount: '1' },
      f: null,
    },
  ],
  ['google_form', FORM, {}],
  [
    'google_form',
    {
      answers: [
        { field: { id: 1, title: 'Name' }, response: 'Ada' },
        { field: { id: 2 }, response: ['a', 'b'] },
        { response: 'x' },
        { field: { title: 'Empty' } },
      ],
    },
    { Name: 'Ada', 2: ['a', 'b'], '': 'x', Empty: null },
  ],
])('the answers of %s by their titles: %j', async (trigger, form_response, answers_map) => {
  const body = { event_id: 'e', form_response }
  const { items } = await receive(bound(trigger, {}), { body: JSON.stringify(body) })
  expect(JSON.parse(JSON.stringify(items))).toEqual([{ ...body, answers_map }])
})

test('an action of Trello is an item without the URL that it calls', async () => {
  const body = { action: { id: '1' }, webhook: { id: '2', callbackURL: 'https://a.example' } }
  const receiveBody = async (sent: object) =>
    (await receive(bound('trello', {}), { body: JSON.stringify(sent) })).items
  expect(JSON.parse(JSON.stringify(await receiveBody(body)))).toEqual([
    { ...body, webhook: { id: '2' } },
  ])
  expect(await receiveBody({ action: { id: '1' } })).toEqual([{ action: { id: '1' } }])
})

test.each<[object, object]>([
  [
    { 'x-amz-sns-message-id': 'i', 'x-amz-sns-topic-arn': 't' },
    { MessageId: 'i', TopicArn: 't' },
  ],
  [{}, { MessageId: null, TopicArn: null }],
])('a raw message of SNS with %j', async (more, expected) => {
  const headers = { 'x-amz-sns-rawdelivery': 'true', ...more }
  const { items } = await receive(bound('aws_sns', {}), { headers, body: '{"a":1}' })
  expect(items).toEqual([{ Type: 'Notification', Message: { a: 1 }, ...expected }])
})

test.each([
  ['{"a":1}', { a: 1 }],
  [' [1]', [1]],
  ['{"id":12345678901234567890}', { id: '12345678901234567890' }],
  ['12', '12'],
  ['x[1]', 'x[1]'],
  ['{not json', '{not json'],
  ['', ''],
])('a message of SNS %j becomes %j', async (Message, expected) => {
  const body = JSON.stringify({ Type: 'Notification', Message })
  const { items } = await receive(bound('aws_sns', {}), { body })
  expect(items[0]?.Message).toEqual(expected)
})
