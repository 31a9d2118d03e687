import type { Facts, OwnScheme, Payloads, SenderPage } from '../sender.ts'

export const facts: Facts = {
  title: 'Notion',
  secret: 'NOTION_VERIFICATION_TOKEN',
  shown: 'the `verification_token` of the first request',
  handshake: 'workflow',
  retries: { when: 'yes', text: 'Notion retries up to eight times within a day.' },
  repeat: 'id',
  events: ['body.type', 'page.created', 'page.content_updated', 'comment.created'],
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

export const page: SenderPage = {
  click:
    '*Integrations > your integration > Webhooks > Create a subscription*. Enter the URL, and choose the events.',
  notes:
    'The first request contains `verification_token`, is not signed, and reaches the workflow, too. To read the token, receive that request in `hookline dev` behind a tunnel, or in a workflow without `verify`. Then paste the token at Notion, and store it as the secret.',
}
