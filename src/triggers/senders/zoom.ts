import type { Facts, OwnScheme, Page, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Zoom',
  secret: 'ZOOM_SECRET_TOKEN',
  shown: 'the *Secret Token* under *Feature* of the app',
  handshake: 'door',
  retries: 'three times: after five minutes, 20 more, and 60 more',
  events: ['body.event', 'meeting.started', 'meeting.ended', 'recording.completed'],
}

export const scheme: OwnScheme = {
  page: 'https://developers.zoom.us/docs/api/webhooks/#verify-with-zooms-header',
  header: 'x-zm-signature',
  prefix: 'v0=',
  template: 'v0:{timestamp}:{body}',
  timestampHeader: 'x-zm-request-timestamp',
}

export const payloads: Payloads = {
  'meeting.started': ({ now }) => ({
    body: {
      event: 'meeting.started',
      event_ts: now.getTime(),
      payload: { account_id: 'AAAAAABBBB', object: { id: '1234567890', topic: 'My Meeting' } },
    },
  }),
}

export const page: Page = {
  click:
    '*App Marketplace > Develop > your app > Feature > Event Subscriptions*: the URL, and the events.',
  more: 'Zoom sends `endpoint.url_validation` first, and wants an answer that only the secret token can make. The relay holds no secrets of senders, so it cannot answer: something that can, a function of your own, has to stand before it.',
}
