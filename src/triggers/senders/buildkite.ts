import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Buildkite',
  secret: 'BUILDKITE_TOKEN',
  shown: 'the *Token* of the notification service, sent as an HMAC signature',
  events: ['headers.x-buildkite-event', 'build.finished', 'job.finished'],
}

export const scheme: OwnScheme = {
  page: 'https://buildkite.com/docs/apis/webhooks/pipelines#webhook-signature',
  header: 'x-buildkite-signature',
  parts: { separator: ',', signature: 'signature', timestamp: 'timestamp' },
  signedPayload: '{timestamp}.{body}',
}

export const payloads: Payloads = {
  'build.finished': () => ({
    headers: { 'x-buildkite-event': 'build.finished' },
    body: {
      event: 'build.finished',
      build: { id: 'f62a1b4d-10f9-4790-bc1c-e2c3a0c80983', number: 1, state: 'passed' },
      pipeline: { slug: 'hello', name: 'Hello' },
    },
  }),
}
