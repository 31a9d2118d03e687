import { isObject, scalarText } from '../../wire/json.ts'
import type { WebhookRequest } from '../../wire/webhook-request.ts'
import type { TriggerPorts } from '../trigger.ts'
import {
  type Algorithm,
  anyHolds,
  concat,
  ENCODINGS,
  type Encoding,
  fromDer,
  KEYS,
  lengthFault,
  signatureHolds,
} from './algorithms.ts'
import {
  DEFAULT_TOLERANCE,
  isTime,
  MISMATCH,
  missingHeader,
  NO_TIME,
  type Scheme,
  type SchemeMistake,
  TIMESTAMP_FORMATS,
  type TimestampFormat,
  timeRefusal,
  type VerificationFault,
  type VerifySettings,
  wrongSecret,
} from './scheme.ts'

/** The signature of a sender as data: one header signs a string that is built from the request. */
export interface SignedHeader {
  /** In lower case, like all header names in this file. */
  readonly header: string
  /** Other headers that may contain a signature, such as one per key of the sender. */
  readonly others?: readonly string[]
  /** Prefix of the signature: `sha256=`. */
  readonly signaturePrefix?: string
  /** True if a header may contain several signatures, for example during a rotation: `v1=…,v1=…`. */
  readonly several?: true
  /**
   * For a header that is a list: its separator, and which entries are the signature and the time,
   * by name (of `name=value`) or by position from 1. A signature by position includes all later
   * entries.
   */
  readonly parts?: {
    readonly separator: string
    readonly signature: string
    readonly timestamp?: string | undefined
  }
  /** The separator, if the header contains several such lists that are independent. */
  readonly lists?: string
  /** Default: `sha256`. */
  readonly algorithm?: Algorithm
  /** Default: `hex`. */
  readonly signatureEncoding?: Encoding
  /** Encoding of the secret. Default: `text`. */
  readonly secretEncoding?: keyof typeof KEYS
  /**
   * The signed string, with placeholders: `{body}`, `{timestamp}`, `{url}`, `{method}` and
   * `{header.<name>}`. Default: `{body}`.
   */
  readonly signedPayload?: string
  /** The header that contains `{timestamp}`. */
  readonly timestampHeader?: string | undefined
  /** The field of the body that contains the signed time. */
  readonly timestampBodyField?: string
  /** Format of the time. Default: `seconds`. */
  readonly timestampFormat?: TimestampFormat | undefined
  /** True if no other format is accepted, so that the time needs no separator from the body. */
  readonly isExact?: boolean
  /** Seconds. Default: 300. */
  readonly tolerance?: number
  /** Other spellings of the URL that a sender may sign. */
  readonly urlForms?: (url: string) => readonly string[]
}

/** A scheme that consists of data only. */
export function signedHeaderScheme(name: string, page: string, rule: SignedHeader): Scheme {
  const { signedPayload = '{body}' } = rule
  const isTimed = rule.timestampHeader ?? rule.timestampBodyField ?? rule.parts?.timestamp
  return {
    name,
    page,
    needs: signedPayload.includes('{url}') ? ['secret', 'url'] : ['secret'],
    takes: isTimed === undefined ? [] : ['tolerance'],
    mistake: (settings) => keyMistake(rule, settings),
    credentials: () => ({ headers: [rule.header, ...(rule.others ?? [])] }),
    check: (request, settings, ports) => signedHeaderRefusal(rule, request, settings, ports),
  }
}

/** Options that describe a signature in a header. */
const DESCRIPTION = [
  'signatureEncoding',
  'signaturePrefix',
  'signedPayload',
  'timestampHeader',
  'timestampFormat',
  'signatureField',
  'timestampField',
  'separator',
  'tolerance',
  'url',
] as const

/** Any other sender that signs with an HMAC. The options describe the signature. */
export const hmac = describedScheme('hmac', ['algorithm', 'secretEncoding', ...DESCRIPTION], {})

/** The same for Ed25519: `secret` is the public key. */
export const ed25519 = describedScheme('ed25519', DESCRIPTION, {
  algorithm: 'ed25519',
  secretEncoding: 'ed25519',
})

function describedScheme(
  name: string,
  takes: NonNullable<Scheme['takes']>,
  fixed: Partial<SignedHeader>,
): Scheme {
  const ruleOf = (settings: VerifySettings) => ({ ...ownRule(settings), ...fixed })
  return {
    name,
    needs: ['secret', 'header'],
    takes,
    mistake: (settings) => keyMistake(ruleOf(settings), settings) ?? signedPayloadMistake(settings),
    credentials: ({ header = '' }) => ({ headers: [header] }),
    check: (request, settings, ports) =>
      signedHeaderRefusal(ruleOf(settings), request, settings, ports),
  }
}

function keyMistake(
  { secretEncoding = 'text' }: SignedHeader,
  { secrets }: VerifySettings,
): SchemeMistake | undefined {
  const { read, mistake } = KEYS[secretEncoding]
  return secrets.some((secret) => !read(secret.reveal())) ? wrongSecret(mistake) : undefined
}

function ownRule(settings: VerifySettings): SignedHeader {
  const { separator = ',', signatureField, timestampField, timestampFormat } = settings
  return {
    header: settings.header ?? '', // `needs` includes it
    signaturePrefix: settings.signaturePrefix ?? '',
    several: true,
    ...(signatureField !== undefined && {
      parts: { separator, signature: signatureField, timestamp: timestampField },
    }),
    algorithm: settings.algorithm ?? 'sha256',
    signatureEncoding: settings.signatureEncoding ?? 'hex',
    secretEncoding: settings.secretEncoding ?? 'text',
    timestampFormat,
    isExact: timestampFormat !== undefined,
    signedPayload: settings.signedPayload ?? '{body}',
    timestampHeader: settings.timestampHeader,
  }
}

/** One list of the header must match; most headers contain one list. */
async function signedHeaderRefusal(
  rule: SignedHeader,
  request: WebhookRequest,
  settings: VerifySettings,
  ports: TriggerPorts,
): Promise<VerificationFault> {
  const presented = [rule.header, ...(rule.others ?? [])].flatMap((name) => {
    const value = request.headers[name]
    return value
      ? listsIn(rule, value).map((list) => [{ ...rule, header: name }, list] as const)
      : []
  })
  const [first] = presented
  if (!first) return missingHeader(rule.header)
  let reason: VerificationFault
  for (const [own, list] of presented.filter(([, { signatures }]) => signatures.length > 0)) {
    const refusal = await listRefusal(own, list, request, settings, ports)
    if (refusal === undefined) return undefined
    // Prefer a reason that says more than a mismatch.
    if (reason === undefined || reason === MISMATCH) reason = refusal
  }
  return reason ?? formRefusal(first[0])
}

/** Checks the signature before the time, so that a refused time means that the secret is right. */
async function listRefusal(
  rule: SignedHeader,
  { signatures, timestamps }: Presented,
  request: WebhookRequest,
  settings: VerifySettings,
  ports: TriggerPorts,
): Promise<VerificationFault> {
  const timestamp = timestampOf(rule, request, timestamps)
  if (timestamp.refusal !== undefined) return timestamp.refusal
  const { algorithm = 'sha256', signedPayload = '{body}', secretEncoding = 'text', urlForms } = rule
  const url = settings.url?.reveal()
  const urls = url === undefined ? [undefined] : [url, ...(urlForms?.(url) ?? [])]
  const keys = settings.secrets.flatMap(
    (secret) => KEYS[secretEncoding].read(secret.reveal()) ?? [],
  )
  let isAmbiguous = true
  // The body may be large, so the signed payload of only one URL is in memory.
  const holds = await anyHolds(urls, async (url) => {
    const signed = signedBytes(signedPayload, request, { timestamp: timestamp.text, url })
    if (!signed) return false
    isAmbiguous = false
    return anyHolds(signatures, (signature) =>
      anyHolds(keys, (bytes) => signatureHolds(algorithm, bytes, signed, signature)),
    )
  })
  if (isAmbiguous) return 'a signed header contains the separator of the next part'
  if (!holds) return lengthFault(algorithm, signatures) ?? MISMATCH
  const { tolerance = rule.tolerance ?? DEFAULT_TOLERANCE } = settings
  return timestamp.text === undefined
    ? undefined
    : timeRefusal(timestamp.text, tolerance, request, ports)
}

function formRefusal(rule: SignedHeader): string {
  const { header, parts, signaturePrefix: prefix, signatureEncoding = 'hex', algorithm } = rule
  const signature = algorithm === 'p256' ? 'DER signature' : 'signature'
  const wanted = `${signature} in ${signatureEncoding}${prefix ? ` after ${prefix}` : ''}`
  if (parts === undefined) return `the header ${header} contains no ${wanted}`
  const field = isPlace(parts.signature) ? `place ${parts.signature}` : `field ${parts.signature}`
  return `the header ${header} is no list that has a ${wanted} in ${field}`
}

interface Presented {
  readonly signatures: readonly Uint8Array<ArrayBuffer>[]
  readonly timestamps: readonly string[]
}

const NOTHING: Presented = { signatures: [], timestamps: [] }

/** The lists in a header; none if one of them is malformed. */
function listsIn(rule: SignedHeader, value: string): readonly Presented[] {
  const lists = (rule.lists === undefined ? [value] : value.split(rule.lists)).map((text) =>
    presentedIn(rule, text),
  )
  return lists.includes(NOTHING) ? [NOTHING] : lists
}

/** The signatures and times in one list. */
function presentedIn(
  { parts, signaturePrefix = '', several, algorithm, signatureEncoding = 'hex' }: SignedHeader,
  value: string,
): Presented {
  const entries = parts ? value.split(parts.separator).map((part) => part.trim()) : []
  // Otherwise, as with a repeated header, it is ambiguous which time belongs to which signature.
  const isNamed = [parts?.signature, parts?.timestamp].every((part) => !isPlace(part))
  const form = isNamed ? /^[\w-]+=[^\s,;|&"]*$/ : /^[^\s,;|&"]+$/
  if (!entries.every((part) => form.test(part))) return NOTHING
  const named = (name: string) =>
    entries.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1))
  const time = parts?.timestamp
  const timestamps = isPlace(time)
    ? entries.slice(Number(time) - 1, Number(time))
    : named(time ?? '')
  const sum = parts?.signature ?? ''
  const listed = several ? [value, ...value.split(/[\s,]+/)] : [value]
  const inParts = isPlace(sum) ? entries.slice(Number(sum) - 1) : named(sum)
  const texts = (parts ? inParts : listed).filter((text) => text.startsWith(signaturePrefix))
  const signatures = texts.flatMap((text) => {
    const bytes = ENCODINGS[signatureEncoding](text.slice(signaturePrefix.length))
    return (bytes && algorithm === 'p256' ? fromDer(bytes) : bytes) ?? []
  })
  // Without names, every entry after a signature must be a signature too.
  const isAlike = inParts.every((_, at) => signatures[at]?.length === signatures[0]?.length)
  if (isPlace(sum) && !isAlike) return NOTHING
  return { signatures, timestamps: time === undefined ? [] : timestamps }
}

/** Whether a field of a list is identified by its position. */
function isPlace(part: string | undefined): boolean {
  return part !== undefined && /^\d+$/.test(part)
}

/** The signed time if there is one, or the reason that it is invalid. */
function timestampOf(
  {
    timestampHeader,
    timestampBodyField,
    parts,
    header,
    timestampFormat = 'seconds',
    isExact,
  }: SignedHeader,
  { headers, body }: WebhookRequest,
  inHeader: readonly string[],
): { readonly text?: string | undefined; readonly refusal?: string } {
  const isAsked = timestampHeader ?? timestampBodyField ?? parts?.timestamp
  if (isAsked === undefined) return {}
  if (parts?.timestamp !== undefined && (inHeader.length !== 1 || !inHeader[0])) {
    return { refusal: `the header ${header} has no time, or more than one` }
  }
  const field =
    isObject(body) && timestampBodyField !== undefined ? body[timestampBodyField] : undefined
  const [text] = [
    ...inHeader,
    ...(timestampHeader === undefined ? [] : [headers[timestampHeader]]),
    ...(timestampBodyField === undefined ? [] : [scalarText(field)]),
  ]
  if (!text) {
    const refusal = timestampHeader ? missingHeader(timestampHeader) : 'the body has no time'
    return { refusal }
  }
  const isRight = isExact
    ? TIMESTAMP_FORMATS[timestampFormat].test(text) && isTime(text)
    : isTime(text)
  return isRight ? { text } : { refusal: NO_TIME }
}

const PLACEHOLDER = /\{([^{}]*)\}/
const HEADER = 'header.'
const NAMES = ['body', 'timestamp', 'url', 'method']

/**
 * The signed bytes; a part that the request lacks is empty. `undefined` if the end of a header's
 * value is ambiguous, because the signed string must have only one meaning.
 */
export function signedBytes(
  signedPayload: string,
  request: Pick<WebhookRequest, 'bytes' | 'method' | 'headers'>,
  { timestamp, url }: { readonly timestamp: string | undefined; readonly url: string | undefined },
): Uint8Array<ArrayBuffer> | undefined {
  const values = new Map<string, string | Uint8Array | undefined>([
    ['body', request.bytes],
    ['timestamp', timestamp],
    ['url', url],
  ])
  const parts = signedPayload.split(PLACEHOLDER)
  const body = parts.findIndex((part, at) => at % 2 === 1 && part === 'body')
  const filled = parts.map((part, at) => {
    if (at % 2 === 0) return part
    const isHeader = part.startsWith(HEADER)
    if (!isHeader && part !== 'method') return values.get(part) ?? ''
    const value = isHeader
      ? (request.headers[part.slice(HEADER.length).toLowerCase()] ?? '')
      : request.method.toUpperCase()
    const separator = (at < body ? parts[at + 1] : parts[at - 1]) || undefined
    return separator !== undefined && value.includes(separator) ? undefined : value
  })
  return filled.includes(undefined) ? undefined : concat(filled.map((part) => part ?? ''))
}

/** Why `signedPayload` would not protect the request. */
function signedPayloadMistake({
  signedPayload = '{body}',
  timestampHeader,
  timestampField,
  signatureField,
  timestampFormat,
  separator,
  url,
}: VerifySettings): SchemeMistake | undefined {
  const parts = signedPayload.split(PLACEHOLDER)
  const names = parts.filter((_, at) => at % 2 === 1)
  const unknown = names.find((name) => !NAMES.includes(name) && !name.startsWith(HEADER))
  if (unknown !== undefined) {
    const known = [...NAMES, `${HEADER}<name>`].map((name) => `{${name}}`).join(', ')
    return payloadMistake(`has an unknown placeholder {${unknown}}; there are: ${known}`)
  }
  if (!names.includes('body')) return payloadMistake('lacks {body}, so any body would be accepted')
  if (signatureField === undefined && (timestampField ?? separator) !== undefined) {
    return {
      option: timestampField === undefined ? 'separator' : 'timestampField',
      message: '"timestampField" and "separator" need "signatureField", the name of the signature',
    }
  }
  if (timestampField !== undefined && timestampHeader !== undefined) {
    const message = '"timestampField" cannot be combined with "timestampHeader"'
    return { option: 'timestampField', message }
  }
  if (names.includes('timestamp') !== ((timestampHeader ?? timestampField) !== undefined)) {
    return {
      option: 'signedPayload',
      message:
        '"timestampHeader", or "timestampField", and {timestamp} in "signedPayload" belong together, because an unsigned time is no protection',
    }
  }
  if (names.includes('url') !== (url !== undefined)) {
    const message = '"url" and {url} in "signedPayload" belong together'
    return { option: 'signedPayload', message }
  }
  if (timestampFormat !== undefined && !names.includes('timestamp')) {
    const message = '"timestampFormat" needs {timestamp} in "signedPayload"'
    return { option: 'signedPayload', message }
  }
  return shiftMistake(parts, timestampFormat !== undefined)
}

/**
 * Two placeholders need a separator that is neither a letter nor a digit. Otherwise an attacker could move a
 * byte from one to the other under the same signature. `{url}` is set by the user, and a time in a fixed
 * format has a fixed length, so both need no separator.
 */
function shiftMistake(parts: readonly string[], isFixed: boolean): SchemeMistake | undefined {
  const at = parts.findIndex((between, at) => {
    const beside = [parts[at - 1], parts[at + 1]]
    const isInner = at % 2 === 0 && at > 0 && at < parts.length - 1
    const isSafe = beside.includes('url') || (isFixed && beside.includes('timestamp'))
    return isInner && !isSafe && !/[^A-Za-z0-9]/.test(between)
  })
  if (at < 0) return undefined
  const [before, after] = [`{${parts[at - 1]}}`, `{${parts[at + 1]}}`]
  return payloadMistake(
    `has no separator between ${before} and ${after}, so bytes could be moved from one to the other. Add one: ${before}.${after}`,
  )
}

function payloadMistake(fault: string): SchemeMistake {
  return { option: 'signedPayload', message: `"signedPayload" ${fault}` }
}
