import type { Facts, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'HubSpot',
  secret: 'HUBSPOT_CLIENT_SECRET',
  shown: 'the *Client secret* of the app',
  events: ['body.subscriptionType', 'contact.creation', 'deal.propertyChange'],
  click: '*Your app > Webhooks*. Enter the URL as *Target URL*, and add the subscriptions.',
}

export const scheme: OwnScheme = {
  page: 'https://developers.hubspot.com/docs/apps/legacy-apps/authentication/validating-requests',
  header: 'x-hubspot-signature-v3',
  signatureEncoding: 'base64',
  signedPayload: '{method}{url}{body}{timestamp}',
  timestampHeader: 'x-hubspot-request-timestamp',
  timestampFormat: 'milliseconds',
  urlForms: (url) => [
    url.replace(/%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C|3B)/gi, decodeURIComponent),
  ],
}

export const payloads: Payloads = {
  'contact.creation': ({ now }) => ({
    body: [
      {
        eventId: 1,
        subscriptionType: 'contact.creation',
        objectId: 123,
        occurredAt: now.getTime(),
      },
    ],
  }),
}
