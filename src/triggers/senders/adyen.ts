import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Adyen (platforms)',
  secret: 'ADYEN_HMAC_KEY',
  shown: 'the *HMAC key* (in hex), which Adyen shows once',
  events: [
    'body.type',
    'balancePlatform.transfer.created',
    'balancePlatform.accountHolder.updated',
  ],
}

export const scheme: OwnScheme = {
  page: 'https://docs.adyen.com/development-resources/webhooks/secure-webhooks/verify-hmac-signatures/',
  header: 'hmacsignature',
  signatureEncoding: 'base64',
  secretEncoding: 'hex',
}

export const payloads: Payloads = {
  'transfer.created': ({ now }) => ({
    headers: { protocol: 'HmacSHA256' },
    body: {
      type: 'balancePlatform.transfer.created',
      environment: 'test',
      timestamp: now.toISOString(),
      data: { id: '1W1UG35U8A9J5ZLG', status: 'authorised', amount: { currency: 'EUR', value: 9 } },
    },
  }),
}
