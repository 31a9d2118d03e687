import { utf8Text } from '../../wire/bytes.ts'
import { isObject, scalarText } from '../../wire/json.ts'
import { cutReservedParameters, splitOnce } from '../../wire/path.ts'
import type { WebhookRequest } from '../../wire/request.ts'
import {
  anyHolds,
  concat,
  ENCODINGS,
  type Hash,
  keyBytes,
  sha256Hex,
  signatureHolds,
} from './algorithms.ts'
import {
  DEFAULT_TOLERANCE,
  isTime,
  MISMATCH,
  missing,
  NO_TIME,
  type Refusal,
  type Scheme,
  type Settings,
  timeRefusal,
} from './scheme.ts'

/**
 * The URL and then, for a form, its parameters in alphabetical order, name and value without anything
 * between them; for any other body the URL brings its hash.
 */
export const twilio: Scheme = {
  name: 'twilio',
  page: 'https://www.twilio.com/docs/usage/webhooks/webhooks-security',
  needs: ['secret', 'url'],
  credentials: () => ({ headers: ['x-twilio-signature'] }),
  async check(request, settings) {
    const presented = request.headers['x-twilio-signature']
    if (!presented) return missing('x-twilio-signature')
    const hash = request.query.bodySHA256
    const isForm = /^application\/x-www-form-urlencoded\b/i.test(
      request.headers['content-type'] ?? '',
    )
    if (hash !== undefined && hash !== (await sha256Hex(request.bytes))) return MISMATCH
    if (hash === undefined && !isForm && request.bytes.length > 0) {
      return 'the body is neither a form, nor signed by bodySHA256 in the URL'
    }
    const parameters = hash === undefined && isForm ? sortedForm(request.bytes) : ''
    const url = calledUrl(settings.url?.reveal() ?? '', request)
    const texts = portForms(url).map((form) => concat([form, parameters]))
    return hmacRefusal('sha1', texts, ENCODINGS.base64(presented), settings)
  },
}

/** The parameters of a form as Twilio signs them. */
export function sortedForm(bytes: Uint8Array): string {
  const parameters = new URLSearchParams(utf8Text(bytes) ?? '')
  const names = [...new Set(parameters.keys())].sort()
  return names
    .flatMap((name) => [...new Set(parameters.getAll(name))].sort().map((value) => name + value))
    .join('')
}

/**
 * The URL as the sender called it: that of the options, and what the sender added to its query. The
 * relay has cut its own parameters out of the query that travelled.
 */
function calledUrl(url: string, { querystring }: WebhookRequest): string {
  const [address, query] = splitOnce(url.replace(/#.*/s, ''), '?')
  const own = parametersOf(cutReservedParameters(query).query)
  const sent = parametersOf(querystring)
  const isOwn = own.every((pair, at) => pair === sent[at])
  const added = isOwn ? sent.slice(own.length) : sent
  const pairs = [query, ...added].filter((pair) => pair !== '')
  return pairs.length > 0 ? `${address}?${pairs.join('&')}` : address
}

function parametersOf(query = ''): string[] {
  return query.split('&').filter((pair) => pair !== '')
}

/** Twilio signs some calls with the standard port in the URL, and some without. */
function portForms(url: string): string[] {
  const [, start = '', port, rest = ''] = /^(https?:\/\/[^/?#:]+)(:\d+)?(.*)$/s.exec(url) ?? []
  if (start === '') return [url]
  const standard = start.startsWith('https:') ? ':443' : ':80'
  return port === undefined || port === standard
    ? [start + rest, start + standard + rest]
    : [url, start + rest]
}

const LIST = 'x-contentful-signed-headers'
const TIME = 'x-contentful-timestamp'

/** Method, path, a list of headers and the body, a line each. */
export const contentful: Scheme = {
  name: 'contentful',
  page: 'https://www.contentful.com/developers/docs/webhooks/request-verification/',
  needs: ['secret', 'url'],
  takes: ['tolerance'],
  mistake: ({ url }) => (url && URL.canParse(url.reveal()) ? undefined : '"url" is not an address'),
  credentials: () => ({ headers: ['x-contentful-signature'] }),
  async check(request, settings, ports) {
    const { headers, method, bytes } = request
    const absent = ['x-contentful-signature', LIST, TIME].find((name) => !headers[name])
    if (absent) return missing(absent)
    const names = (headers[LIST] ?? '').split(',').map((name) => name.trim().toLowerCase())
    if (![LIST, TIME].every((name) => names.includes(name))) return `${TIME} is not signed`
    const gone = names.find((name) => headers[name] === undefined)
    if (gone !== undefined) return 'a signed header is missing, or does not travel'
    const lines = [...names].sort().map((name) => [name, (headers[name] ?? '').trim()] as const)
    const isShifted = lines.some(([, value]) => names.some((name) => value.includes(`;${name}:`)))
    if (isShifted) return 'a signed header holds what separates it from the next one'
    if (!isTime(headers[TIME] ?? '')) return NO_TIME
    const list = lines.map(([name, value]) => `${name}:${value}`).join(';')
    const texts = pathForms(settings.url?.reveal() ?? '').map((path) =>
      concat([`${method.toUpperCase()}\n${path}\n${list}\n`, bytes]),
    )
    const presented = ENCODINGS.hex(headers['x-contentful-signature'] ?? '')
    const { tolerance = DEFAULT_TOLERANCE } = settings
    return (
      (await hmacRefusal('sha256', texts, presented, settings)) ??
      timeRefusal(headers[TIME] ?? '', tolerance, request, ports)
    )
  },
}

/** Path and query as they stand in the URL, and as Contentful's own package writes them. */
function pathForms(url: string): string[] {
  const [path = '', query] = url
    .replace(/^https?:\/\/[^/?#]*/i, '')
    .replace(/#.*/s, '')
    .split(/\?(.*)/s, 2)
  if (query === undefined) return [path, encodeURI(path)]
  return [`${path}?${query}`, encodeURI(`${path}?${encodeURIComponent(query)}`)]
}

/** A signature over a time and a token, in the body; of the rest of the body it says nothing. */
export const mailgun: Scheme = {
  name: 'mailgun',
  page: 'https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks',
  needs: ['secret'],
  takes: ['tolerance'],
  credentials: () => ({ fields: ['signature'] }),
  async check(request, settings, ports) {
    const { body } = request
    const inner = isObject(body) ? body.signature : undefined
    // An event brings an object, a route the same three fields of its form.
    const fields = isObject(inner) ? inner : isObject(body) ? body : {}
    const [timestamp = '', token = '', signature = ''] = ['timestamp', 'token', 'signature'].map(
      (name) => (Object.hasOwn(fields, name) ? scalarText(fields[name]) : ''),
    )
    if (timestamp === '' || token === '' || signature === '') {
      return 'the body holds no timestamp, token and signature'
    }
    if (!isTime(timestamp)) return NO_TIME
    const texts = [concat([timestamp, token])]
    return (
      (await hmacRefusal('sha256', texts, ENCODINGS.hex(signature), settings)) ??
      timeRefusal(timestamp, settings.tolerance ?? DEFAULT_TOLERANCE, request, ports)
    )
  },
}

/** One of the texts must be what was signed, under one of the secrets. */
async function hmacRefusal(
  hash: Hash,
  texts: readonly Uint8Array<ArrayBuffer>[],
  signature: Uint8Array<ArrayBuffer> | undefined,
  { secrets }: Settings,
): Promise<Refusal> {
  if (!signature) return MISMATCH
  const holds = await anyHolds(texts, (text) =>
    anyHolds(secrets, (secret) => signatureHolds(hash, keyBytes(secret), text, signature)),
  )
  return holds ? undefined : MISMATCH
}
