import { characters, isMarkedUtf8, utf8Text } from './bytes.ts'

/**
 * The kind of content by its type: `json`, `text` (also XML), `form` (percent-decoded), `binary`
 * (images, sound, video), or nothing.
 */
export type ContentKind = 'json' | 'text' | 'form' | 'binary' | 'unknown'

/** An encoding by the name that `TextDecoder` gives it. */
type Encoding = string

export interface DecodedText {
  readonly text: string
  readonly encoding: Encoding
  /** Why another charset was used than the declared one, or than UTF-8: `it is not valid UTF-8`. */
  readonly fault?: string | undefined
}

/**
 * Decodes bytes by the first of: a byte order mark; the declared charsets; NUL bytes in the pattern of
 * UTF-16, for JSON and text; UTF-8; windows-1252, for JSON and text.
 *
 * @param declared charsets in order of precedence, as labels that `TextDecoder` knows
 * @returns `undefined` if the bytes are no text
 */
export function decodeText(
  bytes: Uint8Array,
  declared: readonly string[],
  kind: ContentKind,
): DecodedText | undefined {
  const marked = markedText(bytes, kind)
  if (marked) return marked
  let fault: string | undefined
  const wide = wideText(bytes, kind)
  for (const label of declared) {
    const encoding = encodingOf(label)
    // No other charset has NUL bytes in this pattern.
    const isWide = wide !== undefined && encoding !== LITTLE && encoding !== BIG
    const found = isWide
      ? { fault: 'it is not in its declared charset' }
      : declaredText(bytes, label, kind)
    if ('text' in found) return { ...found, fault: fault ?? found.fault }
    fault ??= found.fault
  }
  if (wide) return { ...wide, fault }
  const utf8 = utf8Text(bytes)
  if (utf8 !== undefined) return { text: utf8, encoding: 'utf-8', fault }
  if (kind === 'binary' || kind === 'unknown') return undefined
  const western = withSigns(characters(bytes))
  if (CONTROLS.test(western)) return undefined
  return { text: western, encoding: WESTERN, fault: fault ?? 'it is not valid UTF-8' }
}

/** UTF-16 by its NUL bytes, if the text begins as JSON or text does. */
function wideText(bytes: Uint8Array, kind: ContentKind): DecodedText | undefined {
  const order = kind === 'binary' || kind === 'form' ? undefined : byteOrder(bytes)
  const text = order && decodeAs(bytes, order)
  if (order === undefined || text === undefined) return undefined
  const isText = ASCII_START.test(text) && !CONTROLS.test(text)
  return isText ? { text, encoding: order } : undefined
}

/** Decodes in one encoding; `undefined` for bytes that are invalid in it. */
export function decodeAs(bytes: Uint8Array, encoding: Encoding): string | undefined {
  if (encoding === 'utf-8') return utf8Text(bytes)
  if (encoding === LITTLE || encoding === BIG) return utf16Text(bytes, encoding === BIG)
  if (encoding === WESTERN) return withSigns(characters(bytes))
  const decoder = DECODERS.get(encoding) ?? new TextDecoder(encoding, { fatal: true })
  DECODERS.delete(encoding)
  try {
    const text = decoder.decode(bytes)
    DECODERS.set(encoding, decoder)
    // Some decoders let bytes pass that they do not know.
    return (LENIENT.test(encoding) ? UNMAPPED_OR_PRIVATE : UNMAPPED).test(text) ? undefined : text
  } catch {
    return undefined
  }
}

/**
 * A form can have a million fields, and a decoder takes longer to make than to use. A decoder that refused
 * bytes is not used again.
 */
const DECODERS = new Map<Encoding, InstanceType<typeof TextDecoder>>()

/** How a text begins that is taken for UTF-16 without a declaration; a JSON sequence begins with RS. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: RS is a control character
const ASCII_START = /^[\t\r\n\u001e -~]/

const WESTERN = 'windows-1252'
const LITTLE = 'utf-16le'
const BIG = 'utf-16be'

// biome-ignore lint/suspicious/noControlCharactersInRegex: text contains no such characters
const CONTROLS = /[\u0000-\u0008\u000e-\u001a\u001c\u001d\u001f\u0081\u008d\u008f\u0090\u009d]/

/** Node's decoder of euc-kr turns unknown bytes into C1 characters. */
const UNMAPPED = /[\u0080-\u009f]/

/** Node's decoders of these turn unknown bytes into characters for private use, too. */
const LENIENT = /^(?:big5|windows-|iso-8859-)/
const UNMAPPED_OR_PRIVATE = /[\u0080-\u009f\ue000-\uf8ff]/

/** Characters of windows-1252 from 0x80 on, where ISO 8859-1 has control characters. */
const SIGNS = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

/**
 * The decoder of many versions of Node from 20.18.3 takes windows-1252 for ISO 8859-1, so it is not used:
 * https://github.com/nodejs/node/issues/60888
 */
function withSigns(text: string): string {
  if (!UNMAPPED.test(text)) return text
  return text.replaceAll(/[\u0080-\u009f]/g, (sign) => SIGNS[sign.charCodeAt(0) - 0x80] ?? sign)
}

/** The text of bytes that begin with a byte order mark. The mark of UTF-8 stays, as it was sent. */
function markedText(bytes: Uint8Array, kind: ContentKind): DecodedText | undefined {
  if (isMarkedUtf8(bytes)) {
    const text = utf8Text(bytes)
    return text === undefined ? undefined : { text, encoding: 'utf-8' }
  }
  const [first, second] = bytes
  const isLittle = first === 0xff && second === 0xfe
  if (kind === 'binary' || !(isLittle || (first === 0xfe && second === 0xff))) return undefined
  const encoding = isLittle ? LITTLE : BIG
  const text = decodeAs(bytes.subarray(2), encoding)
  const isText =
    text !== undefined &&
    !CONTROLS.test(text) &&
    (kind !== 'unknown' || text === '' || ASCII_START.test(text))
  return isText ? { text, encoding } : undefined
}

/** The text in a declared charset, or the reason that it is not in this charset. */
function declaredText(
  bytes: Uint8Array,
  label: string,
  kind: ContentKind,
): DecodedText | { readonly fault: string } {
  const encoding = encodingOf(label)
  if (encoding === undefined) return { fault: 'its charset is unknown' }
  const fault = `it is not valid ${encoding}, although its charset says so`
  if (encoding === LITTLE || encoding === BIG) {
    const declared = { encoding, isOrdered: /[lb]e\s*$/i.test(label) }
    return declaredUtf16(bytes, declared, kind, fault)
  }
  if (encoding !== 'utf-8') {
    const utf8 = utf8Text(bytes)
    if (utf8 !== undefined && utf8.length < bytes.length) {
      const isAmbiguous = DOUBLE_BYTE.test(encoding) && !LATER_CHARACTER.test(utf8)
      const own = isAmbiguous ? decodeAs(bytes, encoding) : undefined
      if (own !== undefined) return { text: own, encoding, fault: AMBIGUOUS }
      const reason = `it is valid UTF-8, although its charset is ${encoding}`
      return { text: utf8, encoding: 'utf-8', fault: reason }
    }
  }
  const text = decodeAs(bytes, encoding)
  return text === undefined ? { fault } : { text, encoding }
}

/**
 * Text in another charset is hardly ever valid UTF-8, but many charsets accept any bytes. Only two bytes
 * of a double-byte charset can also be one character of UTF-8: D2 BB is \u4e00 in GBK.
 */
const DOUBLE_BYTE = /^(?:gb|big5|shift_jis|euc-)/

const AMBIGUOUS = 'its charset says so, although it is valid UTF-8, too'

/** A character with three bytes or more in UTF-8. */
const LATER_CHARACTER = /[\u0800-\uffff]/

/** Senders declare `utf-16` without an order, and for bytes that are UTF-8. */
function declaredUtf16(
  bytes: Uint8Array,
  declared: { readonly encoding: Encoding; readonly isOrdered: boolean },
  kind: ContentKind,
  fault: string,
): DecodedText | { readonly fault: string } {
  const found = byteOrder(bytes)
  // JSON begins with ASCII, of which UTF-16 has one NUL byte for each character.
  if (found === undefined && (kind === 'json' || looksNarrow(bytes))) return { fault }
  const encoding = found ?? declared.encoding
  const text = decodeAs(bytes, encoding)
  if (text === undefined) return { fault }
  const isOther = declared.isOrdered && encoding !== declared.encoding
  return { text, encoding, fault: isOther ? `its charset is ${declared.encoding}` : undefined }
}

/** True if bytes without the NUL bytes of UTF-16 are a text with one byte for each letter, or UTF-8. */
function looksNarrow(bytes: Uint8Array): boolean {
  if (bytes.length < 6 || bytes.includes(0)) return false
  const printable = bytes.reduce((count, byte) => count + Number(byte >= 0x20 && byte < 0x7f), 0)
  if (printable * 4 >= bytes.length * 3) return true
  return bytes.length >= 16 && utf8Text(bytes) !== undefined
}

/** The encoding with a label; `undefined` for a label that this runtime does not know. */
export function encodingOf(label: string): Encoding | undefined {
  const name = label.trim().toLowerCase()
  const known = ENCODINGS.get(name)
  if (known !== undefined) return known
  try {
    const { encoding } = new TextDecoder(name, { fatal: true })
    ENCODINGS.set(name, encoding)
    return encoding
  } catch {
    return undefined
  }
}

/** Encodings by the labels that were asked for; `TextDecoder` knows about 220 in lower case. */
const ENCODINGS = new Map<string, Encoding>()

/**
 * The order of UTF-16 without a byte order mark, by its NUL bytes: in one of the two places of each
 * character, often, and never in the other.
 */
function byteOrder(bytes: Uint8Array): typeof LITTLE | typeof BIG | undefined {
  if (bytes.length % 2 === 1) return undefined
  // Almost every body has no NUL byte, and then this is all.
  if (!bytes.includes(0)) return undefined
  let [even, odd] = [0, 0]
  for (let at = 0; at < bytes.length; at += 2) {
    if (bytes[at] === 0) even++
    if (bytes[at + 1] === 0) odd++
    if (even > 0 && odd > 0) return undefined
  }
  if (Math.max(even, odd) * 10 < bytes.length) return undefined
  return odd > 0 ? LITTLE : BIG
}

/** UTF-16 without its byte order mark. `TextDecoder` refuses `fatal` for it on Node 20. */
function utf16Text(bytes: Uint8Array, isBig: boolean): string | undefined {
  if (bytes.length % 2 === 1) return undefined
  const pieces: string[] = []
  const units = new Uint16Array(Math.min(0x2000, bytes.length / 2))
  for (let start = 0; start < bytes.length; start += units.length * 2) {
    const count = Math.min(units.length, (bytes.length - start) / 2)
    for (let unit = 0; unit < count; unit++) {
      const [one = 0, other = 0] = [bytes[start + unit * 2], bytes[start + unit * 2 + 1]]
      units[unit] = isBig ? one * 256 + other : other * 256 + one
    }
    pieces.push(Reflect.apply(String.fromCharCode, null, units.subarray(0, count)))
  }
  const text = pieces.join('')
  return /\p{Surrogate}/u.test(text) ? undefined : text
}

export function encodingName(encoding: Encoding): string {
  return encoding.startsWith('utf') ? encoding.toUpperCase() : encoding
}
