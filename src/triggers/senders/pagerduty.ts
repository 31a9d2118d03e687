import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'PagerDuty',
  secret: 'PAGERDUTY_SECRET',
  shown: 'the secret that is shown once, when you create the subscription',
  repeat: 'event.id',
  events: ['body.event.event_type', 'incident.triggered', 'incident.resolved'],
  click:
    '*Integrations > Generic Webhooks (v3) > New Webhook*. Enter the URL, and choose the scope and the events.',
}

export const scheme: OwnScheme = {
  page: 'https://developer.pagerduty.com/docs/verifying-signatures',
  header: 'x-pagerduty-signature',
  signaturePrefix: 'v1=',
  several: true,
}

export const payloads: Payloads = {
  'incident.triggered': ({ id, now }) => ({
    headers: { 'x-webhook-id': id },
    body: {
      event: {
        id,
        event_type: 'incident.triggered',
        resource_type: 'incident',
        occurred_at: now.toISOString(),
        data: { id: 'PGR0VU2', type: 'incident', title: 'A little bump', status: 'triggered' },
      },
    },
  }),
}
