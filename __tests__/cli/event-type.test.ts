import { expect, test } from '@jest/globals'
import { eventType } from '../../src/cli/connect/event-type.ts'
import { exampleOf } from '../../src/cli/send/example-events.ts'
import { SENDERS } from '../../src/triggers/senders.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

function typeOf(path: string, body: unknown, headers: Record<string, string> = JSON_TYPE) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const event = {
    headers: new Map(Object.entries(headers)),
    body: { bytes: new TextEncoder().encode(text), text },
  }
  return eventType(event, { events: [path] })
}

test.each([
  ['of the body', 'body.data.type', { data: { type: 'paid' } }, 'paid'],
  [
    "of the body of a sender's own trigger",
    'event.type',
    { event: { type: 'message' } },
    'message',
  ],
  ['of the first element of a list', 'body.events.action', { events: [{ action: 'a' }] }, 'a'],
  ['that is a number', 'body.type', { type: 7 }, '7'],
  ['that is absent', 'body.type', {}, undefined],
  ['that is an object', 'body.type', { type: {} }, undefined],
  ['of a body that is no JSON', 'body.type', '<a/>', undefined],
  ['with control characters', 'body.type', { type: 'a\u001b[2J\u202eb\nc' }, 'a??2J?b c'],
  ['with an address', 'body.type', { type: 'see https://a.test' }, 'see https:/?a.test'],
  ['that is long', 'body.type', { type: 'a'.repeat(5000) }, `${'a'.repeat(80)}…`],
])('the type %s', (_, path, body, expected) => {
  expect(typeOf(path, body)).toBe(expected)
})

test('the type in a header or in a form', () => {
  expect(typeOf('headers.x-gitlab-event', '', { 'x-gitlab-event': 'Push Hook' })).toBe('Push Hook')
  const form = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }
  expect(typeOf('body.type', 'type=subscribe&a=1', form)).toBe('subscribe')
})

/** The trigger computes the type of its events from a number. */
const COMPUTED = ['discord']

test.each(SENDERS.filter(({ name, events }) => events && !COMPUTED.includes(name)))(
  'the example of $name has a known type',
  ({ name, events = [''] }) => {
    const example = exampleOf(name)
    if (!example) return
    const { headers, body } = example.request({ id: crypto.randomUUID(), now: new Date() })
    expect(events.slice(1)).toContain(typeOf(events[0] ?? '', body, headers))
  },
)
