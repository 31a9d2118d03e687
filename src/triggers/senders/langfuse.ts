import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Langfuse',
  secret: 'LANGFUSE_SECRET',
  shown: 'the signing secret of the automation, `lf-whsec_…`',
  repeat: 'id',
  events: ['body.action', 'created'],
  click:
    '*Prompts > Automations > Create Automation > Webhook*. Choose the actions, and enter the URL.',
}

export const scheme: OwnScheme = {
  page: 'https://langfuse.com/docs/prompt-management/features/webhooks-slack-integrations',
  header: 'x-langfuse-signature',
  parts: { separator: ',', signature: 'v1', timestamp: 't' },
  signedPayload: '{timestamp}.{body}',
}

export const payloads: Payloads = {
  'prompt.created': ({ id, now }) => ({
    body: {
      id,
      timestamp: now.toISOString(),
      type: 'prompt-version',
      action: 'created',
      prompt: { name: 'movie-critic', version: 3, labels: ['production'] },
    },
  }),
}
