import { isObject, scalarText } from '../../wire/json.ts'
import type { Facts, Payloads, Signing } from '../sender.ts'
import { concat, ENCODINGS } from '../verify/algorithms.ts'
import {
  DEFAULT_TOLERANCE,
  hmacRefusal,
  isTime,
  NO_TIME,
  type Scheme,
  timeRefusal,
} from '../verify/scheme.ts'
import { withField } from '../verify/signing.ts'

export const facts: Facts = {
  title: 'Mailgun',
  secret: 'MAILGUN_SIGNING_KEY',
  shown: 'the *HTTP webhook signing key* of the account',
  repeat: 'event-data.id',
  events: ['body.event-data.event', 'delivered', 'failed', 'opened'],
}

/** The signature is in the body. It covers a time and a token, but not the rest of the body. */
export const scheme: Scheme = {
  name: 'mailgun',
  page: 'https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks',
  needs: ['secret'],
  takes: ['tolerance'],
  credentials: () => ({ fields: ['signature'] }),
  async check(request, settings, ports) {
    const { body } = request
    const inner = isObject(body) ? body.signature : undefined
    // An event contains an object; a route contains the same three fields in its form.
    const fields = isObject(inner) ? inner : isObject(body) ? body : {}
    const [timestamp = '', token = '', signature = ''] = ['timestamp', 'token', 'signature'].map(
      (name) => (Object.hasOwn(fields, name) ? scalarText(fields[name]) : ''),
    )
    if (timestamp === '' || token === '' || signature === '') {
      return 'the body has no timestamp, token and signature'
    }
    if (!isTime(timestamp)) return NO_TIME
    const texts = [concat([timestamp, token])]
    return (
      (await hmacRefusal('sha256', texts, ENCODINGS.hex(signature), settings)) ??
      timeRefusal(timestamp, settings.tolerance ?? DEFAULT_TOLERANCE, request, ports)
    )
  },
}

export const signing: Signing = {
  sign: (outgoing, secret, { timestamp, id }, { hmac, sha256 }) => {
    const [time, token] = [String(timestamp), sha256(id)]
    const signature = hmac('sha256', secret, time + token, 'hex')
    return withField(outgoing, 'signature', { timestamp: time, token, signature })
  },
}

export const payloads: Payloads = {
  delivered: ({ id, now }) => ({
    body: {
      'event-data': {
        id,
        event: 'delivered',
        timestamp: now.getTime() / 1000,
        recipient: 'ada@example.com',
        message: { headers: { subject: 'Hello' } },
      },
    },
  }),
}
