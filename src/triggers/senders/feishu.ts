import { headerValue } from '../../wire/headers.ts'
import { jsonResponse } from '../../wire/http.ts'
import { challengeBody } from '../handshake-values.ts'
import type { Facts, Handshake, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Feishu (Lark)',
  secret: 'FEISHU_VERIFICATION_TOKEN',
  shown: 'the *Verification Token* under *Events & Callbacks > Encryption Strategy* of the app',
  repeat: 'header.event_id',
  events: ['body.header.event_type', 'im.message.receive_v1'],
}

export const scheme: OwnScheme = {
  page: 'https://open.feishu.cn/document/server-docs/event-subscription-guide/event-subscription-configure-/request-url-configuration-case',
  tokenField: 'header.token',
}

/**
 * The handshake looks like Slack's, but expects JSON. Feishu's own headers distinguish it, or its
 * token, which has 32 characters instead of Slack's 24.
 * https://open.feishu.cn/document/server-docs/event-subscription-guide/event-subscription-configure-/request-url-configuration-case
 */
export const handshake: Handshake = {
  method: 'POST',
  mark: { body: 'challenge' },
  isNarrow: true,
  challenge: ({ headers, body }) => {
    const { type, token, challenge } = challengeBody(body) ?? {}
    if (type !== 'url_verification' || headerValue(headers, 'x-slack-signature')) return undefined
    const isOwn = typeof token === 'string' && /^[A-Za-z0-9]{32}$/.test(token)
    return isOwn || headerValue(headers, 'x-lark-request-nonce') ? challenge : undefined
  },
  answer: (challenge) => jsonResponse({ challenge }),
}

export const payloads: Payloads = {
  'im.message.receive_v1': ({ id, now }) => ({
    body: {
      schema: '2.0',
      header: {
        event_id: id.replaceAll('-', ''),
        event_type: 'im.message.receive_v1',
        create_time: String(now.getTime()),
        app_id: 'cli_9f5343c580712544',
        tenant_key: '2ca1d211f64f6438',
      },
      event: {
        sender: { sender_id: { open_id: 'ou_84aad35d084aa403a838cf73ee18467' } },
        message: { message_type: 'text', content: '{"text":"hello"}' },
      },
    },
  }),
}
