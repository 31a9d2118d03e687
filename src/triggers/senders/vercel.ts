import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Vercel',
  secret: 'VERCEL_WEBHOOK_SECRET',
  shown: 'the secret that is shown once, when you create the webhook',
  repeat: 'id',
  events: ['body.type', 'deployment.succeeded', 'deployment.error'],
}

export const scheme: OwnScheme = {
  page: 'https://vercel.com/docs/webhooks/webhooks-api#securing-webhooks',
  header: 'x-vercel-signature',
  algorithm: 'sha1',
}

export const payloads: Payloads = {
  'deployment.succeeded': ({ id, now }) => ({
    body: {
      id,
      type: 'deployment.succeeded',
      createdAt: now.getTime(),
      payload: { deployment: { name: 'hello', url: 'hello-abc.vercel.app' }, target: 'production' },
    },
  }),
}
