import { type Facts, type OwnScheme, type Payloads, seconds } from '../sender.ts'

export const facts: Facts = {
  title: 'Sentry',
  secret: 'SENTRY_CLIENT_SECRET',
  shown: 'the *Client Secret* of the internal integration',
  repeat: 'headers.request-id',
  events: ['headers.sentry-hook-resource', 'issue', 'event_alert', 'error'],
  click:
    '*Settings > Custom Integrations > Create New Integration > Internal*. Enter the URL as *Webhook URL*, and choose the resources under *Webhooks*.',
}

export const scheme: OwnScheme = {
  page: 'https://docs.sentry.io/organization/integrations/integration-platform/webhooks/#sentry-hook-signature',
  header: 'sentry-hook-signature',
}

export const payloads: Payloads = {
  issue: ({ id, now }) => ({
    headers: {
      'sentry-hook-resource': 'issue',
      'sentry-hook-timestamp': String(seconds(now)),
      'request-id': id.replaceAll('-', ''),
    },
    body: {
      action: 'created',
      data: { issue: { id: '1170820242', title: 'ReferenceError', level: 'error' } },
      installation: { uuid: '7a485448-a9e2-4c85-8a3c-4f44175783c9' },
    },
  }),
}
