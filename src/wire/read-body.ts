import { characters, joinedBytes, percentDecode, toBase64, utf8Text } from './bytes.ts'
import {
  type ContentKind,
  type DecodedText,
  decodeAs,
  decodeText,
  encodingName,
  encodingOf,
} from './charset.ts'
import {
  isDeeperThan,
  isObject,
  type Json,
  type JsonObject,
  record,
  type SentDigits,
  tryParseJson,
} from './json.ts'
import { LIMITS } from './limits.ts'
import { declaredCharsets, mediaType } from './media-type.ts'
import { type Message, notice, warning } from './messages.ts'
import { type Part, parseMultipart } from './multipart.ts'
import { splitOnce } from './path.ts'

/** The content of a body, as its content type says; if it is not, there is a fault. */
export interface BodyContent {
  /** The value of JSON, a list for JSON lines, an object for forms, else a string; `null` for an empty body. */
  readonly body: Json
  /** True if the bytes are no valid text; `body` is then their base64. */
  readonly binary: boolean
  /** Why `body` is not what the content type says; each is a sentence without any part of the body. */
  readonly faults: readonly Message[]
  /** Of numbers in `body` that the outputs cannot contain as numbers. */
  readonly digits: SentDigits
}

type Content = Pick<BodyContent, 'body'> & Partial<BodyContent>

/**
 * Reads a body by its content type, in the same way on Node and on workerd: JSON, JSON lines, urlencoded
 * and multipart forms. A body of any other type that begins with `{` or `[` is read as JSON if it is JSON.
 * Everything else is a string.
 *
 * @param headers of the request, by lower-case name
 * @param isEncoded true if the bytes have a `content-encoding` that could not be decoded
 */
export function readBody(
  bytes: Uint8Array,
  headers: Readonly<Record<string, string>>,
  isEncoded = false,
): BodyContent {
  const digits = new Map<number, string>()
  // Bytes that are still encoded are read only if a proxy decoded them and left the header.
  const isReadable = !isEncoded || utf8Text(bytes) !== undefined
  const { body, binary, faults }: Content = isReadable
    ? content(bytes, { headers, digits })
    : { body: toBase64(bytes), binary: true }
  return { body, binary: binary ?? false, faults: faults ?? [], digits }
}

/** The headers that say how to read a body, and the digits that are found in it. */
interface Reading {
  readonly headers: Readonly<Record<string, string>>
  readonly digits: Map<number, string>
}

function content(bytes: Uint8Array, reading: Reading): Content {
  if (bytes.length === 0) return { body: null }
  const contentType = reading.headers['content-type'] ?? ''
  const type = mediaType(contentType)
  if (type === 'multipart/form-data') return multipartContent(bytes, contentType)
  const charsets = declaredCharsets(contentType)
  if (type === 'application/x-www-form-urlencoded') return formContent(bytes, charsets, reading)
  return otherContent(bytes, type, charsets, reading)
}

const JSON_TYPE = /^(?:application|text)\/(?:x-)?json$|\+json$/

const LINES_TYPE = /^(?:application|text)\/(?:x-)?(?:ndjson|jsonl|jsonlines|json-lines|ldjson)$/

const SEQUENCE_TYPE = /^application\/json-seq$|\+json-seq$/

const TEXT_TYPE =
  /^text\/|[/+]xml$|[/+]yaml$|^application\/(?:x-)?(?:javascript|ecmascript|toml|graphql|sql)$/

const BINARY_TYPE = /^(?:image|audio|video|font)\//

function kindOf(type: string): ContentKind {
  if (JSON_TYPE.test(type) || LINES_TYPE.test(type) || SEQUENCE_TYPE.test(type)) return 'json'
  if (TEXT_TYPE.test(type)) return 'text'
  return BINARY_TYPE.test(type) ? 'binary' : 'unknown'
}

function otherContent(
  bytes: Uint8Array,
  type: string,
  charsets: readonly string[],
  reading: Reading,
): Content {
  // Without a type, a charset says that the body is text.
  const kind = type === '' && charsets.length > 0 ? 'text' : kindOf(type)
  const decoded = decodeText(bytes, charsets, kind)
  if (!decoded) return binaryContent(bytes, kind)
  const { body, faults = [] } = textContent(decoded.text, type, reading)
  return { body, faults: [...charsetFaults(decoded), ...faults] }
}

function binaryContent(bytes: Uint8Array, kind: ContentKind): Content {
  const faults = kind === 'binary' ? [] : [kind === 'unknown' ? BINARY : BINARY_AS_TEXT]
  return { body: toBase64(bytes), binary: true, faults }
}

const BINARY = notice('body-binary', 'the body is not text; it is passed on as base64')

const BINARY_AS_TEXT = warning(
  'body-binary',
  'the body is not text, although its content type says so; it is passed on as base64',
)

function charsetFaults({ encoding, fault }: DecodedText): Message[] {
  if (fault === undefined) return []
  const text = `the body is read as ${encodingName(encoding)}, because ${fault}; let the sender declare the right charset in "content-type"`
  return [warning('body-charset', text)]
}

function textContent(text: string, type: string, { headers, digits }: Reading): Content {
  // `trim` removes byte order marks too.
  const json = text.trim()
  if (LINES_TYPE.test(type)) return listContent(text, '\n', digits)
  if (SEQUENCE_TYPE.test(type)) return listContent(text, '\x1e', digits)
  const isDeclared = JSON_TYPE.test(type)
  // SNS sends JSON as text, and with raw message delivery any text.
  const isJson = isDeclared || 'x-amz-sns-message-type' in headers
  if (!isJson && !/^[[{]/.test(json)) return { body: text }
  const body = tryParseJson(json, digits)
  if (body === undefined) {
    const isDeep = isDeeperThan(json, LIMITS.jsonDepth)
    if (isDeep) return { body: text, faults: [tooDeep()] }
    return isDeclared ? { body: text, faults: [notJson('JSON')] } : { body: text }
  }
  const isTwice = isDeclared && typeof body === 'string' && isJsonText(body)
  return isTwice ? { body, faults: [JSON_IN_STRING] } : { body }
}

/** A list of JSON values, read one by one, because a large body can have a million of them. */
function listContent(text: string, separator: string, digits: Map<number, string>): Content {
  const list: Json[] = []
  for (let start = 0; start < text.length; ) {
    const found = text.indexOf(separator, start)
    const end = found < 0 ? text.length : found
    const json = text.slice(start, end).trim()
    start = end + 1
    if (json === '') continue
    const value = tryParseJson(json, digits)
    if (value === undefined) return { body: text, faults: [notJson('a list of JSON values')] }
    list.push(value)
  }
  return { body: list }
}

function isJsonText(text: string): boolean {
  const json = text.trim()
  return /^[[{]/.test(json) && tryParseJson(json) !== undefined
}

function notJson(what: string): Message {
  const text = `the body is not ${what}, although its content type says so; it stays a string`
  return warning('body-not-json', text)
}

function tooDeep(): Message {
  const text = `the body is JSON that is nested deeper than ${LIMITS.jsonDepth} levels; it stays a string`
  return warning('body-too-deep', text)
}

const JSON_IN_STRING = warning(
  'body-json-in-string',
  'the body is a JSON string that contains JSON: the sender encodes it twice; read it with "fromJSON"',
)

const JSON_AS_FORM = warning(
  'body-json-as-form',
  'the body is JSON sent as a form; set "content-type: application/json" at the sender',
)

const CUT_JSON_AS_FORM = warning(
  'body-not-json',
  'the body begins like JSON, is no JSON, and is sent as a form; it stays a string',
)

const GITHUB_FORM = notice(
  'body-github-form',
  'the body is the field "payload" of a form, GitHub\'s default content type; "application/json" in the settings of the webhook avoids the form',
)

/** Fields by name, repeated fields as arrays: the shape of `query` and of form bodies. */
export function fields<Value extends Json>(
  entries: Iterable<readonly [string, Value]>,
): JsonObject {
  const values = new Map<string, Value[]>()
  for (const [name, value] of entries) {
    const earlier = values.get(name)
    if (earlier) earlier.push(value)
    else values.set(name, [value])
  }
  return record([...values].map(([name, all]) => [name, all.length === 1 ? (all[0] ?? null) : all]))
}

function formContent(bytes: Uint8Array, charsets: readonly string[], reading: Reading): Content {
  const asJson = jsonForm(bytes, charsets, reading.digits)
  if (asJson) return asJson
  const { body, faults } = formFields(bytes, charsets)
  const isOfGitHub = 'x-github-event' in reading.headers && Object.keys(body).length === 1
  if (isOfGitHub && typeof body.payload === 'string') {
    const payload = tryParseJson(body.payload, reading.digits)
    if (payload !== undefined && isContainer(payload) && !Array.isArray(payload)) {
      return { body: payload, faults: [...faults, GITHUB_FORM] }
    }
  }
  return { body, faults }
}

/** The beginnings of JSON, as it is or percent-encoded; `[0]=a` is the field of a list in a form. */
const JSON_BEGINNING = /^\s*(?:\{|%7b|\[|%5b)/i
const CUT_JSON = /^\s*(?:\{\s*"|\[\s*[{"])/

/**
 * JSON under the content type of a form, which curl, wget, PHP and others send by default.
 *
 * @returns a string with a fault for JSON that is cut or too deep; `undefined` for a form
 */
function jsonForm(
  bytes: Uint8Array,
  declared: readonly string[],
  digits: Map<number, string>,
): Content | undefined {
  const beginning = characters(bytes.subarray(0, 100)).replace(/^[\xef\xbb\xbf\xff\xfe\0]+/, '')
  if (!JSON_BEGINNING.test(beginning.replaceAll('\0', ''))) return undefined
  const candidates: (() => Uint8Array)[] = [() => bytes, () => percentDecoded(bytes, false)]
  // `new URLSearchParams(json)` makes all of it the name of a field without a value.
  if (bytes.at(-1) === EQUALS) candidates.push(() => percentDecoded(bytes.subarray(0, -1), true))
  let unread: Content | undefined
  for (const bytesOf of candidates) {
    const decoded = decodeText(bytesOf(), declared, 'json')
    if (!decoded) continue
    const { text } = decoded
    const json = text.trim()
    const faults = charsetFaults(decoded)
    const body = tryParseJson(json, digits)
    if (isContainer(body)) return { body, faults: [...faults, JSON_AS_FORM] }
    const isDeep = isDeeperThan(json, LIMITS.jsonDepth)
    if (isDeep || CUT_JSON.test(json)) {
      unread ??= { body: text, faults: [...faults, isDeep ? tooDeep() : CUT_JSON_AS_FORM] }
    }
  }
  return unread
}

function isContainer(value: Json | undefined): value is Json[] | JsonObject {
  return typeof value === 'object' && value !== null
}

const EQUALS = 0x3d
const PLUS = 0x2b
const SPACE = 0x20

function percentDecoded(bytes: Uint8Array, isForm: boolean): Uint8Array {
  const decoded = bytes.slice()
  if (isForm) {
    for (let at = decoded.indexOf(PLUS); at >= 0; at = decoded.indexOf(PLUS, at + 1)) {
      decoded[at] = SPACE
    }
  }
  return decoded.subarray(0, percentDecode(decoded))
}

function formFields(
  bytes: Uint8Array,
  declared: readonly string[],
): { readonly body: JsonObject; readonly faults: readonly Message[] } {
  const raw = decodeText(bytes, declared, 'text')
  if (raw?.encoding.startsWith('utf-16')) return formFields(new TextEncoder().encode(raw.text), [])
  // Asked first, because `URLSearchParams` is slow for escapes that are no UTF-8.
  const isUtf8 = utf8Text(percentDecoded(bytes, true)) !== undefined
  if (raw && isUtf8 && declared.every((label) => encodingOf(label) === 'utf-8')) {
    const parameters = [...new URLSearchParams(raw.text.replace(/^\uFEFF/, ''))]
    const namesCharset = parameters.some(([name]) => CHARSET_FIELDS.includes(name))
    if (!namesCharset) return { body: fields(parameters), faults: [] }
  }
  // Escaped and plain bytes are decoded in the same way, in any charset.
  const pairs = characters(bytes)
    .replace(/^\xef\xbb\xbf/, '')
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => splitOnce(pair, '=').map(formBytes))
  const charsetsOf = charsetsOfFields(
    pairs.map(([name = NOTHING, value]) => [characters(name), value] as const),
    declared,
  )
  const hasOwn = (name = NOTHING) => charsetsOf(characters(name)).length > charsetsOf('').length
  // Fields without a charset of their own share one, because a short value alone could be in any.
  const others = pairs.flatMap(([name = NOTHING, value = NOTHING]) =>
    hasOwn(name) ? [name] : [name, value],
  )
  const common = decodeText(joinedBytes(others), charsetsOf(''), 'form')
  const faults = new Map<string, Message>()
  const textOf = (part: Uint8Array, own?: DecodedText): string => {
    const used = own ?? common ?? { text: '', encoding: 'windows-1252', fault: NO_CHARSET }
    for (const fault of charsetFaults(used)) faults.set(fault.text, fault)
    return own?.text ?? decodeAs(part, used.encoding) ?? decodeAs(part, 'windows-1252') ?? ''
  }
  const entries = pairs.map(([name = NOTHING, value = NOTHING]) => {
    const own = hasOwn(name) ? decodeText(value, charsetsOf(characters(name)), 'form') : undefined
    return [textOf(name), textOf(value, own)] as const
  })
  return { body: fields(entries), faults: [...faults.values()] }
}

const NO_CHARSET = 'it is in no known charset'

const NOTHING: Uint8Array = new Uint8Array()

/** @param text one character for each byte */
function formBytes(text: string): Uint8Array {
  return percentDecoded(
    Uint8Array.from(text, (character) => character.charCodeAt(0)),
    true,
  )
}

/** Fields that name charsets: of PayPal, SendGrid, and HTML. */
const CHARSET_FIELDS = ['charset', 'charsets', '_charset_']

/**
 * The charsets of each field, in order of precedence. `charset` and `_charset_` name one for all fields;
 * `charsets` of SendGrid is an object of them in JSON.
 *
 * @param declared by the content type
 */
function charsetsOfFields(
  entries: readonly (readonly [name: string | undefined, value: Uint8Array | undefined])[],
  declared: readonly string[],
): (name: string) => readonly string[] {
  const named = CHARSET_FIELDS.map((wanted) => {
    const [, value] = entries.find(([name]) => name === wanted) ?? []
    return value && utf8Text(value)
  })
  const [charset, charsets = '', html] = named
  const byName = tryParseJson(charsets)
  const common = [charset, html].flatMap((label) => (isLabel(label) ? [label] : []))
  const all = [...common, ...declared]
  return (name) => {
    const own = isObject(byName) && Object.hasOwn(byName, name) ? byName[name] : undefined
    return isLabel(own) ? [own, ...all] : all
  }
}

/** The value of such a field may be anything else. */
function isLabel(label: unknown): label is string {
  return typeof label === 'string' && encodingOf(label) !== undefined
}

function multipartContent(bytes: Uint8Array, contentType: string): Content {
  const declared = declaredCharsets(contentType)
  const form = parseMultipart(bytes, contentType, declared)
  if (!form) {
    const decoded = decodeText(bytes, declared, 'text')
    return {
      body: decoded?.text ?? toBase64(bytes),
      binary: decoded === undefined,
      faults: [warning('body-multipart', NO_FORM)],
    }
  }
  const isField = ({ filename }: Part) => filename === undefined
  const charsetsOf = charsetsOfFields(
    form.parts.filter(isField).map((part) => [part.name, part.bytes] as const),
    declared,
  )
  const faults = new Map(form.faults.map((fault) => [fault, formFault(fault)]))
  const entries = form.parts.map((part): readonly [string, Json] => {
    const { name, filename, contentType: type } = part
    if (filename !== undefined) {
      const { bytes } = part
      // RFC 7578: the content type of a part without one.
      const ofFile = type === '' ? 'text/plain' : type
      return [name, { filename, type: ofFile, size: bytes.length, content: toBase64(bytes) }]
    }
    const decoded = decodeText(part.bytes, [...declaredCharsets(type), ...charsetsOf(name)], 'text')
    if (!decoded) faults.set(BINARY_FIELD, formFault(BINARY_FIELD))
    else if (decoded.fault !== undefined) {
      const { encoding, fault } = decoded
      const why = `has a field that is read as ${encodingName(encoding)}, because ${fault}`
      faults.set(why, formFault(why))
    }
    return [name, decoded?.text ?? toBase64(part.bytes)]
  })
  return { body: fields(entries), faults: [...faults.values()] }
}

const NO_FORM =
  'the body is not multipart/form-data, although its content type says so; it stays a string'

const BINARY_FIELD = 'has a field that is not text; it is passed on as base64'

/** @param fault with the form as subject */
function formFault(fault: string): Message {
  return warning('body-multipart', `the multipart form ${fault}`)
}
