import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Square',
  secret: 'SQUARE_SIGNATURE_KEY',
  shown: 'the *Signature key* of the subscription',
  repeat: 'event_id',
  events: ['body.type', 'payment.updated', 'order.created'],
  click:
    '*Developer Console > your app > Webhooks > Subscriptions > Add subscription*. Enter the URL, and choose the events.',
}

export const scheme: OwnScheme = {
  page: 'https://developer.squareup.com/docs/webhooks/step3validate',
  header: 'x-square-hmacsha256-signature',
  signatureEncoding: 'base64',
  signedPayload: '{url}{body}',
}

export const payloads: Payloads = {
  'payment.updated': ({ id, now }) => ({
    body: {
      merchant_id: '6SSW7HV8K2ST5',
      type: 'payment.updated',
      event_id: id,
      created_at: now.toISOString(),
      data: { type: 'payment', id: 'hYy9pRFVxpDsO1FB05SunFWUe9JZY' },
    },
  }),
}
