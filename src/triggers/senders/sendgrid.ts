import { type Facts, type OwnScheme, type Payloads, seconds } from '../sender.ts'

export const facts: Facts = {
  title: 'SendGrid',
  secret: 'SENDGRID_PUBLIC_KEY',
  shown: 'the *Verification Key* of the signed event webhook: a public key in base64',
  events: ['body.event', 'delivered', 'bounce', 'open'],
}

export const scheme: OwnScheme = {
  page: 'https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features',
  header: 'x-twilio-email-event-webhook-signature',
  algorithm: 'p256',
  signatureEncoding: 'base64',
  secretEncoding: 'p256',
  signedPayload: '{timestamp}{body}',
  timestampHeader: 'x-twilio-email-event-webhook-timestamp',
}

export const payloads: Payloads = {
  delivered: ({ id, now }) => ({
    body: [
      {
        email: 'ada@example.com',
        timestamp: seconds(now),
        event: 'delivered',
        sg_event_id: id,
        sg_message_id: '14c5d75ce93.dfd.64b469.filter0001',
      },
    ],
  }),
}
