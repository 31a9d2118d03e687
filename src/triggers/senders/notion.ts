import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Notion',
  secret: 'NOTION_VERIFICATION_TOKEN',
  shown: 'the `verification_token` of the first request',
  handshake: 'workflow',
  repeat: 'id',
  events: ['body.type', 'page.created', 'page.content_updated', 'comment.created'],
  click:
    '*Integrations > your integration > Webhooks > Create a subscription*. Enter the URL, and choose the events.',
}

export const scheme: OwnScheme = {
  page: 'https://developers.notion.com/reference/webhooks#step-3-validating-event-payloads-recommended',
  header: 'x-notion-signature',
  signaturePrefix: 'sha256=',
}

export const payloads: Payloads = {
  'page.created': ({ id, now }) => ({
    body: {
      id,
      timestamp: now.toISOString(),
      type: 'page.created',
      entity: { id: '153104cd-477e-809d-8dc4-ff2d96ae3090', type: 'page' },
      attempt_number: 1,
    },
  }),
}
