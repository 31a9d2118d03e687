import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Paddle',
  secret: 'PADDLE_SECRET',
  shown: 'the secret key of the notification destination, `pdl_ntfset_…`',
  repeat: 'event_id',
  events: ['body.event_type', 'transaction.completed', 'subscription.created'],
  click:
    '*Developer Tools > Notifications > New destination*. Enter the URL, and choose the events.',
}

export const scheme: OwnScheme = {
  page: 'https://developer.paddle.com/webhooks/signature-verification',
  header: 'paddle-signature',
  parts: { separator: ';', signature: 'h1', timestamp: 'ts' },
  signedPayload: '{timestamp}:{body}',
}

export const payloads: Payloads = {
  'transaction.completed': ({ id, now }) => ({
    body: {
      event_id: `evt_${id}`,
      event_type: 'transaction.completed',
      occurred_at: now.toISOString(),
      data: { id: 'txn_01', status: 'completed', currency_code: 'EUR' },
    },
  }),
}
