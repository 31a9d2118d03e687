import { headerValue } from '../../wire/headers.ts'
import { jsonResponse } from '../../wire/http.ts'
import { visibleAscii } from '../handshake-values.ts'
import type { Facts, Handshake, OwnScheme, Payloads } from '../sender.ts'

export const facts: Facts = {
  title: 'Smartsheet',
  secret: 'SMARTSHEET_SHARED_SECRET',
  shown: 'the `sharedSecret` in the response that created the webhook',
  repeat: 'nonce',
  events: ['body.events.eventType', 'created', 'updated'],
}

export const scheme: OwnScheme = {
  page: 'https://smartsheet.redoc.ly/#section/Webhook-Callbacks',
  header: 'smartsheet-hmac-sha256',
}

/** https://smartsheet.redoc.ly/#section/Webhooks/Webhook-Verification */
export const handshake: Handshake = {
  method: 'POST',
  mark: { header: 'smartsheet-hook-challenge' },
  challenge: ({ headers }) => visibleAscii(headerValue(headers, 'smartsheet-hook-challenge')),
  answer: (smartsheetHookResponse) => {
    const reply = jsonResponse({ smartsheetHookResponse })
    const headers = { ...reply.headers, 'smartsheet-hook-response': smartsheetHookResponse }
    return { ...reply, headers }
  },
}

export const payloads: Payloads = {
  updated: ({ id, now }) => ({
    body: {
      nonce: id,
      timestamp: now.toISOString(),
      webhookId: 4503604829677444,
      scope: 'sheet',
      scopeObjectId: 5285246604863364,
      events: [{ objectType: 'row', eventType: 'updated', id: 5087906221582212 }],
    },
  }),
}
