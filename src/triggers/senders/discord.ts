import type { Reply } from '../../wire/http.ts'
import { isObject } from '../../wire/json.ts'
import { json } from '../handshake.ts'
import type { Door, Facts, OwnScheme, Page, Payloads } from '../sender.ts'

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

/** By the `type` of an interaction: what Discord wants to hear within three seconds. */
const DEFERRED: Readonly<Record<string, number>> = {
  2: 5, // a command: "thinking…", until the workflow answers
  3: 6, // a button or a menu: the message stays as it is
  5: 5, // a form
}
const AUTOCOMPLETE = 4

/**
 * https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-response-object-interaction-callback-type
 * and https://docs.discord.com/developers/events/webhook-events#responding-to-events
 */
export const door: Door = {
  async answer(body) {
    if (!isObject(body)) return undefined
    const { type, token } = body
    if (typeof token !== 'string') return type === 0 ? NO_CONTENT : undefined
    if (type === 1) return json({ type: 1 })
    return type === AUTOCOMPLETE ? json({ type: 8, data: { choices: [] } }) : undefined
  },
  accepted(body) {
    if (!isObject(body)) return undefined
    const type = typeof body.token === 'string' ? DEFERRED[String(body.type)] : undefined
    if (type !== undefined) return json({ type })
    return isObject(body.event) ? NO_CONTENT : undefined
  },
}

/** What it wants to hear of its webhook events. */
const NO_CONTENT: Reply = { status: 204, headers: {}, body: '' }

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
  click:
    '*Developer Portal > your app > General Information > Interactions Endpoint URL*: the URL with a grant that carries the public key.',
  more: 'Discord calls the URL with right and with wrong signatures, and takes it only when the wrong ones get a 401 and its PING an answer. So the URL carries a grant with the public key: `npx hookline grant --verify discord --public-key <hex>`. A command then says "thinking…" until the workflow answers.',
}
