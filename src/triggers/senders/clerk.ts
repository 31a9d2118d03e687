import type { Facts, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Clerk',
  scheme: 'standard-webhooks',
  secret: 'CLERK_SIGNING_SECRET',
  shown: 'the *Signing Secret* of the endpoint, `whsec_…`',
  repeat: 'headers.svix-id',
  events: ['body.type', 'user.created', 'user.updated'],
}

export const payloads: Payloads = {
  'user.created': ({ now }) => ({
    body: {
      type: 'user.created',
      object: 'event',
      timestamp: now.getTime(),
      data: { id: 'user_29w83sxmDNGwOuEthce5gg56FcC', first_name: 'Ada' },
    },
  }),
}
