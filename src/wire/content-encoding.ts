import { collect } from './bytes.ts'
import { LIMITS } from './limits.ts'

/** The body without its `content-encoding`; `fault` says why the bytes are still encoded. */
interface Decoded {
  readonly bytes: Uint8Array
  readonly fault?: string
}

/** The formats of each coding, in the order in which they are tried: some senders omit zlib's header. */
const FORMATS: ReadonlyMap<string, readonly string[]> = new Map([
  ['gzip', ['gzip']],
  ['x-gzip', ['gzip']],
  ['deflate', ['deflate', 'deflate-raw']],
  ['br', ['brotli']],
])

type CompressionFormat = ConstructorParameters<typeof DecompressionStream>[0]

/** A sender needs one. Each further coding multiplies the size to which a small body can grow. */
const MAX_CODINGS = 2

/**
 * Decodes gzip, deflate and br, the last coding first. A body that cannot be decoded is returned as it
 * was received, because a proxy may have decoded the body and left the header.
 *
 * Source: RFC 9110, 8.4
 */
export async function decodeContent(
  received: Uint8Array,
  contentEncoding: string,
): Promise<Decoded> {
  const codings = contentEncoding
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity')
  if (codings.length > MAX_CODINGS)
    return { bytes: received, fault: 'has too many content encodings' }
  let bytes = received
  for (const coding of codings.reverse()) {
    const formats = FORMATS.get(coding)
    if (!formats) return { bytes: received, fault: 'has a content encoding that is not supported' }
    const decoded = await decodeFirst(bytes, formats)
    if (typeof decoded === 'string') return { bytes: received, fault: decoded }
    bytes = decoded
  }
  return { bytes }
}

async function decodeFirst(
  bytes: Uint8Array,
  formats: readonly string[],
): Promise<Uint8Array | string> {
  for (const format of formats) {
    try {
      // The types of the DOM lack "brotli"; a runtime without it throws.
      const stream = new DecompressionStream(format as CompressionFormat)
      const body = new Blob([new Uint8Array(bytes)]).stream()
      return await collect(body.pipeThrough(stream), LIMITS.decodedBodyBytes)
    } catch (error) {
      if (!(error instanceof RangeError)) continue
      const megabytes = LIMITS.decodedBodyBytes / 1024 / 1024
      return `has more than ${megabytes} MB after decoding`
    }
  }
  return `is not ${formats[0]}, although its content encoding says so`
}
