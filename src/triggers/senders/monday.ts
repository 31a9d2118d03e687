import { jsonResponse } from '../../wire/http.ts'
import { scalarText } from '../../wire/json.ts'
import { sameText } from '../../wire/secret.ts'
import { challengeBody } from '../handshake-values.ts'
import type { Facts, Handshake, Payloads, Signing } from '../sender.ts'
import { compactJws, hs256Holds } from '../verify/jws.ts'
import {
  DEFAULT_TOLERANCE,
  MISMATCH,
  missingHeader,
  receivedAt,
  type Scheme,
  timeRefusal,
} from '../verify/scheme.ts'
import { withRequestHeaders } from '../verify/signing.ts'

export const facts: Facts = {
  title: 'monday.com',
  secret: 'MONDAY_SIGNING_SECRET',
  shown: 'the *Signing Secret* of the app',
  repeat: 'event.triggerUuid',
  events: ['body.event.type', 'create_pulse', 'update_column_value'],
  click: '*Integrate > webhooks* on the board, or `create_webhook` of the API from an app.',
}

/** Each request has its own JWT, with receiver and time. It does not cover the body. */
export const scheme: Scheme = {
  name: 'monday',
  page: 'https://developer.monday.com/apps/docs/integration-authorization',
  needs: ['secret'],
  takes: ['url', 'tolerance'],
  credentials: () => ({ headers: ['authorization'] }),
  async check(request, { secrets, url, tolerance = DEFAULT_TOLERANCE }, ports) {
    const presented = request.headers.authorization
    if (!presented) return missingHeader('authorization')
    const jws = compactJws(presented.replace(/^Bearer +/i, ''))
    if (!jws || !(await hs256Holds(jws, secrets))) return MISMATCH
    const { aud, exp, iat } = jws.claims
    if (url !== undefined && !(await sameText(url.reveal(), scalarText(aud)))) {
      return 'the signature is for another URL'
    }
    if (typeof exp !== 'number') return 'the signature does not say until when it is valid'
    if (receivedAt(request, ports) > (exp + tolerance) * 1000) return 'the signature has expired'
    return iat === undefined ? undefined : timeRefusal(scalarText(iat), tolerance, request, ports)
  },
}

export const signing: Signing = {
  sign: (outgoing, secret, { timestamp: iat }, { jws }) => {
    const claims = { accountId: 1, userId: 1, aud: outgoing.url.href, iat, exp: iat + 300 }
    return withRequestHeaders(outgoing, { authorization: jws('HS256', claims, secret) })
  },
}

/** https://developer.monday.com/api-reference/reference/webhooks#url-verification */
export const handshake: Handshake = {
  method: 'POST',
  mark: { body: 'challenge' },
  challenge: ({ body }) => {
    const request = challengeBody(body)
    return Object.keys(request ?? {}).length === 1 ? request?.challenge : undefined
  },
  answer: (challenge) => jsonResponse({ challenge }),
}

export const payloads: Payloads = {
  create_pulse: ({ id }) => ({
    body: {
      event: {
        type: 'create_pulse',
        userId: 9603417,
        boardId: 1771812698,
        pulseId: 1772099344,
        pulseName: 'Create a webhook',
        triggerUuid: id.replaceAll('-', ''),
      },
    },
  }),
}
