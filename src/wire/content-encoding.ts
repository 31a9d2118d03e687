import { collect } from './bytes.ts'
import { LIMITS } from './limits.ts'

/**
 * The ways to decode each coding, in the order in which they are tried: some senders omit zlib's header.
 * `zlib` is a function of `node:zlib`, which also decodes gzip of several members; `stream` is a format of
 * `DecompressionStream` for workerd, which has no others.
 */
const FORMATS = {
  gzip: [{ zlib: 'gunzip', stream: 'gzip' }],
  'x-gzip': [{ zlib: 'gunzip', stream: 'gzip' }],
  deflate: [
    { zlib: 'inflate', stream: 'deflate' },
    { zlib: 'inflateRaw', stream: 'deflate-raw' },
  ],
  br: [{ zlib: 'brotliDecompress' }],
  zstd: [{ zlib: 'zstdDecompress' }],
} as const satisfies Readonly<Record<string, readonly Format[]>>

interface Format {
  readonly zlib: keyof NodeZlib
  readonly stream?: CompressionFormat
}

type CompressionFormat = ConstructorParameters<typeof DecompressionStream>[0]

/** A sender needs one. Each further coding multiplies the size to which a small body can grow. */
const MAX_CODINGS = 2

/**
 * Decodes gzip, deflate, and on Node br and zstd, the last coding first. A body that cannot be decoded is
 * returned as it was received, with the fault, because a proxy may have decoded the body and left the header.
 *
 * Source: RFC 9110, 8.4
 */
export async function decodeContent(
  received: Uint8Array,
  contentEncoding: string,
): Promise<{ readonly bytes: Uint8Array; readonly fault?: string }> {
  const codings = contentEncoding
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity')
  const failed = (why: string) => ({
    bytes: received,
    fault: `the body ${why}, so its "content-encoding" is not decoded`,
  })
  if (codings.length > MAX_CODINGS) return failed('has more than 2 encodings')
  const zlib = await nodeZlib()
  let bytes = received
  for (const coding of codings.reverse()) {
    const formats = formatsOf(coding).filter((format) => zlib?.[format.zlib] ?? format.stream)
    if (formats.length === 0) return failed('has an encoding that is not supported here')
    const decoded = await decodeFirst(bytes, formats, zlib)
    if (typeof decoded === 'string') return failed(decoded)
    if (decoded === undefined) return failed(`is not ${coding}`)
    bytes = decoded
  }
  return { bytes }
}

function formatsOf(coding: string): readonly Format[] {
  return Object.hasOwn(FORMATS, coding) ? FORMATS[coding as keyof typeof FORMATS] : [] // own key
}

/** @returns `undefined` for broken bytes, the reason for too many */
async function decodeFirst(
  bytes: Uint8Array,
  formats: readonly Format[],
  zlib: Partial<NodeZlib> | undefined,
): Promise<Uint8Array | string | undefined> {
  for (const { zlib: name, stream } of formats) {
    const decode = zlib?.[name]
    try {
      if (decode) return await decodedByZlib(bytes, decode)
      if (stream) return await decodedByStream(bytes, stream)
    } catch (error) {
      if (!(error instanceof RangeError)) continue
      const megabytes = LIMITS.decodedBodyBytes / 1024 / 1024
      return `has more than ${megabytes} MB after decoding`
    }
  }
  return undefined
}

/** @throws RangeError for more than `LIMITS.decodedBodyBytes` bytes; another error for broken bytes */
async function decodedByStream(bytes: Uint8Array, format: CompressionFormat): Promise<Uint8Array> {
  const body = new Blob([new Uint8Array(bytes)]).stream()
  return collect(body.pipeThrough(new DecompressionStream(format)), LIMITS.decodedBodyBytes)
}

type ZlibDecoder = (
  bytes: Uint8Array,
  options: { readonly maxOutputLength: number },
  done: (error: { readonly code?: string } | null, decoded: Uint8Array) => void,
) => void

/** The used part of `node:zlib`, because the compilation for a worker has no types of Node. */
type NodeZlib = Record<
  // The last one is there from Node 22.15 on.
  'gunzip' | 'inflate' | 'inflateRaw' | 'brotliDecompress' | 'zstdDecompress',
  ZlibDecoder
>

/** Hidden from the bundler, because a worker has no Node modules. */
const NODE_ZLIB: string = 'node:zlib'

/** @returns `undefined` in a runtime without it */
async function nodeZlib(): Promise<Partial<NodeZlib> | undefined> {
  try {
    return await import(/* webpackIgnore: true */ NODE_ZLIB)
  } catch {
    return undefined
  }
}

/** @throws as `decodedByStream` does */
function decodedByZlib(bytes: Uint8Array, decode: ZlibDecoder): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    decode(bytes, { maxOutputLength: LIMITS.decodedBodyBytes }, (error, decoded) => {
      if (!error) return resolve(decoded)
      reject(error.code === 'ERR_BUFFER_TOO_LARGE' ? new RangeError('too large') : error)
    })
  })
}
