import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Shopify',
  secret: 'SHOPIFY_SECRET',
  shown: 'the *Client secret* of the app, or the key under *Notifications > Webhooks*',
  repeat: 'headers.x-shopify-webhook-id',
  otherRepeat: 'headers.shopify-webhook-id',
  events: ['headers.x-shopify-topic', 'orders/create', 'products/update'],
  filter: {
    $or: [
      { 'headers.x-shopify-topic': { $in: ['orders/create', 'products/update'] } },
      { 'headers.shopify-topic': { $in: ['Order', 'Product'] } },
    ],
  },
  click:
    '*Settings > Notifications > Webhooks > Create webhook*. Choose the event and JSON, and enter the URL. An app subscribes by the API.',
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
  /** https://shopify.dev/docs/apps/build/events/delivery-structure */
  'product.update': ({ id, now }) => ({
    headers: {
      'shopify-topic': 'Product',
      'shopify-action': 'update',
      'shopify-handle': 'prices',
      'shopify-shop-domain': 'example.myshopify.com',
      'shopify-webhook-id': id,
      'shopify-event-id': id,
      'shopify-triggered-at': now.toISOString(),
    },
    body: {
      topic: 'Product',
      action: 'update',
      handle: 'prices',
      fields_changed: {
        added: [],
        updated: ["product[id: 'gid://shopify/Product/632910392'].title"],
        removed: [],
      },
    },
  }),
}
