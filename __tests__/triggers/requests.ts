import { fc } from '../support/properties.ts'
import type { Sent } from '../support/receive.ts'
import { anyCharacter } from '../support/text.ts'

const CONTENT_TYPES = [
  'application/json',
  'text/plain; charset=UTF-8',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  '',
]

/** Names with a meaning for services, and for JavaScript. */
const KEYS = [
  ...['Type', 'Message', 'SubscribeURL', 'SigningCertURL', 'Subject', 'TopicArn', 'MessageId'],
  ...['action', 'model', 'webhook', 'callbackURL', 'event', 'payload', 'command', 'channel_id'],
  ...['token', 'type', 'user', 'channel', 'message', 'team', 'ssl_check', 'event_id'],
  ...['form_response', 'answers', 'definition', 'fields', 'field', 'title', 'choice', 'choices'],
  ...['labels', 'label', 'update_id', 'channel_post', 'text', 'photo', 'chat', 'id'],
  ...['__proto__', 'constructor', 'toString', 'polluted', ''],
]

const VALUES = [
  ...['Notification', 'SubscriptionConfirmation', 'event_callback', 'url_verification', 'choice'],
  ...['https://sns.us-east-1.amazonaws.com/a.pem', '{"polluted":1}', '[', 'text'],
]

/** A value that `String` cannot convert. */
export const NO_TEXT = { toString: 1, valueOf: 1 }

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<unknown>(...VALUES, null, true, 0, -1.5, 2 ** 53, NO_TEXT),
    fc.string({ unit: anyCharacter, maxLength: 8 }),
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc
    .array(fc.tuple(fc.constantFrom(...KEYS), tie('value')), { maxLength: 6 })
    .map((entries) => Object.fromEntries(entries)),
}))

const form = fc
  .array(fc.tuple(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES)), { maxLength: 6 })
  .map((pairs) => new URLSearchParams(pairs).toString())

const body: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  json.value.map((value) => JSON.stringify(value)),
  json.object.map((value) => JSON.stringify(value)),
  form,
  form.map((text) => `payload=${encodeURIComponent(text)}`),
  fc.uint8Array({ maxLength: 40 }),
  fc.string({ unit: anyCharacter, maxLength: 40 }),
)

/**
 * Any request, of any method, path and headers, with any bytes as its body, but mostly a POST of
 * JSON.
 */
export const anyRequest: fc.Arbitrary<Sent> = fc.record({
  method: fc.oneof(
    { arbitrary: fc.constant('POST'), weight: 4 },
    { arbitrary: fc.constantFrom('GET', 'HEAD', 'PUT', 'BREW', ''), weight: 1 },
  ),
  path: fc.constantFrom('', '/', '/a/b?x=1&x=2', '/%zz?%zz', '/?__proto__=1&constructor=2'),
  headers: fc.record(
    {
      'content-type': fc.constantFrom(...CONTENT_TYPES),
      'x-amz-sns-rawdelivery': fc.constantFrom('true', 'false'),
      'x-amz-sns-message-type': fc.constant('Notification'),
      authorization: fc.constantFrom('Bearer a', 'Basic', ''),
      'x-gitlab-token': fc.constantFrom('guess', ''),
    },
    { requiredKeys: [] },
  ),
  body,
})

/** Variants of a value, each with one part replaced, at any depth. */
export function* variations(value: unknown, other: unknown): Generator<unknown> {
  yield other
  if (typeof value !== 'object' || value === null) return
  for (const [key, part] of Object.entries(value)) {
    for (const changed of variations(part, other)) {
      yield Array.isArray(value)
        ? value.map((old, at) => (String(at) === key ? changed : old))
        : { ...value, [key]: changed }
    }
  }
}
