import { fromBase64, toBase64 } from '../../wire/bytes.ts'

/** How a signature is written: each reads the bytes, or `undefined` where the text is not so written. */
export const ENCODINGS = { hex, base64, base64url } as const

export type Encoding = keyof typeof ENCODINGS

type Bytes = Uint8Array<ArrayBuffer>

/** In one case throughout, so that no two texts stand for the same bytes by mixing them. */
function hex(text: string): Bytes | undefined {
  if (text.length % 2 !== 0 || !/^(?:[0-9a-f]+|[0-9A-F]+)$/.test(text)) return undefined
  const pairs = text.match(/../g) ?? []
  return Uint8Array.from(pairs, (pair) => Number.parseInt(pair, 16))
}

/**
 * Padding may be missing. The bits that no byte uses must be zero, as every encoder leaves them:
 * decoders ignore them, and so would take several texts for one signature.
 */
function base64(text: string): Bytes | undefined {
  const bytes = decoded(text)
  if (!bytes) return undefined
  const written = toBase64(bytes)
  return text === written || text === written.replace(/=+$/, '') ? bytes : undefined
}

function base64url(text: string): Bytes | undefined {
  if (/[+/]/.test(text)) return undefined
  return base64(text.replaceAll('-', '+').replaceAll('_', '/'))
}

function decoded(text: string): Bytes | undefined {
  try {
    return fromBase64(text)
  } catch {
    return undefined
  }
}
