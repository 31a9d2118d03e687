import type { Facts, Payloads, SenderPage } from '../sender.ts'

export const facts: Facts = {
  title: 'Alertmanager (Prometheus)',
  scheme: 'bearer',
  secret: 'ALERTMANAGER_TOKEN',
  shown: 'a token that you choose, which Alertmanager sends as `Authorization: Bearer …`',
  timeout:
    'Alertmanager waits until the next `group_interval` (five minutes by default), or for the `timeout` in `webhook_configs`.',
  retries: {
    when: 'yes',
    text: 'Alertmanager retries after 5xx and after a broken connection, but not after 429 or another 4xx. A notification that failed is sent again after the next `group_interval`.',
  },
  events: ['body.status', 'firing'],
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

export const page: SenderPage = {
  isOwn: true,
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
  fire: ': `amtool alert add DiskFull instance=db-1 --alertmanager.url=http://localhost:9093` adds an alert.',
  outputs:
    '`body.commonLabels` and `body.commonAnnotations` contain the values that all alerts share, and `body.alerts` has one entry for each alert.',
  retries:
    'A reminder about the same alerts (`repeat_interval`) has the same body, so it is a duplicate too.',
  notes:
    'A request contains all alerts of a group. The filter drops the request that says that they are resolved. To limit the number of alerts, set `max_alerts` in `webhook_configs`; `body.truncatedAlerts` counts the others. For a job per alert, see [a job for each entry of a list](../guides/use-event-data.md#in-a-matrix). Alertmanager writes the whole URL into its log, so use an [endpoint](../guides/endpoints.md) in place of a URL with a GitHub token.',
}
