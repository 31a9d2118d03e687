import {
  hexDigit,
  isMarkedUtf8,
  joinedBytes,
  percentDecode,
  tryFromBase64,
  utf8Text,
} from './bytes.ts'
import { decodeText } from './charset.ts'
import { LIMITS } from './limits.ts'
import { headerParameters, mediaType } from './media-type.ts'

/** A part of a form, before its charset is known. */
export interface Part {
  readonly name: string
  /** Defined for a file: the name as sent, which may be empty. */
  readonly filename: string | undefined
  /** The content type of the part; empty if it has none. */
  readonly contentType: string
  /** Without `content-transfer-encoding`. */
  readonly bytes: Uint8Array
}

interface Multipart {
  readonly parts: readonly Part[]
  /** The faults of the form, as ends of the sentence "the form …". */
  readonly faults: readonly string[]
}

/**
 * The parts of a `multipart/form-data` body. The parsers of Node and workerd refuse many forms of real
 * senders, and each one others: names without quotes, `filename*`, line ends without CR, a missing last
 * boundary. This one takes linear time, and one odd part does not affect the others.
 *
 * @param charsets of the form, for names that are no UTF-8
 * @returns `undefined` if the body has no parts
 */
export function parseMultipart(
  bytes: Uint8Array,
  contentType: string,
  charsets: readonly string[],
): Multipart | undefined {
  const declared = headerParameters(contentType).get('boundary') ?? ''
  const split = splitAt(bytes, declared)
  if (split) return readParts(split, charsets)
  const other = splitAt(bytes, firstBoundary(bytes))
  const form = other && readParts(other, charsets)
  if (!form || form.parts.length === 0) return undefined
  const fault = declared === '' ? 'declares no boundary' : 'has another boundary than it declares'
  return { ...form, faults: [fault, ...form.faults] }
}

interface Split {
  readonly parts: readonly Uint8Array[]
  readonly isClosed: boolean
  readonly isCut: boolean
}

const LINE_FEED = 0x0a
const RETURN = 0x0d
const DASH = 0x2d

/** RFC 2046 allows 70 characters. */
const LONGEST_BOUNDARY = 200

/**
 * Cuts a body at its delimiter lines. Only beginnings of lines are compared, and a boundary contains no
 * line break, so the time is linear whatever the boundary and the body are.
 */
function splitAt(bytes: Uint8Array, boundary: string): Split | undefined {
  if (boundary === '' || boundary.length > LONGEST_BOUNDARY) return undefined
  const delimiter = new TextEncoder().encode(`--${boundary}`)
  const parts: Uint8Array[] = []
  let start: number | undefined
  let isClosed = false
  // Behind a byte order mark.
  const first = isMarkedUtf8(bytes) ? 3 : 0
  let line = first
  while (line < bytes.length && !isClosed && parts.length <= LIMITS.multipartParts) {
    const end = lineEnd(bytes, line)
    const kind = delimiterKind(bytes, line, end, delimiter)
    if (kind !== undefined) {
      if (start !== undefined) parts.push(bytes.subarray(start, contentEnd(bytes, line)))
      start = Math.min(end + 1, bytes.length)
      isClosed = kind === 'last'
    }
    line = end + 1
  }
  // Only an empty form begins with its last boundary.
  const isPreamble =
    parts.length === 0 && isClosed && start !== Math.min(lineEnd(bytes, first) + 1, bytes.length)
  if (start === undefined || isPreamble) return undefined
  if (!isClosed && start < bytes.length) {
    parts.push(bytes.subarray(start, contentEnd(bytes, bytes.length)))
  }
  const most = LIMITS.multipartParts
  return { parts: parts.slice(0, most), isClosed, isCut: parts.length > most }
}

/** The offset of the line feed that ends a line, or of the end of the body. */
function lineEnd(bytes: Uint8Array, start: number): number {
  const at = bytes.indexOf(LINE_FEED, start)
  return at < 0 ? bytes.length : at
}

/** The line break before a delimiter belongs to it. */
function contentEnd(bytes: Uint8Array, delimiter: number): number {
  let end = delimiter
  if (bytes[end - 1] === LINE_FEED) end--
  if (end < delimiter && bytes[end - 1] === RETURN) end--
  return end
}

function delimiterKind(
  bytes: Uint8Array,
  line: number,
  end: number,
  delimiter: Uint8Array,
): 'next' | 'last' | undefined {
  let at = line + delimiter.length
  // Almost no line is a delimiter. Without this comparison, a large body takes twice the time.
  if (bytes[line] !== DASH) return undefined
  if (!delimiter.every((byte, index) => bytes[line + index] === byte)) return undefined
  const isLast = bytes[at] === DASH && bytes[at + 1] === DASH
  if (isLast) at += 2
  while (isBlank(bytes[at])) at++
  if (at < end) return undefined
  return isLast ? 'last' : 'next'
}

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === RETURN
}

/**
 * The boundary of the first line with content, for senders that declare none or another one; empty if the
 * line is no delimiter.
 */
function firstBoundary(bytes: Uint8Array): string {
  let start = 0
  while (isBlank(bytes[start]) || bytes[start] === LINE_FEED) start++
  const end = Math.min(lineEnd(bytes, start), start + LONGEST_BOUNDARY + 3)
  const line = utf8Text(bytes.subarray(start, end))?.trimEnd() ?? ''
  return /^--[^\0]/.test(line) ? line.slice(2) : ''
}

function readParts({ parts, isClosed, isCut }: Split, charsets: readonly string[]): Multipart {
  const read = parts.map((part) => readPart(part, charsets))
  const nameless = read.filter((part) => part === undefined).length
  const undecoded = read.filter((part) => part?.fault).length
  return {
    parts: read.flatMap((part) => part ?? []),
    faults: [
      ...(isCut ? [`has more than ${LIMITS.multipartParts} parts; the others are left out`] : []),
      ...(isClosed || isCut ? [] : ['ends without its last boundary, so it may be incomplete']),
      ...(nameless === 0 ? [] : [`has ${counted(nameless)} without a name, left out of "body"`]),
      ...(undecoded === 0
        ? []
        : [`has ${counted(undecoded)} whose transfer encoding is unreadable`]),
    ],
  }
}

function counted(count: number): string {
  return count === 1 ? '1 part' : `${count} parts`
}

/** Bytes of the headers of one part. */
const LONGEST_HEAD = 16 * 1024

/** With `fault` if the content is not in the encoding that the part declares. */
function readPart(part: Uint8Array, charsets: readonly string[]) {
  const head: string[] = []
  let line = 0
  for (;;) {
    const end = lineEnd(part, line)
    if (end === part.length || end > LONGEST_HEAD) return undefined
    const content = part.subarray(line, part[end - 1] === RETURN ? end - 1 : end)
    line = end + 1
    if (content.length === 0) break
    const text = utf8Text(content) ?? decodeText(content, charsets, 'text')?.text ?? ''
    // A line that begins with a blank continues the one before.
    if (/^[ \t]/.test(text) && head.length > 0) head.push(`${head.pop()} ${text.trim()}`)
    else head.push(text)
  }
  const headers = new Map(head.map(headerOf))
  const parameters = headerParameters(headers.get('content-disposition') ?? '')
  const name = parameterText(parameters, 'name')
  if (name === undefined) return undefined
  const filename = parameterText(parameters, 'filename')
  const coding = mediaType(headers.get('content-transfer-encoding') ?? '')
  const decoded = transferDecoded(part.subarray(line), coding)
  return {
    name,
    filename,
    contentType: headers.get('content-type') ?? '',
    bytes: decoded ?? part.subarray(line),
    fault: decoded === undefined,
  }
}

/** The name is empty for a line without a colon, which is no header. */
function headerOf(line: string): [name: string, value: string] {
  const colon = line.indexOf(':')
  return [line.slice(0, Math.max(colon, 0)).trim().toLowerCase(), line.slice(colon + 1).trim()]
}

/** A parameter in the forms of RFC 8187 (`filename*`), RFC 2231 (`filename*0`), RFC 2047 and HTML. */
function parameterText(parameters: ReadonlyMap<string, string>, name: string): string | undefined {
  const extended = extendedValue(parameters.get(`${name}*`))
  if (extended !== undefined) return extended
  const plain = parameters.get(name)
  if (plain !== undefined) return withEncodedWords(plain).replace(HTML_ESCAPES, decodeURIComponent)
  return continuedValue(parameters, name)
}

/** How browsers write these characters: https://html.spec.whatwg.org/#multipart-form-data */
const HTML_ESCAPES = /%(?:22|0d|0a)/gi

/** `UTF-8''na%C3%AFve.txt` */
const EXTENDED = /^([\w.:-]+)'[^']*'(.*)/s

function extendedValue(value = ''): string | undefined {
  const [, charset = '', encoded] = EXTENDED.exec(value) ?? []
  if (encoded === undefined) return undefined
  return decodeText(percentDecoded(encoded), [charset], 'text')?.text
}

function continuedValue(parameters: ReadonlyMap<string, string>, name: string): string | undefined {
  let whole = ''
  let charset = 'utf-8'
  const chunks: Uint8Array[] = []
  for (let index = 0; ; index++) {
    const encoded = parameters.get(`${name}*${index}*`)
    const value = encoded ?? parameters.get(`${name}*${index}`)
    if (value === undefined) break
    const [, label = charset, text = value] =
      (index === 0 && encoded !== undefined && EXTENDED.exec(encoded)) || []
    charset = label
    whole += text
    chunks.push(encoded === undefined ? new TextEncoder().encode(text) : percentDecoded(text))
  }
  if (chunks.length === 0) return undefined
  return decodeText(joinedBytes(chunks), [charset], 'text')?.text ?? whole
}

/** The bytes of a percent-encoded string; a `%` without two digits is a `%`. */
function percentDecoded(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(text)
  return bytes.slice(0, percentDecode(bytes))
}

/** `=?utf-8?B?w7wudHh0?=`, which .NET and mail programs write. Source: RFC 2047 */
function withEncodedWords(text: string): string {
  if (!text.startsWith('=?')) return text
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?([\w.:-]+)(?:\*[\w-]*)?\?([bq])\?([^?]*)\?=/gi, (word, charset, kind, encoded) => {
      const bytes = /b/i.test(kind)
        ? base64Decoded(new TextEncoder().encode(encoded))
        : percentDecoded(encoded.replaceAll('%', '%25').replaceAll('=', '%').replaceAll('_', ' '))
      return (bytes && decodeText(bytes, [charset], 'text')?.text) ?? word
    })
}

/** @returns `undefined` if the content is not in this encoding, or the encoding is unknown */
function transferDecoded(bytes: Uint8Array, coding: string): Uint8Array | undefined {
  if (coding === 'base64') return base64Decoded(bytes)
  if (coding === 'quoted-printable') return quotedPrintableDecoded(bytes)
  return ['', '7bit', '8bit', 'binary'].includes(coding) ? bytes : undefined
}

function base64Decoded(bytes: Uint8Array): Uint8Array | undefined {
  // `atob` ignores line breaks and blanks.
  return tryFromBase64(new TextDecoder('latin1').decode(bytes))
}

function quotedPrintableDecoded(encoded: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(encoded.length)
  let length = 0
  for (let at = 0; at < encoded.length; at++) {
    const byte = encoded[at] ?? 0
    if (byte !== 0x3d) {
      bytes[length++] = byte
      continue
    }
    const [high, low] = [hexDigit(encoded[at + 1]), hexDigit(encoded[at + 2])]
    if (high >= 0 && low >= 0) {
      bytes[length++] = high * 16 + low
      at += 2
      continue
    }
    // A `=` at the end of a line continues the line.
    let next = at + 1
    while (isBlank(encoded[next])) next++
    if (next === encoded.length || encoded[next] === LINE_FEED) at = next
    else bytes[length++] = byte
  }
  return bytes.subarray(0, length)
}
