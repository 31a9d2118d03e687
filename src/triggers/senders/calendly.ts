import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Calendly',
  secret: 'CALENDLY_SIGNING_KEY',
  shown: 'the `signing_key` of the subscription, which you choose',
  events: ['body.event', 'invitee.created', 'invitee.canceled'],
}

export const scheme: OwnScheme = {
  page: 'https://developer.calendly.com/api-docs/4c305798a61d3-webhook-signatures',
  header: 'calendly-webhook-signature',
  parts: { separator: ',', signature: 'v1', timestamp: 't' },
  signedPayload: '{timestamp}.{body}',
}

export const payloads: Payloads = {
  'invitee.created': ({ now }) => ({
    body: {
      event: 'invitee.created',
      created_at: now.toISOString(),
      payload: { email: 'ada@example.com', name: 'Ada', status: 'active' },
    },
  }),
}
