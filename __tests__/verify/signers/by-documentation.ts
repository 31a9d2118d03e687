import { createHmac, generateKeyPairSync, sign as signWith } from 'node:crypto'
import { ID, type Signer, seconds, TEXT } from './signer.ts'

const CALLBACK = 'https://relay.example/octo/repo/hook/trello?__token=t0ken'
const pair = generateKeyPairSync('ed25519')

/** Signed as the sender's documentation says; none of these has a small package of its own. */
export const BY_DOCUMENTATION: readonly Signer[] = [
  {
    name: 'standard-webhooks, asymmetric',
    verify: () => ({ scheme: 'standard-webhooks', secret: publicKey(pair.publicKey) }),
    secret: '',
    other: 'another pair of keys',
    sign: async ({ body, time }, secret) => {
      const key = secret === '' ? pair.privateKey : generateKeyPairSync('ed25519').privateKey
      const signature = signWith(null, Buffer.from(`${ID}.${seconds(time)}.${body}`), key)
      return {
        'webhook-id': ID,
        'webhook-timestamp': seconds(time),
        'webhook-signature': `v1a,${signature.toString('base64')}`,
      }
    },
    signature: ['webhook-signature', 'v1a,'],
    timestamp: 'webhook-timestamp',
  },
  {
    name: 'slack',
    verify: (secret) => ({ scheme: 'slack', secret }),
    ...TEXT,
    sign: async ({ body, time }, secret) => ({
      'x-slack-request-timestamp': seconds(time),
      'x-slack-signature': `v0=${hmac('sha256', secret, `v0:${seconds(time)}:${body}`, 'hex')}`,
    }),
    signature: ['x-slack-signature', 'v0='],
    timestamp: 'x-slack-request-timestamp',
  },
  {
    name: 'meta',
    verify: (secret) => ({ scheme: 'meta', secret }),
    ...TEXT,
    sign: async ({ body }, secret) => ({
      'x-hub-signature-256': `sha256=${hmac('sha256', secret, body, 'hex')}`,
    }),
    signature: ['x-hub-signature-256', 'sha256='],
  },
  {
    name: 'shopify',
    verify: (secret) => ({ scheme: 'shopify', secret }),
    ...TEXT,
    sign: async ({ body }, secret) => ({
      'x-shopify-hmac-sha256': hmac('sha256', secret, body, 'base64'),
    }),
    signature: ['x-shopify-hmac-sha256', ''],
  },
  {
    name: 'typeform',
    verify: (secret) => ({ scheme: 'typeform', secret }),
    ...TEXT,
    sign: async ({ body }, secret) => ({
      'typeform-signature': `sha256=${hmac('sha256', secret, body, 'base64')}`,
    }),
    signature: ['typeform-signature', 'sha256='],
  },
  {
    name: 'trello',
    verify: (secret) => ({ scheme: 'trello', secret, url: CALLBACK }),
    ...TEXT,
    sign: async ({ body }, secret) => ({
      'x-trello-webhook': hmac('sha1', secret, body + CALLBACK, 'base64'),
    }),
    signature: ['x-trello-webhook', ''],
  },
  {
    name: 'hmac, with a time and an id of its own',
    verify: (secret) => ({
      scheme: 'hmac',
      secret,
      header: 'X-Acme-Signature',
      algorithm: 'sha512',
      encoding: 'base64url',
      prefix: 'HMAC ',
      template: '{method}.{header.X-Acme-Id}.{timestamp}.{body}',
      timestampHeader: 'X-Acme-Time',
    }),
    ...TEXT,
    sign: async ({ body, time }, secret) => {
      const signed = `POST.${ID}.${time.toISOString()}.${body}`
      return {
        'x-acme-id': ID,
        'x-acme-time': time.toISOString(),
        'x-acme-signature': `HMAC ${hmac('sha512', secret, signed, 'base64url')}`,
      }
    },
    signature: ['x-acme-signature', 'HMAC '],
    timestamp: 'x-acme-time',
  },
]

function hmac(
  algorithm: string,
  secret: string,
  text: string,
  encoding: 'hex' | 'base64' | 'base64url',
): string {
  return createHmac(algorithm, secret).update(text).digest(encoding)
}

/** `whpk_` and the last 32 bytes of an SPKI, which are the key itself. */
function publicKey(key: typeof pair.publicKey): string {
  const der = key.export({ type: 'spki', format: 'der' })
  return `whpk_${der.subarray(-32).toString('base64')}`
}
