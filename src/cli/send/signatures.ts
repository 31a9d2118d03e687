import { fromBase64, toBase64 } from '../../wire/bytes.ts'
import { UserError } from '../../wire/errors.ts'
import type { Secret } from '../../wire/secret.ts'
import { didYouMean } from '../../workflow/suggestion.ts'
import type { OutgoingRequest } from './request.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** How a sender proves who it is; in every text `{timestamp}`, `{id}`, `{url}` and `{secret}` are filled in. */
interface Signature {
  /** What is signed, with `{body}` in it; absent where the secret itself is sent. */
  readonly signed?: string
  /** `SHA-256` when left out. */
  readonly hash?: 'SHA-1' | 'SHA-256'
  /** Takes `{hex}` and `{base64}` of the signature besides. */
  readonly headers: Readonly<Record<string, string>>
  /** The key that a secret stands for, where that is not its text. */
  readonly key?: (secret: string) => Bytes
}

/** Unix time in seconds. */
interface Moment {
  readonly timestamp: number
  /** Tells deliveries apart. */
  readonly id: string
  /** The whole URL that is called. */
  readonly url: string
}

const HUB: Signature = { signed: '{body}', headers: { 'x-hub-signature-256': 'sha256={hex}' } }

/** By the names of the option `scheme`; what signs with a key of its own, as AWS does, cannot be had. */
const SIGNATURES: ReadonlyMap<string, Signature> = new Map(
  Object.entries<Signature>({
    github: HUB,
    meta: HUB,
    gitlab: { headers: { 'x-gitlab-token': '{secret}' } },
    telegram: { headers: { 'x-telegram-bot-api-secret-token': '{secret}' } },
    bearer: { headers: { authorization: 'Bearer {secret}' } },
    shopify: { signed: '{body}', headers: { 'x-shopify-hmac-sha256': '{base64}' } },
    typeform: { signed: '{body}', headers: { 'typeform-signature': 'sha256={base64}' } },
    trello: { signed: '{body}{url}', hash: 'SHA-1', headers: { 'x-trello-webhook': '{base64}' } },
    slack: {
      signed: 'v0:{timestamp}:{body}',
      headers: { 'x-slack-request-timestamp': '{timestamp}', 'x-slack-signature': 'v0={hex}' },
    },
    stripe: {
      signed: '{timestamp}.{body}',
      headers: { 'stripe-signature': 't={timestamp},v1={hex}' },
    },
    'standard-webhooks': {
      signed: '{id}.{timestamp}.{body}',
      headers: {
        'webhook-id': '{id}',
        'webhook-timestamp': '{timestamp}',
        'webhook-signature': 'v1,{base64}',
      },
      key: standardKey,
    },
  }),
)

export const SIGNATURE_NAMES: readonly string[] = [...SIGNATURES.keys()]

/**
 * The request as the sender of that scheme would sign it.
 *
 * @throws UserError for an unknown scheme, or a secret that the scheme cannot use
 */
export async function signed(
  request: OutgoingRequest,
  scheme: string,
  secret: Secret,
  moment: Moment,
): Promise<OutgoingRequest> {
  const signature = SIGNATURES.get(scheme) ?? unknownScheme(scheme)
  const values = { ...moment, secret: secret.reveal() }
  const made = await signatureOf(signature, request.body, values)
  const headers = Object.entries(signature.headers).map(([name, text]) => [
    name,
    fill(text, { ...values, ...made }),
  ])
  return { ...request, headers: { ...request.headers, ...Object.fromEntries(headers) } }
}

interface Values extends Moment {
  readonly secret: string
}

async function signatureOf(
  { signed: template, hash = 'SHA-256', key = textBytes }: Signature,
  body: Uint8Array,
  values: Values,
): Promise<{ readonly hex?: string; readonly base64?: string }> {
  if (template === undefined) return {}
  const [before = '', after = ''] = template.split('{body}').map((text) => fill(text, values))
  const message = Buffer.concat([textBytes(before), body, textBytes(after)])
  const hmac = { name: 'HMAC', hash }
  const imported = await crypto.subtle.importKey('raw', key(values.secret), hmac, false, ['sign'])
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', imported, message))
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return { hex, base64: toBase64(bytes) }
}

function fill(template: string, values: object): string {
  const texts = new Map(Object.entries(values).map(([name, value]) => [name, String(value)]))
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => texts.get(name) ?? whole)
}

function textBytes(text: string): Bytes {
  return new TextEncoder().encode(text)
}

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
function standardKey(secret: string): Bytes {
  try {
    return fromBase64(secret.replace(/^whsec_/, ''))
  } catch {
    throw new UserError({ message: 'the secret is not whsec_… with base64 after it' })
  }
}

function unknownScheme(scheme: string): never {
  const hint = didYouMean(scheme, SIGNATURE_NAMES)
  throw new UserError({
    message: `unknown signature scheme ${JSON.stringify(scheme)}`,
    ...(hint && { hint }),
    notes: [`schemes: ${SIGNATURE_NAMES.join(', ')}`],
  })
}
