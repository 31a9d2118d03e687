import { headerValue } from '../../wire/headers.ts'
import { challengeBody, textResponse } from '../handshake-values.ts'
import type { Facts, Handshake, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Twitch',
  secret: 'TWITCH_SECRET',
  shown: 'the `secret` of the subscription, which you choose',
  repeat: 'headers.twitch-eventsub-message-id',
  events: ['body.subscription.type', 'stream.online', 'channel.follow'],
  click:
    'create the subscription by the API: `POST /helix/eventsub/subscriptions` with `transport: {method: webhook, callback, secret}`.',
}

export const scheme: OwnScheme = {
  page: 'https://dev.twitch.tv/docs/eventsub/handling-webhook-events/#verifying-the-event-message',
  header: 'twitch-eventsub-message-signature',
  signaturePrefix: 'sha256=',
  signedPayload: '{header.twitch-eventsub-message-id}{timestamp}{body}',
  timestampHeader: 'twitch-eventsub-message-timestamp',
  timestampFormat: 'rfc3339',
  tolerance: 600,
}

/** https://dev.twitch.tv/docs/eventsub/handling-webhook-events/#responding-to-a-challenge-request */
export const handshake: Handshake = {
  method: 'POST',
  mark: { header: 'twitch-eventsub-message-type' },
  isSigned: true,
  isNarrow: true,
  challenge: ({ headers, body }) => {
    const type = headerValue(headers, 'twitch-eventsub-message-type')
    return type === 'webhook_callback_verification' ? challengeBody(body)?.challenge : undefined
  },
  answer: textResponse,
}

export const payloads: Payloads = {
  'stream.online': ({ id, now }) => ({
    headers: {
      'twitch-eventsub-message-id': id,
      'twitch-eventsub-message-type': 'notification',
      'twitch-eventsub-subscription-type': 'stream.online',
    },
    body: {
      subscription: { id: 'f1c2a387-161a-49f9-a165-0f21d7a4e1c4', type: 'stream.online' },
      event: { broadcaster_user_login: 'cooler_user', type: 'live', started_at: now.toISOString() },
    },
  }),
}
