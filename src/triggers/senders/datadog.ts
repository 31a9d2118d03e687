import type { Facts, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Datadog',
  scheme: 'token',
  options: { header: 'x-datadog-secret' },
  secret: 'DATADOG_SECRET',
  shown: 'a string that you choose, which Datadog sends in the header `X-Datadog-Secret`',
  repeat: 'id',
  events: ['body.transition', 'Triggered'],
  click:
    'open the [Webhooks integration](https://docs.datadoghq.com/integrations/webhooks/), and create a webhook with the URL. As *Payload*, enter `{"id": "$ID", "title": "$EVENT_TITLE", "transition": "$ALERT_TRANSITION", "link": "$LINK"}`, and as *Custom Headers* `{"X-Datadog-Secret": "<your string>"}`. Then write `@webhook-<its name>` into the message of a monitor.',
}

export const payloads: Payloads = {
  /** The payload of the page below, with values of Datadog. */
  triggered: ({ id }) => ({
    body: {
      id,
      title: '[Triggered] High CPU on web-1',
      transition: 'Triggered',
      link: 'https://app.datadoghq.com/monitors/1',
    },
  }),
}
