import * as v from 'valibot'
import { type Message, warning } from '../wire/messages.ts'
import { VALUE_NOT_SET } from '../wire/run-reasons.ts'
import { Secret } from '../wire/secret.ts'
import { visibleFields, type WebhookRequest } from '../wire/webhook-request.ts'
import { pathText } from './path-option.ts'
import { sectionAddress } from './sender.ts'
import {
  type Check,
  OTHER_OPTIONS,
  oneOrMore,
  type RequiredSignature,
  type TriggerPorts,
} from './trigger.ts'
import { ENCODINGS, HASHES } from './verify/algorithms.ts'
import {
  type CredentialLocations,
  checkEncodings,
  type Scheme,
  schemeMistakes,
  settingsJson,
  TIMESTAMP_FORMATS,
  type VerifySettings,
  verifySettings,
  WHITE_SPACE,
} from './verify/scheme.ts'
import { SCHEME_NAMES, schemeNamed } from './verify/schemes.ts'
import { fieldValues, withoutFields } from './verify/token-schemes.ts'

/** A secret that is not set is null or an empty string, and would accept every request. */
const secret = v.pipe(
  v.nullable(v.string(), ''),
  v.transform((text) => (text.trim() === '' ? '' : text)),
  v.nonEmpty(VALUE_NOT_SET),
  v.transform((text) => new Secret(text)),
)

const headerName = v.pipe(
  v.string(),
  v.regex(/^[!#$%&'*+.^_`|~\w-]+$/, 'is not a header name'),
  v.toLowerCase(),
)

const text = v.pipe(v.string(), v.nonEmpty('is empty'))

/** The name of a field, or its position, which YAML reads as a number. */
const partName = v.pipe(
  v.union([v.string(), v.number()], 'is neither a field name nor a position'),
  v.transform(String),
  v.regex(/^[A-Za-z_-][\w-]*$|^[1-9]\d?$/, 'is neither a field name nor a position'),
)

/** `_` is read as `-`, because the triggers of the same services have `_` in their names. */
const schemeName = v.lazy((input): v.GenericSchema<string, string> => {
  const names = v.picklist(SCHEME_NAMES, 'scheme')
  return typeof input === 'string' && schemeNamed(input)
    ? v.pipe(
        v.string(),
        v.transform((name) => name.replaceAll('_', '-')),
      )
    : names
})

/** The options of an entry of `verify`, with their descriptions. */
export const VERIFY_SCHEMAS = {
  scheme: v.pipe(
    v.optional(oneOrMore(schemeName)),
    v.description(
      'How the sender signs or authenticates its requests. If you list several schemes, one must match.',
    ),
  ),
  secret: v.pipe(
    v.optional(oneOrMore(secret)),
    v.description(
      'The secret that you and the sender share. List both secrets while you rotate: one must match.',
    ),
  ),
  tolerance: v.pipe(
    v.optional(v.pipe(v.number(), v.integer('is not a whole number'), v.minValue(1, 'is below 1'))),
    v.description(
      'The largest difference in seconds between the signed time and the receipt. Default 300, for `aws-sns` 3900.',
    ),
  ),
  header: v.pipe(
    v.optional(headerName),
    v.description('`hmac`, `ed25519`, `token`: header that contains the signature or the token.'),
  ),
  query: v.pipe(
    v.optional(text),
    v.description('`token`: query parameter that contains the token. The outputs omit it.'),
  ),
  field: v.pipe(
    v.optional(pathText),
    v.description(
      '`token`: field of the body that contains the token, or a path such as `value[0].clientState`. The outputs omit it.',
    ),
  ),
  algorithm: v.pipe(
    v.optional(v.picklist(keys(HASHES), 'algorithm')),
    v.description('`hmac`: hash function. Default `sha256`.'),
  ),
  secretEncoding: v.pipe(
    v.optional(v.picklist(['text', 'base64', 'hex'], 'secretEncoding')),
    v.description(
      '`hmac`: encoding of `secret`: `text` if the string itself is the key, or `base64` or `hex`. Default `text`.',
    ),
  ),
  signatureEncoding: v.pipe(
    v.optional(v.picklist(keys(ENCODINGS), 'signatureEncoding')),
    v.description('`hmac`, `ed25519`: encoding of the signature. Default `hex`.'),
  ),
  signaturePrefix: v.pipe(
    v.optional(v.string()),
    v.description('`hmac`, `ed25519`: text before the signature, such as `sha256=`.'),
  ),
  signedPayload: v.pipe(
    v.optional(text),
    v.description(
      '`hmac`, `ed25519`: the signed string, built from `{body}`, `{timestamp}`, `{url}`, `{method}`, `{header.<name>}`. Default `{body}`.',
    ),
  ),
  timestampHeader: v.pipe(
    v.optional(headerName),
    v.description('`hmac`, `ed25519`: header that contains the value of `{timestamp}`.'),
  ),
  timestampFormat: v.pipe(
    v.optional(v.picklist(keys(TIMESTAMP_FORMATS), 'timestampFormat')),
    v.description(
      '`hmac`, `ed25519`: the only accepted format of the signed time. With it, `signedPayload` needs no separator next to `{timestamp}`.',
    ),
  ),
  signatureField: v.pipe(
    v.optional(partName),
    v.description(
      '`hmac`, `ed25519`: if the header is a list such as `t=1,v1=2`, the name of the signature, or its position from 1.',
    ),
  ),
  timestampField: v.pipe(
    v.optional(partName),
    v.description(
      '`hmac`, `ed25519`: if the header is such a list, the name of the value of `{timestamp}`, or its position from 1.',
    ),
  ),
  separator: v.pipe(
    v.optional(
      v.pipe(v.string(), v.regex(/^\s?[^\w\s="]{1,3}\s?$/, 'is not a separator such as , or ;')),
    ),
    v.description('`hmac`, `ed25519`: separator between the fields of such a list. Default `,`.'),
  ),
  url: v.pipe(
    v.optional(secret),
    v.description(
      'The complete URL that the sender calls, for senders that sign it: `twilio`, `square`, `hubspot`, `trello`, `contentful`, `monday`, `hmac`, `ed25519`.',
    ),
  ),
  topic: v.pipe(
    v.optional(oneOrMore(text)),
    v.description(
      '`aws-sns`: ARN of the topic. Without it, messages of every topic of every account are accepted.',
    ),
  ),
}

/** The names of these options. Whether they fit the scheme is checked afterwards. */
export const VERIFY_OPTIONS: readonly string[] = keys(VERIFY_SCHEMAS)

const entry = v.strictObject(VERIFY_SCHEMAS, `options: ${VERIFY_OPTIONS.join(', ')}`)

/** One entry of `verify`: one of its schemes must match with these settings. */
export interface Verification {
  readonly schemes: readonly Scheme[]
  readonly settings: VerifySettings
}

/** The option `verify`; the trigger of a service has the scheme of that service as default. */
export function verifyOption(own?: string) {
  return v.pipe(
    v.optional(oneOrMore(entrySchema(own))),
    v.description(
      'Verifies the sender: `scheme`, `secret` and the other options of the scheme. If you give a list of such entries, one must match. A request that fails verification fires nothing.',
    ),
  )
}

function entrySchema(own: string | undefined) {
  return v.pipe(
    entry,
    v.rawTransform<v.InferOutput<typeof entry>, Verification>(({ dataset, addIssue, NEVER }) => {
      const { scheme: names = own === undefined ? undefined : [own], ...given } = dataset.value
      if (names === undefined) {
        const message = `"scheme" is missing; schemes: ${SCHEME_NAMES.join(', ')}`
        addIssue({ message, expected: OTHER_OPTIONS })
        return NEVER
      }
      const schemes = names.flatMap((name) => schemeNamed(name) ?? [])
      const settings = verifySettings(given)
      const mistakes = schemes.flatMap((scheme) => schemeMistakes(scheme, settings))
      const { value: input } = dataset
      for (const { option: key, message, isOfNames } of mistakes) {
        const path = [{ type: 'object', origin: 'key', input, key, value: undefined }] as const
        // The trigger of a service needs no "scheme".
        const expected = isOfNames ? { expected: OTHER_OPTIONS } : {}
        addIssue({ message, ...expected, ...(key in input && { path: [...path] }) })
      }
      return mistakes.length > 0 ? NEVER : { schemes, settings }
    }),
  )
}

/** The secrets and schemes of `verify`. */
export function requiredSignatures(
  verifications: readonly Verification[] = [],
): RequiredSignature[] {
  return schemesWithSettings(verifications).flatMap(({ scheme: { name }, settings }) => {
    const { secrets, url, header } = settings
    const place = name === 'token' && header !== undefined ? { header } : {}
    const { secret: _, ...options } = settingsJson({ ...settings, secrets: [] })
    return secrets.map((secret) => ({ scheme: name, secret, url, options, ...place }))
  })
}

/** A scheme that needs no options. */
export function bareVerification(name: string): Verification {
  const scheme = schemeNamed(name)
  return { schemes: scheme ? [scheme] : [], settings: verifySettings({}) }
}

/**
 * Whether a secret or a URL was pasted with white space: no sender's begins or ends with any. A PEM file ends in
 * a line break.
 */
export function hasWhiteSpaceAround(text: string): boolean {
  const around = new RegExp(`^${WHITE_SPACE}|${WHITE_SPACE}$`)
  return around.test(text) && !text.includes('-----BEGIN ')
}

/** `Object.keys` with types; these objects have no other keys. */
function keys<Of extends object>(object: Of): Extract<keyof Of, string>[] {
  return Object.keys(object) as Extract<keyof Of, string>[]
}

/** The result of verification, with messages for the user. */
interface Verdict {
  readonly held: boolean
  /** Empty without `verify`. */
  readonly checks: readonly Check[]
  readonly messages: readonly Message[]
}

/** Verifies a request: one scheme of `verify` must match. */
export async function verifyRequest(
  request: WebhookRequest,
  verifications: readonly Verification[] | undefined,
  ports: TriggerPorts,
): Promise<Verdict> {
  if (!verifications) return { held: true, checks: [], messages: [] }
  const isPadded = schemesWithSettings(verifications).some(({ settings: { secrets, url } }) =>
    [...secrets, ...(url ? [url] : [])].some((secret) => hasWhiteSpaceAround(secret.reveal())),
  )
  const notes = isPadded ? [warning('secret-white-space', WHITE_SPACE_AROUND)] : []
  const refusals: string[] = []
  for (const { scheme, settings } of schemesWithSettings(verifications)) {
    const refusal = await checkEncodings(scheme, request, settings, ports)
    if (refusal === undefined)
      return {
        held: true,
        checks: [{ option: 'verify', held: true, found: scheme.name }],
        messages: notes,
      }
    refusals.push(`${scheme.name}: ${refusal}`)
  }
  const found = refusals.join('; ')
  const isAbsent = !carries(request, credentialLocations(verifications))
  const [first, ...others] = schemesWithSettings(verifications)
  const isOfOneSender = others.length === 0 && first?.scheme.page !== undefined
  const page = isOfOneSender ? `; see ${sectionAddress(first.scheme.name)}` : ''
  const text = `signature verification failed, so the request fires nothing (${found})${page}`
  return {
    held: false,
    checks: [{ option: 'verify', held: false, found, ...(isAbsent && { isAbsent }) }],
    messages: [warning('unverified', text), ...notes],
  }
}

const WHITE_SPACE_AROUND =
  'a "secret" or "url" of "verify" begins or ends with white space or a line break: store it again without, or write "|-" instead of "|" in YAML'

/** Whether the request contains any signature or token. */
function carries(
  { headers, query, body }: WebhookRequest,
  places: Required<CredentialLocations>,
): boolean {
  return (
    places.headers.some((name) => headers[name] !== undefined) ||
    places.query.some((name) => Object.hasOwn(query, name)) ||
    places.fields.some((field) => fieldValues(body, field).some((value) => value !== undefined))
  )
}

/** All locations of signatures and tokens in a request. */
function credentialLocations(
  verifications: readonly Verification[] = [],
): Required<CredentialLocations> {
  const all = schemesWithSettings(verifications).map(({ scheme, settings }) =>
    scheme.credentials(settings),
  )
  return {
    headers: all.flatMap(({ headers = [] }) => headers),
    query: all.flatMap(({ query = [] }) => query),
    fields: all.flatMap(({ fields = [] }) => fields),
  }
}

/** The option `verify` of the trigger `webhook`. */
export const verifying = {
  option: verifyOption(),
  requiredSignatures,
  verifyRequest,
  /** The fields of a request that become outputs, without signatures and tokens. */
  withoutCredentials(request: WebhookRequest, verifications: readonly Verification[] | undefined) {
    const { headers, query, fields } = credentialLocations(verifications)
    const visible = visibleFields(request, { headers, query })
    return { ...visible, body: withoutFields(request.body, fields) }
  },
}

function schemesWithSettings(verifications: readonly Verification[]) {
  return verifications.flatMap(({ schemes, settings }) =>
    schemes.map((scheme) => ({ scheme, settings })),
  )
}
