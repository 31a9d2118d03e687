import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'CircleCI',
  secret: 'CIRCLECI_SECRET',
  shown: 'the *Secret token* of the webhook, which you choose',
  repeat: 'id',
  events: ['body.type', 'workflow-completed', 'job-completed'],
}

export const scheme: OwnScheme = {
  page: 'https://circleci.com/docs/guides/integration/outbound-webhooks/#validate-webhooks',
  header: 'circleci-signature',
  signaturePrefix: 'v1=',
  several: true,
}

export const payloads: Payloads = {
  'workflow-completed': ({ id, now }) => ({
    headers: { 'circleci-event-type': 'workflow-completed' },
    body: {
      type: 'workflow-completed',
      id,
      happened_at: now.toISOString(),
      workflow: { name: 'build', status: 'success' },
      project: { slug: 'gh/octo/hello', name: 'hello' },
    },
  }),
}
