import type { Facts, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Resend',
  scheme: 'standard-webhooks',
  secret: 'RESEND_SIGNING_SECRET',
  shown: 'the *Signing secret* of the webhook, `whsec_…`',
  repeat: 'headers.svix-id',
  events: ['body.type', 'email.delivered', 'email.bounced'],
}

export const payloads: Payloads = {
  'email.delivered': ({ now }) => ({
    body: {
      type: 'email.delivered',
      created_at: now.toISOString(),
      data: {
        email_id: '56761188-7520-42d8-8898-ff6fc54ce618',
        subject: 'Hello',
        to: ['a@b.example'],
      },
    },
  }),
}
