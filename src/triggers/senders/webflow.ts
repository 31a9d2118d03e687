import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Webflow',
  secret: 'WEBFLOW_SECRET',
  shown:
    'the *Client Secret* of the app that made the webhook, or the key shown with a webhook of the dashboard',
  events: ['body.triggerType', 'form_submission', 'site_publish', 'collection_item_created'],
}

export const scheme: OwnScheme = {
  page: 'https://developers.webflow.com/data/docs/working-with-webhooks',
  header: 'x-webflow-signature',
  signedPayload: '{timestamp}:{body}',
  timestampHeader: 'x-webflow-timestamp',
  timestampFormat: 'milliseconds',
}

export const payloads: Payloads = {
  form_submission: ({ id, now }) => ({
    body: {
      triggerType: 'form_submission',
      payload: {
        name: 'Contact',
        siteId: '65427cf400e02b306eaa049c',
        data: { name: 'Ada', email: 'ada@example.com' },
        submittedAt: now.toISOString(),
        id: id.replaceAll('-', '').slice(0, 24),
      },
    },
  }),
}
