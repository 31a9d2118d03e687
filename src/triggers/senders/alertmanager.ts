import type { Facts, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Alertmanager (Prometheus)',
  scheme: 'bearer',
  secret: 'ALERTMANAGER_TOKEN',
  shown: 'a token that you choose, which Alertmanager sends as `Authorization: Bearer …`',
  events: ['body.status', 'firing'],
  click: `add a receiver to \`alertmanager.yml\`, and write the token into the file \`hookline-token\` next to it.

\`\`\`yaml
receivers:
  - name: hookline
    webhook_configs:
      - url: https://relay.example.com/-/V1StGXR8Z5jdHi6BmyT7Aw
        send_resolved: false
        http_config:
          authorization:
            credentials_file: /etc/alertmanager/hookline-token
\`\`\`

Name the receiver in a \`route\`, and reload Alertmanager.`,
}

export const payloads: Payloads = {
  /** https://prometheus.io/docs/alerting/latest/configuration/#webhook_config */
  firing: ({ now }) => ({
    headers: { 'user-agent': 'Alertmanager/0.28.1' },
    body: {
      receiver: 'hookline',
      status: 'firing',
      alerts: [
        {
          status: 'firing',
          labels: { alertname: 'DiskFull', instance: 'db-1:9100', severity: 'critical' },
          annotations: { summary: '/var is 97 % full on db-1' },
          startsAt: now.toISOString(),
          endsAt: '0001-01-01T00:00:00Z',
          generatorURL: 'https://prometheus.example.com/graph?g0.expr=disk',
          fingerprint: '9c1185a5c5e9fc54',
        },
      ],
      groupLabels: { alertname: 'DiskFull' },
      commonLabels: { alertname: 'DiskFull', instance: 'db-1:9100', severity: 'critical' },
      commonAnnotations: { summary: '/var is 97 % full on db-1' },
      externalURL: 'https://alertmanager.example.com',
      version: '4',
      groupKey: '{}:{alertname="DiskFull"}',
      truncatedAlerts: 0,
    },
  }),
}
