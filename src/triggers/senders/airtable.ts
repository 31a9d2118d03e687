import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Airtable',
  secret: 'AIRTABLE_MAC_SECRET',
  shown: 'the `macSecretBase64` in the response that created the webhook',
}

export const scheme: OwnScheme = {
  page: 'https://airtable.com/developers/web/api/webhooks-overview',
  header: 'x-airtable-content-mac',
  signaturePrefix: 'hmac-sha256=',
  secretEncoding: 'base64',
}

export const payloads: Payloads = {
  ping: ({ now }) => ({
    body: {
      base: { id: 'app00000000000000' },
      webhook: { id: 'ach00000000000000' },
      timestamp: now.toISOString(),
    },
  }),
}
