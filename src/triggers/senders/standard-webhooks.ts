import { UserError } from '../../wire/errors.ts'
import type { Secret } from '../../wire/secret.ts'
import type { Facts, Payloads, Signing } from '../sender.ts'
import {
  anyHolds,
  type Bytes,
  concat,
  ED25519_KEY_BYTES,
  ENCODINGS,
  KEYS,
  lengthFault,
  signatureHolds,
} from '../verify/algorithms.ts'
import {
  DEFAULT_TOLERANCE,
  isTime,
  MISMATCH,
  missingHeader,
  NO_TIME,
  type Scheme,
  type SchemeMistake,
  timeRefusal,
  type VerificationFault,
  type VerifySettings,
  wrongSecret,
} from '../verify/scheme.ts'
import { withRequestHeaders } from '../verify/signing.ts'

export const facts: Facts = {
  title: 'Standard Webhooks (Svix)',
  secret: 'WEBHOOK_SECRET',
  shown: 'the secret `whsec_…`, or the public key `whpk_…`',
  repeat: 'headers.webhook-id',
  events: ['body.type', 'invoice.paid'],
  click:
    'enter the URL. All senders that use Svix sign like this, and so does the *signing token* of GitLab.',
}

/** Svix, where the standard comes from, uses its own header names. */
const PREFIXES = ['webhook', 'svix'] as const

/** For Svix, Clerk, Resend, Supabase, OpenAI and others. */
export const scheme: Scheme = {
  name: 'standard-webhooks',
  page: 'https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md',
  needs: ['secret'],
  takes: ['tolerance'],
  mistake: ({ secrets }) => secrets.map(secretMistake).find((mistake) => mistake !== undefined),
  credentials: () => ({ headers: PREFIXES.map((prefix) => `${prefix}-signature`) }),
  async check(request, settings, ports) {
    const prefix = PREFIXES.find((name) => `${name}-signature` in request.headers) ?? PREFIXES[0]
    const names = ['id', 'timestamp', 'signature'].map((name) => `${prefix}-${name}`)
    const absent = names.find((name) => !request.headers[name])
    if (absent) return missingHeader(absent)
    const [id = '', timestamp = '', presented = ''] = names.map((name) => request.headers[name])
    // The standard forbids full stops in id and timestamp, so that the signed string is
    // unambiguous.
    if (id.includes('.')) return `the header ${prefix}-id holds a full stop`
    if (!isTime(timestamp)) return NO_TIME
    const signed = concat([`${id}.${timestamp}.`, request.bytes])
    const refusal = await presentedRefusal(presented, signed, settings)
    if (refusal !== undefined) return refusal
    return timeRefusal(timestamp, settings.tolerance ?? DEFAULT_TOLERANCE, request, ports)
  },
}

/**
 * A list such as `v1,<base64> v1a,<base64>`: one signature of a known kind must match one of the
 * secrets.
 */
async function presentedRefusal(
  presented: string,
  signed: Bytes,
  { secrets }: VerifySettings,
): Promise<VerificationFault> {
  const keys = secrets.flatMap((secret) => verificationKey(secret) ?? [])
  const fitting = presented.split(/\s+/).flatMap((entry) => {
    const [kind, text = ''] = entry.split(/,(.*)/s, 2)
    const signature = ENCODINGS.base64(text)
    return signature
      ? keys.filter((key) => key.kind === kind).map((key) => ({ key, signature }))
      : []
  })
  const holds = await anyHolds(fitting, ({ key: { algorithm, bytes }, signature }) =>
    signatureHolds(algorithm, bytes, signed, signature),
  )
  if (holds) return undefined
  const signatures = fitting.map(({ signature }) => signature)
  const [first] = fitting
  return (first && lengthFault(first.key.algorithm, signatures)) ?? MISMATCH
}

interface VerificationKey {
  readonly kind: 'v1' | 'v1a'
  readonly algorithm: 'sha256' | 'ed25519'
  readonly bytes: Bytes
}

function verificationKey(secret: Secret): VerificationKey | undefined {
  const { isPublic, bytes } = secretParts(secret)
  if (!bytes || bytes.length === 0) return undefined
  if (!isPublic) return { kind: 'v1', algorithm: 'sha256', bytes }
  return bytes.length === ED25519_KEY_BYTES
    ? { kind: 'v1a', algorithm: 'ed25519', bytes }
    : undefined
}

function secretParts(secret: Secret): { isPublic: boolean; bytes: Bytes | undefined } {
  // Supabase shows the secret with the kind of its signatures: `v1,whsec_…`.
  const text = secret.reveal().replace(/^v1,/, '')
  const bytes = ENCODINGS.base64(text.replace(/^(?:whsec|whpk)_/, ''))
  return { isPublic: text.startsWith('whpk_'), bytes }
}

function secretMistake(secret: Secret): SchemeMistake | undefined {
  if (secret.reveal().startsWith('whsk_')) {
    return wrongSecret('is the private key of the sender (whsk_…): take the public one (whpk_…)')
  }
  if (verificationKey(secret)) return undefined
  const { isPublic, bytes } = secretParts(secret)
  return wrongSecret(
    isPublic && bytes
      ? `is a public key (whpk_…) of ${bytes.length} bytes, but one of Ed25519 has ${ED25519_KEY_BYTES}`
      : 'is not whsec_… or whpk_… with base64 after it',
  )
}

export const signing: Signing = {
  sign: (outgoing, secret, { id, timestamp }, { hmac }) => {
    const key = KEYS.base64.read(secret.replace(/^(?:v1,)?whsec_/, ''))
    if (!key) throw new UserError({ message: 'the secret is not whsec_… with base64 after it' })
    const signed = concat([`${id}.${timestamp}.`, outgoing.request.body])
    return withRequestHeaders(outgoing, {
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${hmac('sha256', key, signed, 'base64')}`,
    })
  },
}

export const payloads: Payloads = {
  /** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
  'invoice.paid': ({ now }) => ({
    body: {
      type: 'invoice.paid',
      timestamp: now.toISOString(),
      data: { id: 'in_1', amount: 2000, currency: 'eur' },
    },
  }),
}
