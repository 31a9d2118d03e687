import type { Facts, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Unleash',
  scheme: 'bearer',
  secret: 'UNLEASH_TOKEN',
  shown: 'a token that you choose, which Unleash sends as `Authorization: Bearer …`',
  repeat: 'id',
  events: ['body.type', 'feature-environment-enabled', 'feature-environment-disabled'],
  click:
    '*Configure > Integrations > Webhook*. Enter the URL, and `Bearer <your token>` as *Authorization*. Choose the events and the projects, and leave the *Body template* empty.',
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
