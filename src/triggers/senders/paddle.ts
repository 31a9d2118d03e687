import type { Facts, OwnScheme, Payloads, SenderPage } from '../sender.ts'

export const facts: Facts = {
  title: 'Paddle',
  secret: 'PADDLE_SECRET',
  shown: 'the secret key of the notification destination, `pdl_ntfset_…`',
  retries: {
    when: 'yes',
    text: 'Paddle retries 60 times within three days, and three times in the sandbox.',
  },
  repeat: 'event_id',
  events: ['body.event_type', 'transaction.completed', 'subscription.created'],
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

export const page: SenderPage = {
  click:
    '*Developer Tools > Notifications > New destination*. Enter the URL, and choose the events.',
}
