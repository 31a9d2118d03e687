import { toHex } from '../../wire/bytes.ts'
import { jsonResponse } from '../../wire/http.ts'
import { isObject } from '../../wire/json.ts'
import type { Facts, OwnScheme, Payloads, SignedResponses } from '../sender.ts'
import { hmacOf } from '../verify/algorithms.ts'

export const facts: Facts = {
  title: 'Zoom',
  secret: 'ZOOM_SECRET_TOKEN',
  shown: 'the *Secret Token* under *Feature* of the app',
  events: ['body.event', 'meeting.started', 'meeting.ended', 'recording.completed'],
  click:
    '*App Marketplace > Develop > your app > Feature > Event Subscriptions*. Enter the URL, and choose the events.',
}

export const scheme: OwnScheme = {
  page: 'https://developers.zoom.us/docs/api/webhooks/#verify-with-zooms-header',
  header: 'x-zm-signature',
  signaturePrefix: 'v0=',
  signedPayload: 'v0:{timestamp}:{body}',
  timestampHeader: 'x-zm-request-timestamp',
}

/**
 * The request contains a token, and expects the token's HMAC. The relay only signs a string that
 * cannot be anything else.
 * https://developers.zoom.us/docs/api/webhooks/#validate-your-webhook-endpoint
 */
export const signedResponses: SignedResponses = {
  async answer(body, secret) {
    const payload = isObject(body) && body.event === 'endpoint.url_validation' ? body.payload : {}
    const plainToken = isObject(payload) ? payload.plainToken : undefined
    const isPlain = typeof plainToken === 'string' && /^[\w-]{1,64}$/.test(plainToken)
    if (!isPlain || secret === undefined) return undefined
    const encryptedToken = toHex(await hmacOf('sha256', secret, plainToken))
    return jsonResponse({ plainToken, encryptedToken })
  },
}

export const payloads: Payloads = {
  'meeting.started': ({ now }) => ({
    body: {
      event: 'meeting.started',
      event_ts: now.getTime(),
      payload: { account_id: 'AAAAAABBBB', object: { id: '1234567890', topic: 'My Meeting' } },
    },
  }),
}
