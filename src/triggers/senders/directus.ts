import type { Facts, Payloads, SenderPage } from '../sender.ts'

export const facts: Facts = {
  title: 'Directus',
  scheme: 'bearer',
  secret: 'DIRECTUS_TOKEN',
  shown: 'a token that you choose, which the flow sends as `Authorization: Bearer …`',
  timeout: Infinity,
  retries: {
    when: 'no',
    text: 'Directus does not retry. After 4xx and 5xx, the flow goes on at the failure path.',
  },
  filter: { 'body.event': { $regex: 'items\\.(create|update)$' } },
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

export const page: SenderPage = {
  click:
    '*Settings > Flows > Create Flow*. Choose the trigger *Event Hook* of the type *Action (Non-Blocking)*, the scopes `items.create` and `items.update`, and your collection. Add the operation *Webhook / Request URL* with *POST*, the URL, the header `Authorization` with `Bearer <your token>`, and the body `{{ $trigger }}`.',
  fire: ': create an item of the collection.',
  filter:
    'The workflow runs for events whose `body.event` ends in `items.create` or `items.update`, such as `articles.items.create`.',
  outputs:
    '`body.collection` and `body.key` name the item; an update of several items has `body.keys`. `body.payload` contains the fields that were written.',
  retries: 'Two equal updates of an item have the same hash, so do not drop duplicates of updates.',
  notes:
    'The type *Filter (Blocking)* would send the event before the item is stored, and hold up the user until GitHub has responded. An update that also changes related items sends one event for each collection of the flow. Directus refuses addresses of its own machine, unless `IMPORT_IP_DENY_LIST` allows them. Directus stores the URL in its database, so use an [endpoint](../guides/endpoints.md) in place of a URL with a GitHub token.',
}
