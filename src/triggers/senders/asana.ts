import { headerValue } from '../../wire/headers.ts'
import { visibleAscii } from '../handshake-values.ts'
import type { Facts, Handshake, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Asana',
  secret: 'ASANA_HOOK_SECRET',
  shown: 'the header `x-hook-secret` of the first request',
  events: ['body.events.action', 'added', 'changed'],
  click:
    'create the webhook by the API: `POST /webhooks` with `resource` and with the URL as `target`.',
}

export const scheme: OwnScheme = {
  page: 'https://developers.asana.com/docs/webhooks-guide#security',
  header: 'x-hook-signature',
}

/**
 * The handshake contains the secret for later signatures, and expects it back. The workflow needs
 * the secret, too, so this request is also an event.
 * https://developers.asana.com/docs/webhooks-guide#the-webhook-handshake
 */
export const handshake: Handshake = {
  method: 'POST',
  mark: { header: 'x-hook-secret' },
  isEvent: true,
  challenge: ({ headers }) => visibleAscii(headerValue(headers, 'x-hook-secret')),
  answer: (secret) => ({ status: 200, headers: { 'x-hook-secret': secret }, body: '' }),
}

export const payloads: Payloads = {
  changed: ({ now }) => ({
    body: {
      events: [
        {
          action: 'changed',
          created_at: now.toISOString(),
          resource: { gid: '1337', resource_type: 'task' },
          change: { field: 'name', action: 'changed' },
        },
      ],
    },
  }),
}
