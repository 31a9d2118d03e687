import { headerValue } from '../../wire/headers.ts'
import { jsonResponse } from '../../wire/http.ts'
import type { Facts, Handshake, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Okta',
  scheme: 'token',
  options: { header: 'authorization' },
  secret: 'OKTA_HOOK_SECRET',
  shown: 'the *Authentication secret* of the event hook, which you choose',
  repeat: 'eventId',
  events: ['body.data.events.eventType', 'user.session.start', 'user.lifecycle.create'],
}

/** https://developer.okta.com/docs/concepts/event-hooks/#one-time-verification-request */
export const handshake: Handshake = {
  method: 'GET',
  mark: { header: 'x-okta-verification-challenge' },
  challenge: ({ headers }) => headerValue(headers, 'x-okta-verification-challenge'),
  answer: (verification) => jsonResponse({ verification }),
}

export const payloads: Payloads = {
  'user.session.start': ({ id, now }) => ({
    body: {
      eventType: 'com.okta.event_hook',
      eventId: id,
      eventTime: now.toISOString(),
      data: { events: [{ eventType: 'user.session.start', displayMessage: 'User login to Okta' }] },
    },
  }),
}
