import type { Facts, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Strapi',
  scheme: 'bearer',
  secret: 'STRAPI_TOKEN',
  shown: 'a string that you choose and send as the header `Authorization: Bearer …`',
  events: ['body.event', 'entry.create', 'entry.update', 'entry.publish'],
}

/** https://docs.strapi.io/cms/backend-customization/webhooks */
export const payloads: Payloads = {
  'entry.create': ({ now }) => ({
    headers: { 'x-strapi-event': 'entry.create' },
    body: {
      event: 'entry.create',
      createdAt: now.toISOString(),
      model: 'address',
      uid: 'api::address.address',
      entry: { id: 1, city: 'Paris' },
    },
  }),
}
