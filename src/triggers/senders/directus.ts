import type { Facts, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Directus',
  scheme: 'bearer',
  secret: 'DIRECTUS_TOKEN',
  shown: 'a token that you choose, which the flow sends as `Authorization: Bearer …`',
  filter: { 'body.event': { $regex: 'items\\.(create|update)$' } },
  click:
    '*Settings > Flows > Create Flow*. Choose the trigger *Event Hook* of the type *Action (Non-Blocking)*, the scopes `items.create` and `items.update`, and your collection. Add the operation *Webhook / Request URL* with *POST*, the URL, the header `Authorization` with `Bearer <your token>`, and the body `{{ $trigger }}`.',
}

export const payloads: Payloads = {
  /** https://directus.io/docs/guides/automate/triggers */
  'items.create': ({ now }) => ({
    body: {
      event: 'articles.items.create',
      payload: { title: 'Hello', status: 'published', date: now.toISOString() },
      key: 31,
      collection: 'articles',
    },
  }),
}
