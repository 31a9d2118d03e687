import type { Facts, Payloads, Signing } from '../sender.ts'
import { bodyRefusal, compactJws, hs256Holds } from '../verify/jws.ts'
import { MISMATCH, missingHeader, type Scheme } from '../verify/scheme.ts'
import { withRequestHeaders } from '../verify/signing.ts'

export const facts: Facts = {
  title: 'Netlify',
  secret: 'NETLIFY_SECRET',
  shown: 'the *JWS secret token* of the notification, which you choose',
  events: ['headers.x-netlify-event', 'deploy_created', 'deploy_failed'],
}

/** A JWS over the hash of the body, with a shared secret. */
export const scheme: Scheme = {
  name: 'netlify',
  page: 'https://docs.netlify.com/deploy/deploy-notifications/#payload-signature',
  needs: ['secret'],
  credentials: () => ({ headers: ['x-webhook-signature'] }),
  async check({ headers, bytes }, { secrets }) {
    const jws = compactJws(headers['x-webhook-signature'])
    if (!jws) return missingHeader('x-webhook-signature')
    if (!(await hs256Holds(jws, secrets))) return MISMATCH
    if (jws.claims.iss !== 'netlify') return 'the signature is not of Netlify'
    return bodyRefusal(jws.claims.sha256, bytes)
  },
}

export const signing: Signing = {
  sign: (outgoing, secret, _, { jws, sha256 }) => {
    const claims = { iss: 'netlify', sha256: sha256(outgoing.request.body) }
    return withRequestHeaders(outgoing, { 'x-webhook-signature': jws('HS256', claims, secret) })
  },
}

export const payloads: Payloads = {
  deploy_created: ({ id }) => ({
    headers: { 'x-netlify-event': 'deploy_created' },
    body: {
      id: id.replaceAll('-', '').slice(0, 24),
      state: 'ready',
      name: 'hello',
      branch: 'main',
    },
  }),
}
