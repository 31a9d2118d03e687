import { jsonResponse, type RelayResponse } from '../../wire/http.ts'
import { isObject } from '../../wire/json.ts'
import type { Facts, OwnScheme, Payloads, SignedResponses } from '../sender.ts'

export const facts: Facts = {
  title: 'Discord',
  trigger: 'discord',
  secret: 'DISCORD_PUBLIC_KEY',
  shown: 'the *Public Key* of the app, in hex',
  repeat: 'id',
  hasBots: true,
  events: ['kind', 'command', 'button', 'modal'],
  click:
    '*Developer Portal > your app > General Information > Interactions Endpoint URL*. Enter the URL. Create the commands by the API, and invite the app with the scope `applications.commands`.',
}

export const scheme: OwnScheme = {
  page: 'https://docs.discord.com/developers/interactions/overview#setting-up-an-endpoint-validating-security-request-headers',
  header: 'x-signature-ed25519',
  algorithm: 'ed25519',
  secretEncoding: 'ed25519',
  signedPayload: '{timestamp}{body}',
  timestampHeader: 'x-signature-timestamp',
}

/** By the `type` of an interaction, the response that Discord expects within three seconds. */
const DEFERRED: Readonly<Record<string, number>> = {
  2: 5, // a command: "thinking…", until the workflow replies
  3: 6, // a button or a menu: the message remains unchanged
  5: 5, // a form
}
const AUTOCOMPLETE = 4

/**
 * https://docs.discord.com/developers/interactions/receiving-and-responding#interaction-response-object-interaction-callback-type
 * and https://docs.discord.com/developers/events/webhook-events#responding-to-events
 */
export const signedResponses: SignedResponses = {
  async answer(body) {
    if (!isObject(body)) return undefined
    const { type, token } = body
    if (typeof token !== 'string') return type === 0 ? NO_CONTENT : undefined
    if (type === 1) return jsonResponse({ type: 1 })
    return type === AUTOCOMPLETE ? jsonResponse({ type: 8, data: { choices: [] } }) : undefined
  },
  accepted(body) {
    if (!isObject(body)) return undefined
    const type = typeof body.token === 'string' ? DEFERRED[String(body.type)] : undefined
    if (type !== undefined) return jsonResponse({ type })
    return isObject(body.event) ? NO_CONTENT : undefined
  },
}

/** The response to webhook events. */
const NO_CONTENT: RelayResponse = { status: 204, headers: {}, body: '' }

/** The common fields of interactions; the id contains the time, as all ids of Discord do. */
function interactionFields(now: Date): object {
  const id = (BigInt(now.getTime() - 1_420_070_400_000) << 22n).toString()
  return {
    id,
    application_id: '845027738276462632',
    version: 1,
    token: 'A_UNIQUE_TOKEN',
    channel_id: '645027906669510667',
    guild_id: '290926798626357999',
    member: { user: { id: '53908232506183680', username: 'mason' }, roles: [] },
  }
}

export const payloads: Payloads = {
  command: ({ now }) => ({
    body: {
      ...interactionFields(now),
      type: 2,
      data: { id: '1', name: 'deploy', type: 1, options: [{ name: 'to', type: 3, value: 'prod' }] },
    },
  }),
  button: ({ now }) => ({
    body: {
      ...interactionFields(now),
      type: 3,
      data: { component_type: 2, custom_id: 'approve:42' },
      message: { id: '846462639134605313', content: 'Deploy?', channel_id: '645027906669510667' },
    },
  }),
  modal: ({ now }) => ({
    body: {
      ...interactionFields(now),
      type: 5,
      data: {
        custom_id: 'report',
        components: [{ type: 18, component: { type: 4, custom_id: 'title', value: 'It breaks' } }],
      },
    },
  }),
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
