import { type BodyEncoding, gzip, toBase64 } from '../../wire/bytes.ts'
import { LIMITS } from '../../wire/limits.ts'
import { type DispatchEvent, HEADER, writeClientPayload } from '../../wire/payload.ts'
import type { Secret } from '../../wire/secret.ts'
import { payloadTooLarge, tokenInBody } from '../errors.ts'

export interface ReceivedBody {
  readonly bytes: Uint8Array
  /** The bytes as UTF-8; `undefined` when they are not. */
  readonly text: string | undefined
}

/** A request as it is to travel, its body still as it came. */
interface Received {
  readonly path: string
  readonly method: string
  /** Only those that travel. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: ReceivedBody
  readonly delivery: string
  /** ISO 8601, UTC. */
  readonly receivedAt: string
}

/** Packs bytes by gzip. Resolves with their base64, which each runtime writes fastest by itself. */
export type Packer = (bytes: Uint8Array) => Promise<string>

/** On any runtime. */
export const PACK: Packer = async (bytes) => toBase64(await gzip(bytes))

/** How GitHub measures what an event brings. */
interface PayloadLimit {
  readonly most: number
  readonly unit: 'bytes' | 'characters'
  /** A bound is enough: an upper one that is within the limit, a lower one that is beyond. */
  readonly sizeOf: (text: string) => number
}

/** Of the inputs of a workflow GitHub counts characters, of a `client_payload` perhaps bytes. */
export const LIMIT_OF: Readonly<Record<DispatchEvent, PayloadLimit>> = {
  repository_dispatch: { most: LIMITS.clientPayloadBytes, unit: 'bytes', sizeOf: byteLength },
  workflow_dispatch: {
    most: LIMITS.workflowInputLength,
    unit: 'characters',
    sizeOf: ({ length }) => length,
  },
}

/**
 * The serialised `client_payload`, within GitHub's limit. Text travels as it is, other bytes as
 * base64, and what is too large for GitHub gzipped: quickly, and where that is not enough thoroughly.
 *
 * @throws RelayError 413 when it is too large even then
 */
export async function writePayload(
  received: Received,
  limit: PayloadLimit,
  packers: readonly Packer[] = [PACK],
): Promise<string> {
  const { bytes, text } = received.body
  // JSON is never shorter than what it holds, so a large body is not written in vain.
  const least = text === undefined ? base64Length(bytes.length) : limit.sizeOf(text)
  if (least <= limit.most) {
    const plain = written(received, plainBody(received.body))
    if (limit.sizeOf(plain) <= limit.most) return plain
  }
  const around = limit.sizeOf(written(received, { body: '', encoding: 'gzip' }))
  let size = around
  for (const pack of packers) {
    const packed = await pack(bytes)
    size = around + packed.length
    if (size > limit.most) continue
    return written(received, { body: packed, encoding: 'gzip' })
  }
  throw payloadTooLarge(size, limit.unit)
}

function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4
}

interface ForwardableBody {
  readonly body: string | null
  readonly encoding?: BodyEncoding
}

function plainBody({ bytes, text }: ReceivedBody): ForwardableBody {
  if (bytes.length === 0) return { body: null }
  return text === undefined ? { body: toBase64(bytes), encoding: 'base64' } : { body: text }
}

function written(received: Received, { body, encoding }: ForwardableBody): string {
  const { path, method, delivery, receivedAt } = received
  const headers: Record<string, string> = {}
  // Set one by one, which `Object.fromEntries` would make slow to write; but for the name that a
  // plain assignment would lose.
  for (const [header, value] of received.headers) {
    if (header !== '__proto__') headers[header] = value
    else Object.defineProperty(headers, header, { value, enumerable: true })
  }
  headers[HEADER.delivery] = delivery
  headers[HEADER.receivedAt] = receivedAt
  if (encoding) headers[HEADER.bodyEncoding] = encoding
  return writeClientPayload({ path, method, headers, body })
}

function byteLength(text: string): number {
  // A UTF-16 unit takes at most 3 bytes of UTF-8, so most payloads need no encoding to be counted.
  if (text.length * 3 <= LIMITS.clientPayloadBytes) return text.length * 3
  // And it is at least one byte: what is too large by that needs none either.
  if (text.length > LIMITS.clientPayloadBytes) return text.length
  return new TextEncoder().encode(text).length
}

/**
 * What travels, with every form of the tokens replaced. The body is never changed, since signatures
 * depend on it; a sealed token or a key of the relay may stand in it, as some senders (Trello)
 * repeat the URL that they call.
 *
 * @throws RelayError 400 when the body contains the platform token
 */
export function redactRequest(
  received: Received,
  tokens: readonly Secret[],
  githubToken: Secret | undefined,
): Received {
  const body = received.body.text ?? new TextDecoder('latin1').decode(received.body.bytes)
  if (githubToken?.isIn(body)) throw tokenInBody()
  // Hardly any request has one left: one search through all of it is the usual cost.
  const others = [received.path, ...received.headers.values()].join('\n')
  return isAnyIn(tokens, others) ? redact(received, tokens, githubToken) : received
}

function redact(
  received: Received,
  tokens: readonly Secret[],
  githubToken: Secret | undefined,
): Received {
  const headers = [...received.headers].map(([name, value]) => {
    const isProof = name === 'authorization' && JWS.test(value)
    const text = isProof ? scrubProof(value, tokens, githubToken) : scrub(value, tokens)
    return [name, text] as const
  })
  return { ...received, path: scrub(received.path, tokens), headers: new Map(headers) }
}

/**
 * What a sender signs may name the URL that it calls (monday.com): such a proof stays whole, as a body
 * does. The outputs of the action leave `Authorization` out.
 */
const JWS = /^(?:Bearer +)?[\w-]+\.[\w-]+\.[\w-]+$/i

/** Within what is signed only the platform token is hidden; raw, as they are presented, all are. */
function scrubProof(
  text: string,
  tokens: readonly Secret[],
  githubToken: Secret | undefined,
): string {
  const presented = tokens.reduce((rest, token) => token.scrubRaw(rest), text)
  return githubToken?.scrub(presented) ?? presented
}

/** The text with every form of the tokens replaced. */
export function scrub(text: string, tokens: readonly Secret[]): string {
  return tokens.reduce((rest, token) => token.scrub(rest), text)
}

export function isAnyIn(tokens: readonly Secret[], text: string): boolean {
  return tokens.some((token) => token.isIn(text))
}
