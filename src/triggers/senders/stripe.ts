import { type Facts, type OwnScheme, type Payloads, seconds } from '../sender.ts'

export const facts: Facts = {
  title: 'Stripe',
  secret: 'STRIPE_SIGNING_SECRET',
  shown: 'the signing secret of the endpoint, `whsec_…`',
  repeat: 'id',
  events: [
    'body.type',
    'checkout.session.completed',
    'checkout.session.async_payment_succeeded',
    'v1.checkout.session.completed',
    'v1.checkout.session.async_payment_succeeded',
  ],
  forms: {
    field: 'object',
    value: 'v2.core.event',
    first: 'a thin event, whose object you read from the Stripe API at body.related_object.url',
    second: 'a snapshot event, whose object is body.data.object',
  },
  click:
    'in a sandbox, open *Workbench > Webhooks > Create new destination*. Choose the payload style *Thin* or *Snapshot*, the event `checkout.session.completed` and *Webhook endpoint*, and enter the URL. Then choose *Reveal secret*.',
}

export const scheme: OwnScheme = {
  page: 'https://docs.stripe.com/webhooks/signature',
  header: 'stripe-signature',
  parts: { separator: ',', signature: 'v1', timestamp: 't' },
  signedPayload: '{timestamp}.{body}',
}

export const payloads: Payloads = {
  /** https://docs.stripe.com/api/events/object */
  'checkout.session.completed': ({ id, now }) => ({
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: {
      id: `evt_${id.replaceAll('-', '')}`,
      object: 'event',
      api_version: '2025-09-30.clover',
      created: seconds(now),
      type: 'checkout.session.completed',
      livemode: false,
      data: {
        object: {
          id: 'cs_test_a1b2c3',
          object: 'checkout.session',
          amount_total: 2000,
          currency: 'eur',
          customer_details: { email: 'ada@example.com', name: 'Ada Lovelace' },
          payment_status: 'paid',
        },
      },
      request: { id: null, idempotency_key: null },
    },
  }),
  /** https://docs.stripe.com/api/v2/core/events/object */
  'v1.checkout.session.completed': ({ id, now }) => ({
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: {
      id: `evt_test_${id.replaceAll('-', '')}`,
      object: 'v2.core.event',
      type: 'v1.checkout.session.completed',
      created: now.toISOString(),
      livemode: false,
      context: null,
      related_object: {
        id: 'cs_test_a1b2c3',
        type: 'checkout.session',
        url: '/v1/checkout/sessions/cs_test_a1b2c3',
      },
    },
  }),
}
