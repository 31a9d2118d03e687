import { utf8Text } from '../../wire/bytes.ts'
import { isObject, type JsonObject, scalarText, tryParseJson } from '../../wire/json.ts'
import type { Secret } from '../../wire/secret.ts'
import {
  anyHolds,
  type Bytes,
  ENCODINGS,
  keyBytes,
  p256Spki,
  sha256Hex,
  signatureHolds,
  textBytes,
} from './algorithms.ts'
import { MISMATCH, type VerificationFault } from './scheme.ts'

/** RFC 7515 */
interface Jws {
  readonly header: JsonObject
  readonly claims: JsonObject
  readonly signed: Bytes
  readonly signature: Bytes
}

export function compactJws(text = ''): Jws | undefined {
  const [head = '', payload = '', tail = '', ...more] = text.split('.')
  const [header, claims] = [head, payload].map((part) => {
    const bytes = ENCODINGS.base64url(part)
    return bytes && parseJsonObject(utf8Text(bytes))
  })
  const signature = ENCODINGS.base64url(tail)
  if (!header || !claims || !signature || more.length > 0) return undefined
  return { header, claims, signed: textBytes(`${head}.${payload}`), signature }
}

export function parseJsonObject(text = ''): JsonObject | undefined {
  const value = tryParseJson(text)
  return isObject(value) ? value : undefined
}

/** The scheme decides which algorithm is valid; the header's algorithm must only be equal to it. */
export async function hs256Holds(
  { header, signed, signature }: Jws,
  secrets: readonly Secret[],
): Promise<boolean> {
  if (header.alg !== 'HS256') return false
  return anyHolds(secrets, (secret) =>
    signatureHolds('sha256', keyBytes(secret), signed, signature),
  )
}

export async function es256Holds(
  { signed, signature }: Jws,
  { x, y }: JsonObject,
): Promise<boolean> {
  const [xBytes, yBytes] = [x, y].map((text) => ENCODINGS.base64url(scalarText(text)))
  const key = xBytes && yBytes && p256Spki(xBytes, yBytes)
  return key !== undefined && signatureHolds('p256', key, signed, signature)
}

export async function bodyRefusal(hash: unknown, bytes: Uint8Array): Promise<VerificationFault> {
  return hash === (await sha256Hex(bytes)) ? undefined : MISMATCH
}
