import type { Facts, OwnScheme, Payloads, SenderPage } from '../sender.ts'

export const facts: Facts = {
  title: 'Zendesk',
  secret: 'ZENDESK_SIGNING_SECRET',
  shown: 'the *Signing secret* on the page of the webhook',
  retries: {
    when: 'yes',
    text: 'Zendesk retries up to three times after 409, and as `Retry-After` says after 429 and 503.',
  },
  repeat: 'headers.x-zendesk-webhook-invocation-id',
  events: ['body.type', 'zen:event-type:ticket.created'],
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

export const page: SenderPage = {
  click:
    '*Admin Center > Apps and integrations > Webhooks > Create webhook*. Enter the URL, and choose POST and JSON.',
}
