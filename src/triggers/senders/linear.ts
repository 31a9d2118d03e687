import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Linear',
  secret: 'LINEAR_SIGNING_SECRET',
  shown: 'the *Signing secret* on the page of the webhook',
  repeat: 'headers.linear-delivery',
  events: ['body.type', 'Issue', 'Comment', 'Project', 'AgentSessionEvent'],
  click: '*Settings > API > Webhooks > New webhook*. Enter the URL, and choose the data types.',
}

export const scheme: OwnScheme = {
  page: 'https://linear.app/developers/webhooks#securing-webhooks',
  header: 'linear-signature',
  timestampBodyField: 'webhookTimestamp',
  timestampFormat: 'milliseconds',
}

export const payloads: Payloads = {
  issue: ({ id, now }) => ({
    headers: { 'linear-delivery': id, 'linear-event': 'Issue' },
    body: {
      action: 'create',
      type: 'Issue',
      createdAt: now.toISOString(),
      data: { id: '2174add1-f7c8-44e3-bbf3-2d60b5ea8bc9', title: 'A bug', identifier: 'ENG-1' },
      webhookTimestamp: now.getTime(),
      webhookId: '000042e3-d123-4980-b49f-8e140eef9329',
    },
  }),
}
