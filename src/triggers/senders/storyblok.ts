import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Storyblok',
  secret: 'STORYBLOK_SECRET',
  shown: 'the *Webhook secret* of the webhook, which you choose',
  events: ['body.action', 'published', 'unpublished', 'deleted'],
}

export const scheme: OwnScheme = {
  page: 'https://www.storyblok.com/docs/concepts/webhooks',
  header: 'webhook-signature',
  algorithm: 'sha1',
}

export const payloads: Payloads = {
  published: () => ({
    body: {
      text: 'The user ada published the Story Hello (hello)',
      action: 'published',
      space_id: 42,
      story_id: 107350372,
      full_slug: 'hello',
    },
  }),
}
