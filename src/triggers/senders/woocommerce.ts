import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'WooCommerce',
  secret: 'WOOCOMMERCE_SECRET',
  shown: 'the *Secret* of the webhook',
  repeat: 'headers.x-wc-webhook-delivery-id',
  events: ['headers.x-wc-webhook-topic', 'order.created', 'order.updated'],
}

export const scheme: OwnScheme = {
  page: 'https://woocommerce.com/document/webhooks/',
  header: 'x-wc-webhook-signature',
  signatureEncoding: 'base64',
}

export const payloads: Payloads = {
  'order.created': ({ id }) => ({
    headers: { 'x-wc-webhook-topic': 'order.created', 'x-wc-webhook-delivery-id': id },
    body: { id: 727, status: 'processing', currency: 'EUR', total: '29.35' },
  }),
}
