import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'ClickUp',
  secret: 'CLICKUP_SECRET',
  shown: 'the `secret` in the response that created the webhook',
  events: ['body.event', 'taskCreated', 'taskUpdated', 'taskStatusUpdated'],
}

export const scheme: OwnScheme = {
  page: 'https://developer.clickup.com/docs/webhooksignature',
  header: 'x-signature',
}

export const payloads: Payloads = {
  task_created: () => ({
    body: {
      webhook_id: '7689a169-a000-4985-8676-6902b96d6627',
      event: 'taskCreated',
      task_id: 'c0j',
    },
  }),
}
