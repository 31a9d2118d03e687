import { type Facts, type OwnScheme, type Payloads, seconds } from '../sender.ts'

export const facts: Facts = {
  title: 'Razorpay',
  secret: 'RAZORPAY_WEBHOOK_SECRET',
  shown: 'the *Secret* of the webhook, which you choose',
  repeat: 'headers.x-razorpay-event-id',
  events: ['body.event', 'payment.captured', 'payment.failed', 'order.paid'],
}

export const scheme: OwnScheme = {
  page: 'https://razorpay.com/docs/webhooks/validate-test/',
  header: 'x-razorpay-signature',
}

export const payloads: Payloads = {
  'payment.captured': ({ id, now }) => ({
    headers: { 'x-razorpay-event-id': id },
    body: {
      entity: 'event',
      account_id: 'acc_BFQ7uQEaa7j2z7',
      event: 'payment.captured',
      contains: ['payment'],
      payload: { payment: { entity: { id: 'pay_DESlfW9H8K9uqM', amount: 100, currency: 'INR' } } },
      created_at: seconds(now),
    },
  }),
}
