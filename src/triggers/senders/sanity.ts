import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Sanity',
  secret: 'SANITY_WEBHOOK_SECRET',
  shown: 'the *Secret* of the webhook, which you choose',
  repeat: 'headers.idempotency-key',
  events: ['headers.sanity-operation', 'create', 'update', 'delete'],
}

export const scheme: OwnScheme = {
  page: 'https://www.sanity.io/docs/webhooks',
  header: 'sanity-webhook-signature',
  parts: { separator: ',', signature: 'v1', timestamp: 't' },
  signatureEncoding: 'base64url',
  signedPayload: '{timestamp}.{body}',
  timestampFormat: 'milliseconds',
}

export const payloads: Payloads = {
  update: ({ id, now }) => ({
    headers: {
      'idempotency-key': id,
      'sanity-operation': 'update',
      'sanity-dataset': 'production',
      'sanity-document-id': 'post-1',
    },
    body: { _id: 'post-1', _type: 'post', _updatedAt: now.toISOString(), title: 'Hello' },
  }),
}
