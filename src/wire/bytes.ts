import { LIMITS } from './limits.ts'

/**
 * The encoding of a body that cannot be sent as a plain string; the value of
 * `x-hookline-body-encoding`.
 */
export type BodyEncoding = 'base64' | 'gzip'

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The bytes as UTF-8, including a byte order mark; `undefined` if they are not UTF-8. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes)
  } catch {
    return undefined
  }
}

/** The byte order mark of UTF-8. */
const MARK = [0xef, 0xbb, 0xbf]

export function isMarkedUtf8(bytes: Uint8Array): boolean {
  return MARK.every((byte, index) => bytes[index] === byte)
}

const BEYOND_ASCII = /[^\0-\x7f]/

/** A string with one character for each UTF-8 byte, as Node represents header values. */
export function byteString(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text
  return characters(new TextEncoder().encode(text))
}

/**
 * A string with one character for each byte; in pieces, because a call takes a limited number of
 * arguments.
 */
export function characters(bytes: Uint8Array): string {
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; at += 0x2000) {
    // A spread of the same bytes takes seven times as long.
    pieces.push(Reflect.apply(String.fromCharCode, null, bytes.subarray(at, at + 0x2000)))
  }
  return pieces.join('')
}

/**
 * The received bytes of a body in a payload.
 *
 * @param limit the most bytes after decompression; by default what the relay accepts
 * @param unpack decompresses gzip
 * @throws RangeError if it decompresses to more than `limit`
 */
export async function bodyBytes(
  body: string,
  encoding: string | undefined,
  limit: number = LIMITS.requestBodyBytes,
  unpack: Unpack = gunzip,
): Promise<Uint8Array> {
  if (encoding === 'base64') return fromBase64(body)
  if (encoding === 'gzip') return unpack(fromBase64(body), limit)
  return new TextEncoder().encode(body)
}

export function toBase64(bytes: Uint8Array): string {
  const pieces: string[] = []
  // Pieces, because a string of a large body and its base64 would be in memory together.
  for (let at = 0; at < bytes.length; at += BASE64_PIECE) {
    pieces.push(btoa(characters(bytes.subarray(at, at + BASE64_PIECE))))
  }
  return pieces.join('')
}

/** Three bytes become four characters, so that the pieces of base64 can be joined. */
const BASE64_PIECE = 3 * 0x2000

/** `undefined` if the string is not base64. */
export function tryFromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return fromBase64(text)
  } catch {
    return undefined
  }
}

/** @throws DOMException if the string is not base64 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const characters = atob(text)
  // A loop, because a function call for each byte of a batch would delay every run measurably.
  const bytes = new Uint8Array(characters.length)
  for (let at = 0; at < bytes.length; at++) bytes[at] = characters.charCodeAt(at)
  return bytes
}

/**
 * Decodes percent escapes in place, in one pass, because the bytes may be long and untrusted; a `%` without
 * two digits stays.
 *
 * @returns the number of decoded bytes
 */
export function percentDecode(bytes: Uint8Array): number {
  let length = 0
  for (let at = 0; at < bytes.length; at++, length++) {
    const byte = bytes[at] ?? 0
    const high = byte === PERCENT ? hexDigit(bytes[at + 1]) : -1
    const low = high < 0 ? -1 : hexDigit(bytes[at + 2])
    if (low < 0) bytes[length] = byte
    else {
      bytes[length] = high * 16 + low
      at += 2
    }
  }
  return length
}

const PERCENT = 0x25

/** The value of a hexadecimal digit by its character code; -1 for any other character. */
export function hexDigit(code = 0): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

/** Two lower-case hexadecimal digits for each byte. */
export function toHex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

export async function gzip(bytes: Uint8Array): Promise<Uint8Array> {
  // A copy, because a Blob does not accept shared memory.
  return collect(
    new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new CompressionStream('gzip')),
    Infinity,
  )
}

/** Decompresses gzip. @throws RangeError if it decompresses to more than `limit` bytes */
export type Unpack = (
  bytes: Uint8Array<ArrayBuffer>,
  limit: number,
) => Uint8Array | Promise<Uint8Array>

/** Works in every runtime. @throws RangeError if it decompresses to more than `limit` bytes */
async function gunzip(bytes: Uint8Array<ArrayBuffer>, limit: number): Promise<Uint8Array> {
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  return collect(unpacked, limit)
}

/**
 * Reads a stream to its end.
 *
 * @param arrived gets the number of bytes of each chunk; an error that it throws ends the reading
 * @throws RangeError as soon as there are more than `limit` bytes
 */
export async function collect(
  stream: AsyncIterable<Uint8Array>,
  limit: number,
  arrived?: ((bytes: number) => void) | undefined,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    size += chunk.length
    if (size > limit) throw new RangeError(`more than ${limit} bytes`)
    arrived?.(chunk.length)
    chunks.push(chunk)
  }
  return joinedBytes(chunks)
}

export function joinedBytes(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(chunks.reduce((size, { length }) => size + length, 0))
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}
