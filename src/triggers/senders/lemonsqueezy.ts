import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Lemon Squeezy',
  secret: 'LEMONSQUEEZY_SECRET',
  shown: 'the *Signing secret* of the webhook, which you choose',
  events: ['body.meta.event_name', 'order_created', 'subscription_created'],
}

export const scheme: OwnScheme = {
  page: 'https://docs.lemonsqueezy.com/help/webhooks/signing-requests',
  header: 'x-signature',
}

export const payloads: Payloads = {
  order_created: () => ({
    headers: { 'x-event-name': 'order_created' },
    body: {
      meta: { event_name: 'order_created' },
      data: {
        type: 'orders',
        id: '1',
        attributes: { status: 'paid', total: 999, currency: 'EUR' },
      },
    },
  }),
}
