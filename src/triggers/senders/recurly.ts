import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Recurly',
  secret: 'RECURLY_SECRET',
  shown: 'the *Secret key* of the endpoint',
  repeat: 'uuid',
  events: ['body.event_type', 'created', 'updated', 'expired'],
}

export const scheme: OwnScheme = {
  page: 'https://docs.recurly.com/recurly-subscriptions/docs/signature-verification',
  header: 'recurly-signature',
  parts: { separator: ',', timestamp: '1', signature: '2' },
  signedPayload: '{timestamp}.{body}',
  timestampFormat: 'milliseconds',
}

export const payloads: Payloads = {
  'subscription.created': ({ id, now }) => ({
    body: {
      id: 'mocvuo9qgp6y',
      object_type: 'subscription',
      site_id: 'mocvuncu6y4f',
      event_type: 'created',
      event_time: now.toISOString(),
      uuid: id.replaceAll('-', ''),
    },
  }),
}
