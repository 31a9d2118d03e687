import { type Facts, type OwnScheme, type Payloads, type SenderPage, seconds } from '../sender.ts'

export const facts: Facts = {
  title: 'Stripe',
  secret: 'STRIPE_SIGNING_SECRET',
  shown: 'the signing secret of the endpoint, `whsec_…`',
  retries: 'Stripe retries for three days, and three times in a sandbox.',
  repeat: 'id',
  events: ['body.type', 'checkout.session.completed', 'checkout.session.async_payment_succeeded'],
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
}

export const page: SenderPage = {
  click:
    'in a sandbox, open *Workbench > Webhooks > Create new destination*. Choose the event `checkout.session.completed` and *Webhook endpoint*, and enter the URL. Then choose *Reveal secret*.',
  fire: ': in the [Shell](https://docs.stripe.com/workbench/shell) of Workbench, run `stripe trigger checkout.session.completed`.',
  outputs: "The body is [Stripe's event object](https://docs.stripe.com/api/events/object).",
  signature: 'While you roll a secret, Stripe signs with both secrets.',
  retries: 'A retry has a new time and a new signature.',
}
