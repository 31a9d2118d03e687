import { type Facts, type Payloads, seconds } from '../sender.ts'

export const facts: Facts = {
  title: 'OpenAI',
  scheme: 'standard-webhooks',
  secret: 'OPENAI_WEBHOOK_SECRET',
  shown: 'the signing secret that is shown once, `whsec_…`',
  repeat: 'headers.webhook-id',
  events: ['body.type', 'response.completed', 'batch.completed'],
}

export const payloads: Payloads = {
  'response.completed': ({ id, now }) => ({
    body: {
      id: `evt_${id.replaceAll('-', '')}`,
      object: 'event',
      created_at: seconds(now),
      type: 'response.completed',
      data: { id: 'resp_abc123' },
    },
  }),
}
