import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Ghost',
  secret: 'GHOST_SECRET',
  shown: 'the *Secret* of the webhook of the custom integration, which you choose',
}

export const scheme: OwnScheme = {
  page: 'https://docs.ghost.org/webhooks',
  header: 'x-ghost-signature',
  parts: { separator: ', ', signature: 'sha256', timestamp: 't' },
  signedPayload: '{body}{timestamp}',
  timestampFormat: 'milliseconds',
  isExact: true,
}

export const payloads: Payloads = {
  post_published: ({ now }) => ({
    body: {
      post: {
        current: {
          id: '64a3ca2e5f2a3c001d5b2f53',
          title: 'Hello',
          status: 'published',
          published_at: now.toISOString(),
        },
        previous: { status: 'draft' },
      },
    },
  }),
}
