import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'DocuSign',
  secret: 'DOCUSIGN_CONNECT_KEY',
  shown: 'a *Connect key*, under *Connect > Connect Keys*',
  events: ['body.event', 'envelope-completed', 'envelope-declined'],
}

export const scheme: OwnScheme = {
  page: 'https://developers.docusign.com/platform/webhooks/connect/hmac/',
  header: 'x-docusign-signature-1',
  others: [
    'x-docusign-signature-2',
    'x-docusign-signature-3',
    'x-docusign-signature-4',
    'x-docusign-signature-5',
    'x-docusign-signature-6',
    'x-docusign-signature-7',
    'x-docusign-signature-8',
    'x-docusign-signature-9',
    'x-docusign-signature-10',
  ],
  signatureEncoding: 'base64',
}

export const payloads: Payloads = {
  'envelope-completed': ({ now }) => ({
    body: {
      event: 'envelope-completed',
      generatedDateTime: now.toISOString(),
      data: { envelopeId: '7f0fcbbd-4eb4-4da2-8aa2-1d9b4b3c6c5a' },
    },
  }),
}
