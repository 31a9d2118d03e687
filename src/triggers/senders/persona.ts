import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Persona',
  secret: 'PERSONA_WEBHOOK_SECRET',
  shown: 'the *Secret* of the webhook, `wbhsec_…`',
  repeat: 'data.id',
  events: ['body.data.attributes.name', 'inquiry.completed', 'inquiry.approved'],
}

export const scheme: OwnScheme = {
  page: 'https://docs.withpersona.com/webhooks-best-practices',
  header: 'persona-signature',
  parts: { separator: ',', signature: 'v1', timestamp: 't' },
  lists: ' ',
  signedPayload: '{timestamp}.{body}',
}

export const payloads: Payloads = {
  'inquiry.completed': ({ id, now }) => ({
    body: {
      data: {
        type: 'event',
        id: `evt_${id.replaceAll('-', '')}`,
        attributes: {
          name: 'inquiry.completed',
          payload: { data: { type: 'inquiry', id: 'inq_1', attributes: { status: 'completed' } } },
          'created-at': now.toISOString(),
        },
      },
    },
  }),
}
