import type { Facts, OwnScheme, Page, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Discord',
  secret: 'DISCORD_PUBLIC_KEY',
  shown: 'the *Public Key* under *General Information* of the app, in hex',
  handshake: 'door',
  retries: 'for up to ten minutes, ever more slowly',
  events: ['body.event.type', 'APPLICATION_AUTHORIZED', 'ENTITLEMENT_CREATE'],
}

export const scheme: OwnScheme = {
  page: 'https://docs.discord.com/developers/interactions/overview#setting-up-an-endpoint-validating-security-request-headers',
  header: 'x-signature-ed25519',
  algorithm: 'ed25519',
  key: 'ed25519',
  template: '{timestamp}{body}',
  timestampHeader: 'x-signature-timestamp',
}

export const payloads: Payloads = {
  application_authorized: ({ now }) => ({
    body: {
      version: 1,
      application_id: '1234560123453231555',
      type: 1,
      event: {
        type: 'APPLICATION_AUTHORIZED',
        timestamp: now.toISOString(),
        data: { integration_type: 1, scopes: ['applications.commands'] },
      },
    },
  }),
}

export const page: Page = {
  click: '*Developer Portal > your app > Webhooks > Endpoint URL*.',
  more: 'Discord calls the URL with right and with wrong signatures, and takes it only when the wrong ones get a 401. The relay holds no keys of senders, so it cannot tell them apart: something that can has to stand before it. What it hands on, the workflow verifies.',
}
