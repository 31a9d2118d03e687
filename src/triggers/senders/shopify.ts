import type { Facts, OwnScheme, Payloads, SenderPage } from '../sender.ts'

export const facts: Facts = {
  title: 'Shopify',
  secret: 'SHOPIFY_SECRET',
  shown: 'the *Client secret* of the app, or the key under *Notifications > Webhooks*',
  retries: 'Shopify retries eight times within four hours.',
  repeat: 'headers.x-shopify-webhook-id',
  events: ['headers.x-shopify-topic', 'orders/create', 'products/update'],
}

export const scheme: OwnScheme = {
  page: 'https://shopify.dev/docs/apps/build/webhooks/subscribe/https',
  header: 'x-shopify-hmac-sha256',
  // Shopify Events, which are to replace webhooks, send the same headers without `X-`.
  others: ['shopify-hmac-sha256'],
  signatureEncoding: 'base64',
}

export const payloads: Payloads = {
  /** https://shopify.dev/docs/api/webhooks */
  'orders.create': ({ id, now }) => ({
    headers: {
      'x-shopify-topic': 'orders/create',
      'x-shopify-shop-domain': 'example.myshopify.com',
      'x-shopify-webhook-id': id,
      'x-shopify-triggered-at': now.toISOString(),
    },
    body: {
      id: 820982911946154500,
      name: '#1001',
      email: 'ada@example.com',
      created_at: now.toISOString(),
      currency: 'EUR',
      total_price: '20.00',
      line_items: [{ id: 466157049, title: 'A book', quantity: 1, price: '20.00' }],
    },
  }),
}

export const page: SenderPage = {
  click:
    '*Settings > Notifications > Webhooks > Create webhook*. Choose the event and JSON, and enter the URL. An app subscribes by the API.',
  outputs: 'The body is the object itself. `headers.x-shopify-shop-domain` is the shop.',
  retries:
    'Shopify waits five seconds for a response. If all retries fail, Shopify deletes a subscription that was created by the API.',
  notes:
    'An `id` in the body takes precedence over `deduplicationKey`, and all events of one order have the same `id`. Therefore use one workflow for each topic.',
}
