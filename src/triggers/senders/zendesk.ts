import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Zendesk',
  secret: 'ZENDESK_SIGNING_SECRET',
  shown: 'the *Signing secret* on the page of the webhook',
  repeat: 'headers.x-zendesk-webhook-invocation-id',
  events: ['body.type', 'zen:event-type:ticket.created'],
  click:
    '*Admin Center > Apps and integrations > Webhooks > Create webhook*. Enter the URL, and choose POST and JSON.',
}

export const scheme: OwnScheme = {
  page: 'https://developer.zendesk.com/documentation/webhooks/verifying/',
  header: 'x-zendesk-webhook-signature',
  signatureEncoding: 'base64',
  signedPayload: '{timestamp}{body}',
  timestampHeader: 'x-zendesk-webhook-signature-timestamp',
  timestampFormat: 'rfc3339',
}

export const payloads: Payloads = {
  'ticket.created': ({ id, now }) => ({
    headers: { 'x-zendesk-webhook-invocation-id': id, 'x-zendesk-account-id': '123456' },
    body: {
      id,
      type: 'zen:event-type:ticket.created',
      time: now.toISOString(),
      subject: 'zen:ticket:12345',
      detail: { id: '12345', subject: 'Help with my order', status: 'OPEN' },
    },
  }),
}
