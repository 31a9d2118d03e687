import { gzip, toBase64 } from '../../wire/bytes.ts'
import { LIMITS } from '../../wire/limits.ts'
import {
  type ClientPayload,
  type DispatchEvent,
  type EventMetadata,
  payloadHeaders,
  writeClientPayload,
} from '../../wire/payload.ts'
import type { Secret } from '../../wire/secret.ts'
import { RelayError } from '../errors.ts'
import type { BodyReference } from '../store/bodies.ts'
import type { Credential } from './credential.ts'

export interface ReceivedBody {
  readonly bytes: Uint8Array
  /** The bytes as UTF-8; `undefined` if they are not valid UTF-8. */
  readonly text: string | undefined
  /** Set for a body that the relay stores because it is too large: then `bytes` is empty. */
  readonly stored?: BodyReference
}

/** A request as the relay forwards it, before its body is encoded. */
export interface ReceivedEvent {
  /** The part of the URL after the repository, without the relay's own parameters. */
  readonly path: string
  /** Upper case. */
  readonly method: string
  /** The forwarded headers, by lower-case name. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: ReceivedBody
  readonly delivery: string
  /** ISO 8601, UTC. */
  readonly receivedAt: string
}

type Tokens = Pick<Credential, 'secrets' | 'githubToken'>

/**
 * The event with every form of the tokens replaced. The body stays as it is, because signatures depend
 * on it. A body can contain the id of an endpoint, because some senders (Trello) repeat the
 * URL that they call.
 *
 * @throws RelayError 400 if the body contains the GitHub token
 */
export function redactEvent(event: ReceivedEvent, tokens: Tokens): ReceivedEvent {
  if (isInBody(event.body, tokens.githubToken)) throw new RelayError('token_in_body')
  // Most events contain no token, and one search through everything is cheaper than one per header.
  const searched = [event.path, ...event.headers.values()].join('\n')
  if (!isAnyIn(tokens.secrets, searched)) return event
  const path = scrub(event.path, tokens.secrets)
  return { ...event, path, headers: redactHeaders(event.headers, tokens) }
}

export function isInBody({ text, bytes }: ReceivedBody, token: Secret | undefined): boolean {
  return token?.isIn(text ?? new TextDecoder('latin1').decode(bytes)) === true
}

/** The headers with every form of the tokens replaced. */
export function redactHeaders(
  headers: ReadonlyMap<string, string>,
  { secrets, githubToken }: Tokens,
): ReadonlyMap<string, string> {
  const redacted = [...headers].map(([name, value]) => {
    const isSigned = name === 'authorization' && JWS.test(value)
    const text = isSigned ? scrubSigned(value, secrets, githubToken) : scrub(value, secrets)
    return [name, text] as const
  })
  return new Map(redacted)
}

/**
 * A signed header may name the URL that the sender calls (monday.com), so it must stay intact, as a
 * body does. The outputs of the action omit `Authorization`.
 */
const JWS = /^(?:Bearer +)?[\w-]+\.[\w-]+\.[\w-]+$/i

/** Replaces the GitHub token in every form, and the other tokens only in plain form. */
function scrubSigned(
  text: string,
  tokens: readonly Secret[],
  githubToken: Secret | undefined,
): string {
  const scrubbed = tokens.reduce((rest, token) => token.scrubRaw(rest), text)
  return githubToken?.scrub(scrubbed) ?? scrubbed
}

/** The text with every form of the tokens replaced. */
export function scrub(text: string, tokens: readonly Secret[]): string {
  return tokens.reduce((rest, token) => token.scrub(rest), text)
}

/** True if the text contains a form of one of the tokens. */
export function isAnyIn(tokens: readonly Secret[], text: string): boolean {
  return tokens.some((token) => token.isIn(text))
}

/**
 * The one builder of events: GitHub receives its result, the filters at the relay evaluate it, and
 * `wire/batch-payload.ts` joins the results to batches. A body that is not text is encoded as base64.
 */
export function buildPayload(event: ReceivedEvent): ClientPayload {
  const { bytes, text, stored } = event.body
  if (stored) return payloadWith(event, null, { ...stored, bodyEncoding: 'url' })
  if (bytes.length === 0) return payloadWith(event, null)
  return text === undefined
    ? payloadWith(event, toBase64(bytes), { bodyEncoding: 'base64' })
    : payloadWith(event, text)
}

function payloadWith(
  { path, method, headers, delivery, receivedAt }: ReceivedEvent,
  body: string | null,
  about: Partial<EventMetadata> = {},
): ClientPayload {
  const metadata = { delivery, receivedAt, ...about }
  return { path, method, headers: payloadHeaders(headers, metadata), body }
}

const PACKED = { bodyEncoding: 'gzip' } as const

/**
 * The serialized `client_payload`, within GitHub's limit. If the plain form is too large, the body is
 * compressed: with each packer in turn, until one result fits.
 *
 * @throws RelayError 413 if no form fits
 */
export async function writePayload(
  event: ReceivedEvent,
  limit: PayloadLimit,
  packers: readonly Packer[] = [PACK],
): Promise<string> {
  const { body } = event
  // JSON is never shorter than the string in it, so a body over the limit need not be serialized.
  const least = body.text === undefined ? base64Length(body.bytes.length) : limit.sizeOf(body.text)
  if (least <= limit.most) {
    const plain = writeClientPayload(buildPayload(event))
    if (limit.sizeOf(plain) <= limit.most) return plain
  }
  const envelope = limit.sizeOf(writeClientPayload(payloadWith(event, '', PACKED)))
  let size = envelope
  for (const pack of packers) {
    const packed = await pack(body.bytes)
    size = envelope + packed.length
    if (size <= limit.most) return writeClientPayload(payloadWith(event, packed, PACKED))
  }
  throw new RelayError('payload_too_large', {
    message: `the event has ${size} ${limit.unit}, and GitHub accepts ${limit.most}`,
  })
}

function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4
}

/** Compresses bytes with gzip and resolves with their base64. Each runtime has its own fastest way. */
export type Packer = (bytes: Uint8Array) => Promise<string>

/** Works on every runtime. */
export const PACK: Packer = async (bytes) => toBase64(await gzip(bytes))

/** How GitHub measures the size of an event. */
export interface PayloadLimit {
  readonly most: number
  readonly unit: 'bytes' | 'characters'
  /** The size, or a bound of it that leads to the same decision. */
  readonly sizeOf: (text: string) => number
}

/** GitHub counts the characters of workflow inputs, and may count the bytes of a `client_payload`. */
export const LIMIT_OF: Readonly<Record<DispatchEvent, PayloadLimit>> = {
  repository_dispatch: { most: LIMITS.clientPayloadBytes, unit: 'bytes', sizeOf: byteLength },
  workflow_dispatch: {
    most: LIMITS.workflowInputLength,
    unit: 'characters',
    sizeOf: ({ length }) => length,
  },
}

function byteLength(text: string): number {
  // A UTF-16 unit has at most 3 bytes of UTF-8, so most payloads need no encoding to be measured.
  if (text.length * 3 <= LIMITS.clientPayloadBytes) return text.length * 3
  // A UTF-16 unit has at least one byte, so a longer text is over the limit for certain.
  if (text.length > LIMITS.clientPayloadBytes) return text.length
  return new TextEncoder().encode(text).length
}
