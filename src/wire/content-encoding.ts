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
      return await decompress(bytes, format)
    } catch (error) {
      if (!(error instanceof RangeError)) continue
      const megabytes = LIMITS.decodedBodyBytes / 1024 / 1024
      return `has more than ${megabytes} MB after decoding`
    }
  }
  return `is not ${formats[0]}, although its content encoding says so`
}

/** @throws RangeError for more than `LIMITS.decodedBodyBytes` bytes; another error for broken bytes */
async function decompress(bytes: Uint8Array, format: string): Promise<Uint8Array> {
  const stream = decompressionStream(format)
  if (!stream) return decompressBrotli(bytes)
  const body = new Blob([new Uint8Array(bytes)]).stream()
  return collect(body.pipeThrough(stream), LIMITS.decodedBodyBytes)
}

/** @returns `undefined` in a runtime without this format: Node before 24.7 has brotli only in zlib */
function decompressionStream(format: string): DecompressionStream | undefined {
  try {
    // The types of the DOM lack "brotli".
    return new DecompressionStream(format as CompressionFormat)
  } catch {
    return undefined
  }
}

/** Hidden from the bundler, because a worker has no Node modules. */
const NODE_ZLIB: string = 'node:zlib'

/** The used part of `node:zlib`, because the compilation for a worker has no types of Node. */
interface NodeZlib {
  brotliDecompress(
    bytes: Uint8Array,
    options: { maxOutputLength: number },
    done: (error: { code?: string } | null, decoded: Uint8Array) => void,
  ): void
}

async function decompressBrotli(bytes: Uint8Array): Promise<Uint8Array> {
  const { brotliDecompress }: NodeZlib = await import(/* webpackIgnore: true */ NODE_ZLIB)
  return new Promise((resolve, reject) => {
    brotliDecompress(bytes, { maxOutputLength: LIMITS.decodedBodyBytes }, (error, decoded) => {
      if (!error) return resolve(decoded)
      reject(error.code === 'ERR_BUFFER_TOO_LARGE' ? new RangeError('too large') : error)
    })
  })
}
