import type { Secret } from '../../wire/secret.ts'
import { anyHolds, concat, hmacHolds } from './algorithms.ts'
import { ENCODINGS } from './encodings.ts'
import { MISMATCH, missing, type Scheme, type Settings } from './scheme.ts'
import { DEFAULT_TOLERANCE, timeRefusal } from './timestamp.ts'

/** Svix, from which the standard came, has names of its own. */
const PREFIXES = ['webhook', 'svix'] as const

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
export const standardWebhooks: Scheme = {
  name: 'standard-webhooks',
  needs: ['secret'],
  takes: ['tolerance'],
  mistake: ({ secrets }) => secrets.map(secretMistake).find((mistake) => mistake !== undefined),
  credentials: () => ({ headers: PREFIXES.map((prefix) => `${prefix}-signature`) }),
  async check(request, settings, ports) {
    const prefix = PREFIXES.find((name) => `${name}-signature` in request.headers) ?? PREFIXES[0]
    const names = ['id', 'timestamp', 'signature'].map((name) => `${prefix}-${name}`)
    const absent = names.find((name) => !request.headers[name])
    if (absent) return missing(absent)
    const [id = '', timestamp = '', presented = ''] = names.map((name) => request.headers[name])
    const signed = concat([`${id}.${timestamp}.`, request.bytes])
    if (!(await presentedHolds(presented, signed, settings))) return MISMATCH
    return timeRefusal(timestamp, settings.tolerance ?? DEFAULT_TOLERANCE, request, ports)
  },
}

type Bytes = Uint8Array<ArrayBuffer>

/** A list as `v1,<base64> v1a,<base64>`: one of a known kind must hold, under one of the secrets. */
async function presentedHolds(presented: string, signed: Bytes, { secrets }: Settings) {
  const keys = secrets.flatMap((secret) => keyOf(secret) ?? [])
  return anyHolds(presented.split(/\s+/), (entry) => {
    const [kind, text = ''] = entry.split(/,(.*)/s, 2)
    const signature = ENCODINGS.base64(text)
    const fitting = signature ? keys.filter((key) => key.kind === kind) : []
    return anyHolds(fitting, async (key) => signature !== undefined && key.holds(signed, signature))
  })
}

interface Key {
  readonly kind: 'v1' | 'v1a'
  holds(signed: Bytes, signature: Bytes): Promise<boolean>
}

function keyOf(secret: Secret): Key | undefined {
  const text = secret.reveal()
  const isPublic = text.startsWith('whpk_')
  const bytes = ENCODINGS.base64(text.replace(/^(whsec|whpk)_/, ''))
  if (!bytes || bytes.length === 0) return undefined
  if (!isPublic) {
    return {
      kind: 'v1',
      holds: (signed, signature) => hmacHolds('sha256', bytes, signed, signature),
    }
  }
  if (bytes.length !== 32) return undefined
  return { kind: 'v1a', holds: (signed, signature) => ed25519Holds(bytes, signed, signature) }
}

async function ed25519Holds(publicKey: Bytes, signed: Bytes, signature: Bytes): Promise<boolean> {
  const key = await crypto.subtle.importKey('raw', publicKey, 'Ed25519', false, ['verify'])
  return crypto.subtle.verify('Ed25519', key, signature, signed)
}

function secretMistake(secret: Secret): string | undefined {
  if (secret.reveal().startsWith('whsk_')) {
    return '"secret" is the private key of the sender (whsk_…): take the public one (whpk_…)'
  }
  return keyOf(secret) ? undefined : '"secret" is not whsec_… or whpk_… with base64 after it'
}
