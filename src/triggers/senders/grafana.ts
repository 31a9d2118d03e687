import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Grafana',
  secret: 'GRAFANA_SECRET',
  shown: 'the *Secret* under *HMAC Signature* of the contact point, which you choose',
  events: ['body.status', 'firing', 'resolved'],
  click:
    '*Alerting > Notification configuration > Contact points > Add contact point*. Choose the integration *Webhook*, enter the URL, and enter the secret under the optional settings.',
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
