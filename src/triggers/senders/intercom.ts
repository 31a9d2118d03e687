import { type Facts, type OwnScheme, type Payloads, seconds } from '../sender.ts'

export const facts: Facts = {
  title: 'Intercom',
  secret: 'INTERCOM_CLIENT_SECRET',
  shown: 'the *Client secret* under *Basic information* of the app',
  repeat: 'id',
  events: ['body.topic', 'conversation.user.created', 'conversation.user.replied'],
}

export const scheme: OwnScheme = {
  page: 'https://developers.intercom.com/docs/webhooks/setting-up-webhooks#signed-notifications',
  header: 'x-hub-signature',
  signaturePrefix: 'sha1=',
  algorithm: 'sha1',
}

export const payloads: Payloads = {
  'conversation.user.created': ({ id, now }) => ({
    body: {
      type: 'notification_event',
      id: `notif_${id}`,
      topic: 'conversation.user.created',
      created_at: seconds(now),
      data: { item: { type: 'conversation', id: '1', state: 'open' } },
    },
  }),
}
