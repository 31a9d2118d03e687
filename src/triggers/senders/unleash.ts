import type { Facts, Payloads, SenderPage } from '../sender.ts'

export const facts: Facts = {
  title: 'Unleash',
  scheme: 'bearer',
  secret: 'UNLEASH_TOKEN',
  shown: 'a token that you choose, which Unleash sends as `Authorization: Bearer …`',
  timeout: 10,
  retries: { when: 'no', text: 'Unleash does not retry a POST, whatever the response is.' },
  repeat: 'id',
  events: ['body.type', 'feature-environment-enabled', 'feature-environment-disabled'],
}

export const payloads: Payloads = {
  /** https://docs.getunleash.io/concepts/events */
  'feature-environment-enabled': ({ now }) => ({
    body: {
      id: 899,
      type: 'feature-environment-enabled',
      createdBy: 'ada@example.com',
      createdByUserId: 12,
      createdAt: now.toISOString(),
      data: null,
      preData: null,
      tags: [],
      featureName: 'new-checkout',
      project: 'default',
      environment: 'production',
    },
  }),
}

export const page: SenderPage = {
  click:
    '*Configure > Integrations > Webhook*. Enter the URL, and `Bearer <your token>` as *Authorization*. Choose the events and the projects, and leave the *Body template* empty.',
  fire: ': turn a flag on in an environment.',
  outputs:
    'The body is [an event of Unleash](https://docs.getunleash.io/concepts/events). `featureName`, `project` and `environment` name the flag.',
  notes:
    'A change in the user interface can cause several events, such as `feature-strategy-add` together with `feature-environment-enabled`. The filter drops `feature-strategy-add`. Unleash refuses addresses of private networks. Unleash stores the URL in its database, so use an [endpoint](../guides/endpoints.md) in place of a URL with a GitHub token.',
}
