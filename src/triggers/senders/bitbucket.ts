import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Bitbucket',
  secret: 'BITBUCKET_SECRET',
  shown: 'the *Secret* of the webhook, which you choose',
  repeat: 'headers.x-request-uuid',
  events: ['headers.x-event-key', 'repo:push', 'pullrequest:created', 'pullrequest:fulfilled'],
  click:
    '*Repository settings > Webhooks > Add webhook*. Enter the URL and the secret, and choose the triggers.',
}

export const scheme: OwnScheme = {
  page: 'https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/',
  header: 'x-hub-signature',
  signaturePrefix: 'sha256=',
}

export const payloads: Payloads = {
  push: ({ id }) => ({
    headers: { 'x-event-key': 'repo:push', 'x-request-uuid': id, 'x-attempt-number': '1' },
    body: {
      actor: { display_name: 'Ada', type: 'user' },
      repository: { name: 'hello', full_name: 'octo/hello', type: 'repository' },
      push: { changes: [{ new: { type: 'branch', name: 'main' }, created: false, forced: false }] },
    },
  }),
}
