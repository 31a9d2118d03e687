import type { Facts, OwnScheme, Page, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Grafana',
  secret: 'GRAFANA_SECRET',
  shown: 'the *Secret* under *HMAC Signature* of the contact point, which you choose',
  retries: 'as the notification policy says: what did not arrive is sent again with the next one',
  events: ['body.status', 'firing', 'resolved'],
}

export const scheme: OwnScheme = {
  page: 'https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/',
  header: 'x-grafana-alerting-signature',
}

export const payloads: Payloads = {
  firing: ({ now }) => ({
    body: {
      receiver: 'hook',
      status: 'firing',
      orgId: 1,
      alerts: [
        {
          status: 'firing',
          labels: { alertname: 'High memory usage', zone: 'us-1' },
          startsAt: now.toISOString(),
          fingerprint: 'c6eadffa33fcdf37',
        },
      ],
      groupKey: '{}:{alertname="High memory usage"}',
      title: '[FIRING:1] High memory usage',
      state: 'alerting',
    },
  }),
}

export const page: Page = {
  click:
    '*Alerting > Notification configuration > Contact points > Add contact point* (in older versions *Alerting > Contact points*), with the integration *Webhook*: the URL, and the secret under *HMAC Signature* in the optional settings.',
  more: 'Grafana shows the URL to whoever may see its contact points: let it carry a grant for this path alone. Where a *Timestamp Header* is set it is signed too: then `scheme: hmac` with `header: X-Grafana-Alerting-Signature`, `template: "{timestamp}:{body}"` and that header as `timestampHeader`.',
}
