import { LIMITS } from './limits.ts'

/** How a body that is no plain text travels, as the header `x-hookline-body-encoding` says. */
export type BodyEncoding = 'base64' | 'gzip'

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The received bytes as UTF-8 text, a byte order mark kept; `undefined` when they are not UTF-8. */
export function utf8Text(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes)
  } catch {
    return undefined
  }
}

const BEYOND_ASCII = /[^\0-\x7f]/

/** A character for each byte of the text as UTF-8: the form of a raw header's value. */
export function byteString(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text
  return characters(new TextEncoder().encode(text))
}

/** A character for each byte. In pieces, since a call takes only so many arguments. */
function characters(bytes: Uint8Array): string {
  const pieces: string[] = []
  for (let at = 0; at < bytes.length; at += 0x2000) {
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + 0x2000)))
  }
  return pieces.join('')
}

/**
 * The bytes that were received, from the way they travelled.
 *
 * @param limit bytes to which a body may unpack; those that the relay accepts when left out
 * @param unpack what unpacks gzip
 * @throws RangeError when it unpacks to more
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
  return btoa(characters(bytes))
}

/** @throws DOMException when the text is not base64 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const characters = atob(text)
  // A loop: a function called for each byte of a batch would be felt at every start.
  const bytes = new Uint8Array(characters.length)
  for (let at = 0; at < bytes.length; at++) bytes[at] = characters.charCodeAt(at)
  return bytes
}

/** Two small digits for each byte. */
export function toHex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

export async function gzip(bytes: Uint8Array): Promise<Uint8Array> {
  // A copy, since a Blob takes no bytes of memory that is shared with others.
  return collect(
    new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new CompressionStream('gzip')),
    Infinity,
  )
}

/** Unpacks gzip. @throws RangeError when it unpacks to more than `limit` bytes */
export type Unpack = (
  bytes: Uint8Array<ArrayBuffer>,
  limit: number,
) => Uint8Array | Promise<Uint8Array>

/** On any runtime. @throws RangeError when it unpacks to more than `limit` bytes */
async function gunzip(bytes: Uint8Array<ArrayBuffer>, limit: number): Promise<Uint8Array> {
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  return collect(unpacked, limit)
}

/**
 * Reads a stream to its end.
 *
 * @param arrived is told how many bytes came, as they come; what it throws ends the reading
 * @throws RangeError as soon as more than `limit` bytes have come
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
  const bytes = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}
