import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Box',
  secret: 'BOX_SIGNATURE_KEY',
  shown: 'the *Primary Key* under *Webhooks > Manage signature keys* of the app, or the secondary',
  repeat: 'id',
  events: ['body.trigger', 'FILE.UPLOADED', 'FILE.DOWNLOADED', 'COMMENT.CREATED'],
}

export const scheme: OwnScheme = {
  page: 'https://developer.box.com/guides/webhooks/v2/signatures-v2',
  header: 'box-signature-primary',
  others: ['box-signature-secondary'],
  signatureEncoding: 'base64',
  signedPayload: '{body}{timestamp}',
  timestampHeader: 'box-delivery-timestamp',
  timestampFormat: 'rfc3339',
  isExact: true,
  tolerance: 600,
}

export const payloads: Payloads = {
  'file.uploaded': ({ id, now }) => ({
    headers: {
      'box-delivery-id': id,
      'box-signature-version': '1',
      'box-signature-algorithm': 'HmacSHA256',
    },
    body: {
      type: 'webhook_event',
      id,
      created_at: now.toISOString(),
      trigger: 'FILE.UPLOADED',
      webhook: { id: '1234567890', type: 'webhook' },
      source: { id: '73835521473', type: 'file', name: 'report.pdf' },
    },
  }),
}
