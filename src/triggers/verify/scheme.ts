import type { JsonObject } from '../../wire/json.ts'
import { Secret } from '../../wire/secret.ts'
import type { WebhookRequest } from '../../wire/webhook-request.ts'
import type { TriggerPorts } from '../trigger.ts'
import {
  anyHolds,
  type Encoding,
  type Hash,
  keyBytes,
  lengthFault,
  signatureHolds,
} from './algorithms.ts'

/** The options of one `verify` entry, checked. */
export interface VerifySettings {
  /** One of them must match, so that a secret can be rotated without a gap. */
  readonly secrets: readonly Secret[]
  /** The largest difference in seconds between the signed time and the receipt. */
  readonly tolerance?: number | undefined
  readonly header?: string | undefined
  readonly query?: string | undefined
  readonly field?: string | undefined
  readonly signaturePrefix?: string | undefined
  readonly algorithm?: Hash | undefined
  readonly secretEncoding?: 'text' | 'base64' | 'hex' | undefined
  readonly signatureEncoding?: Encoding | undefined
  readonly signedPayload?: string | undefined
  readonly timestampHeader?: string | undefined
  readonly timestampFormat?: TimestampFormat | undefined
  readonly timestampField?: string | undefined
  readonly signatureField?: string | undefined
  readonly separator?: string | undefined
  readonly url?: Secret | undefined
  readonly topic?: readonly string[] | undefined
}

export type VerifySettingName = Exclude<keyof VerifySettings, 'secrets'> | 'secret'

/** Checked options of `verify`, as a workflow has them. */
type CheckedOptions = Omit<VerifySettings, 'secrets'> & {
  readonly secret?: readonly Secret[] | undefined
}

export function verifySettings({ secret: secrets = [], ...given }: CheckedOptions): VerifySettings {
  return { ...given, secrets }
}

/** Settings in the form of an endpoint's setting, for `settingsFrom`. They include the secrets. */
export function settingsJson({ secrets, url: _, ...given }: VerifySettings): JsonObject {
  const secret = secrets.map((one) => one.reveal())
  return JSON.parse(JSON.stringify({ ...given, secret }))
}

/** Reads the result of `settingsJson`, or settings of this form that an admin gave to an endpoint. */
export function settingsFrom({ secret, scheme: _, ...given }: JsonObject): VerifySettings {
  const secrets = [secret ?? []].flat().map((text) => new Secret(String(text)))
  // The names of headers have no case; requests have them in lower case.
  for (const name of ['header', 'timestampHeader']) {
    if (typeof given[name] === 'string') given[name] = given[name].toLowerCase()
  }
  // A position in a list is a number, or a string of digits.
  for (const name of ['signatureField', 'timestampField']) {
    if (typeof given[name] === 'number') given[name] = String(given[name])
  }
  return { ...(given as Omit<VerifySettings, 'secrets'>), secrets }
}

/** The location of signatures and tokens in a request. The outputs omit them. */
export interface CredentialLocations {
  /** Lower case. */
  readonly headers?: readonly string[]
  readonly query?: readonly string[]
  /** Fields of the body, by name or by path: `token`, `value[*].clientState`. */
  readonly fields?: readonly string[]
}

/** A scheme by which senders sign or authenticate requests. */
export interface Scheme {
  readonly name: string
  /** The vendor's page or the standard that documents it. */
  readonly page?: string
  readonly needs: readonly VerifySettingName[]
  readonly takes?: readonly VerifySettingName[]
  /** The mistake in a set of options, apart from a missing one. Shows no value. */
  readonly mistake?: (settings: VerifySettings) => SchemeMistake | undefined
  readonly credentials: (settings: VerifySettings) => CredentialLocations
  /** The reason that verification failed, without anything that helps a forger. */
  check(
    request: WebhookRequest,
    settings: VerifySettings,
    ports: TriggerPorts,
  ): Promise<VerificationFault>
}

/** A mistake in the options of a scheme, and the option that must change. */
export interface SchemeMistake {
  readonly option: VerifySettingName | 'scheme'
  readonly message: string
  /** Whether it is a mistake with any values of the options. */
  readonly isOfNames?: boolean
}

/** The mistakes in a scheme's settings, as messages without values. */
export function schemeMistakes(scheme: Scheme, settings: VerifySettings): SchemeMistake[] {
  const { name, needs, takes = [] } = scheme
  const { secrets, ...others } = settings
  const names = Object.keys(others) as Exclude<keyof VerifySettings, 'secrets'>[] // by its type
  const named = names.filter((option) => others[option] !== undefined)
  const given: VerifySettingName[] = secrets.length > 0 ? ['secret', ...named] : named
  const known = [...needs, ...takes]
  const absent = needs.filter((option) => !given.includes(option))
  const idle = given.filter((option) => !known.includes(option))
  const mistake = absent.length === 0 ? mistakeOf(scheme, settings) : undefined
  return [
    ...absent.map((option): SchemeMistake => {
      return { option: 'scheme', message: `the scheme ${name} needs "${option}"`, isOfNames: true }
    }),
    ...idle.map((option) => {
      return { option, message: `the scheme ${name} does not use "${option}"`, isOfNames: true }
    }),
    ...(mistake === undefined ? [] : [mistake]),
  ]
}

/** The mistake in the options. White space in a secret is named if it is the only mistake. */
function mistakeOf(scheme: Scheme, settings: VerifySettings): SchemeMistake | undefined {
  const mistake = scheme.mistake?.(settings)
  if (mistake === undefined) return undefined
  const spaces = new RegExp(WHITE_SPACE, 'g')
  const secrets = settings.secrets.map((secret) => new Secret(secret.reveal().replace(spaces, '')))
  const isItsCause = scheme.mistake?.({ ...settings, secrets }) === undefined
  return isItsCause
    ? wrongSecret('contains white space or a line break: store it again without')
    : mistake
}

/** @param fault the rest of the sentence: `is not hex` */
export function wrongSecret(fault: string): SchemeMistake {
  return { option: 'secret', message: `"secret" ${fault}` }
}

/** White space, and characters without width, which copying from a web page may add. */
export const WHITE_SPACE = '[\\s\\u200b-\\u200d\\u2060]'

/** `undefined` if the request is verified. */
export type VerificationFault = string | undefined

/**
 * Checks a request as it was received, and then without the `content-encoding` of its body, because some
 * senders sign a body before they compress it.
 */
export async function checkEncodings(
  scheme: Scheme,
  request: WebhookRequest,
  settings: VerifySettings,
  ports: TriggerPorts,
): Promise<VerificationFault> {
  const refusal = await scheme.check(request, settings, ports)
  const { decodedBytes } = request
  if (refusal === undefined || decodedBytes === undefined) return refusal
  const decoded = await scheme.check({ ...request, bytes: decodedBytes }, settings, ports)
  return decoded === undefined ? undefined : refusal
}

export const MISMATCH = 'the signature does not match'

export const TOKEN_MISMATCH = 'the token does not match'

/** One of the payloads must match the signature with one of the secrets. */
export async function hmacRefusal(
  hash: Hash,
  texts: readonly Uint8Array<ArrayBuffer>[],
  signature: Uint8Array<ArrayBuffer> | undefined,
  { secrets }: VerifySettings,
): Promise<VerificationFault> {
  if (!signature) return MISMATCH
  const holds = await anyHolds(texts, (text) =>
    anyHolds(secrets, (secret) => signatureHolds(hash, keyBytes(secret), text, signature)),
  )
  return holds ? undefined : (lengthFault(hash, [signature]) ?? MISMATCH)
}

export function missingHeader(header: string): string {
  return `the header ${header} is missing`
}

/** Seconds before or after the receipt, as Standard Webhooks, Stripe and Slack recommend. */
export const DEFAULT_TOLERANCE = 300

export const NO_TIME = 'the timestamp is invalid'

/**
 * The reason that a signed time is too far from the receipt, so that the request may be a replay. The time of
 * receipt is the relay's, because a run may start much later; without a relay it is the current time.
 */
export function timeRefusal(
  text: string,
  tolerance: number,
  request: WebhookRequest,
  ports: Pick<TriggerPorts, 'now'>,
): VerificationFault {
  const time = milliseconds(text)
  if (time === undefined) return NO_TIME
  const distance = Math.abs(receivedAt(request, ports) - time)
  return distance <= tolerance * 1000
    ? undefined
    : `the timestamp is more than ${tolerance} seconds away from the receipt`
}

/** Milliseconds since 1970. */
export function receivedAt(request: WebhookRequest, { now }: Pick<TriggerPorts, 'now'>): number {
  const time = Date.parse(request.receivedAt ?? '')
  return Number.isNaN(time) ? now() : time
}

/** Whether a string is a time in a format that senders use. */
export function isTime(text: string): boolean {
  return milliseconds(text) !== undefined
}

/** Formats of a signed time. Each has an unambiguous length, so it needs no separator. */
export const TIMESTAMP_FORMATS = {
  seconds: /^\d{10}$/,
  milliseconds: /^\d{13}$/,
  rfc3339: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/,
} as const

export type TimestampFormat = keyof typeof TIMESTAMP_FORMATS

/** Senders write seconds, milliseconds, or ISO 8601. */
function milliseconds(text: string): number | undefined {
  if (/^\d{1,11}$/.test(text)) return Number(text) * 1000
  if (/^\d{12,14}$/.test(text)) return Number(text)
  const time = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(time) ? undefined : time
}
