import { utf8Text } from '../../wire/bytes.ts'
import { isObject, scalarText } from '../../wire/json.ts'
import { mediaType } from '../../wire/media-type.ts'
import { cutReservedParameters, splitOnce } from '../../wire/path.ts'
import type { WebhookRequest } from '../../wire/webhook-request.ts'
import type { Facts, Payloads, Signing } from '../sender.ts'
import { concat, ENCODINGS, sha256Hex } from '../verify/algorithms.ts'
import { hmacRefusal, MISMATCH, missingHeader, type Scheme } from '../verify/scheme.ts'
import { withRequestHeaders } from '../verify/signing.ts'

export const facts: Facts = {
  title: 'Twilio',
  secret: 'TWILIO_AUTH_TOKEN',
  shown: 'the *Auth Token* of the account',
  repeat: 'headers.i-twilio-idempotency-token',
  events: ['body.SmsStatus', 'received', 'delivered', 'failed'],
  click:
    '*Phone Numbers > your number > Messaging > A message comes in*. Enter the URL, and choose HTTP POST.',
}

/** The header that names the algorithm, for requests that Twilio signs with a shared key. */
const SIGNATURE_SETTINGS = 'x-twilio-webhooks-signature-settings'

/**
 * Signs the URL and, for a form, the parameters in alphabetical order, names and values without
 * separators. For any other body, the URL contains the hash of the body.
 */
export const scheme: Scheme = {
  name: 'twilio',
  page: 'https://www.twilio.com/docs/usage/webhooks/webhooks-security',
  needs: ['secret', 'url'],
  credentials: () => ({ headers: ['x-twilio-signature'] }),
  async check(request, settings) {
    const presented = request.headers['x-twilio-signature']
    if (!presented) return missingHeader('x-twilio-signature')
    const algorithm = algorithmOf(request.headers[SIGNATURE_SETTINGS])
    if (!algorithm) return `the header ${SIGNATURE_SETTINGS} names an unknown algorithm`
    const hash = request.query.bodySHA256
    if (hash !== undefined && hash !== (await sha256Hex(request.bytes))) return MISMATCH
    const parameters = hash === undefined ? parametersIn(request) : ''
    if (parameters === undefined) {
      return isForm(request.headers)
        ? 'the body is not a form in plain UTF-8, so what is signed could be read in another way'
        : 'the body is neither a form, nor signed by bodySHA256 in the URL'
    }
    const urls = signedUrls(settings.url?.reveal() ?? '', request).flatMap(spellings)
    const texts = [...new Set(urls)].map((url) => concat([url, parameters]))
    return hmacRefusal(algorithm, texts, ENCODINGS.base64(presented), settings)
  },
}

/**
 * The algorithm in `key=<id>,algorithm=<name>`. The signature of an auth token has no such header.
 *
 * @returns `undefined` if it is unknown
 */
function algorithmOf(text = ''): 'sha1' | 'sha256' | undefined {
  const named = text
    .split(',')
    .map((part) => splitOnce(part, '=').map((side) => side.trim()))
    .find(([name, value]) => name === 'algorithm' && value !== '')
  const [, algorithm = 'HMAC_SHA1'] = named ?? []
  return ALGORITHMS.get(algorithm.toUpperCase())
}

const ALGORITHMS: ReadonlyMap<string, 'sha1' | 'sha256'> = new Map([
  ['HMAC_SHA1', 'sha1'],
  ['HMAC_SHA256', 'sha256'],
])

/**
 * The signed parameters, which are those that the workflow reads. `undefined` if the bytes are
 * ambiguous, because of a charset or a byte order mark, or because they are read as JSON, of which an
 * object is not signed.
 */
function parametersIn({ body, bytes, headers, faults }: WebhookRequest): string | undefined {
  if (bytes.length === 0) return ''
  if (faults.length > 0) return undefined
  const text = utf8Text(bytes)
  if (!isForm(headers) || !isObject(body) || text === undefined || text.startsWith('\uFEFF')) {
    return undefined
  }
  return sortedForm(
    Object.entries(body).flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, scalarText(one)]),
    ),
  )
}

function isForm(headers: Readonly<Record<string, string>>): boolean {
  return mediaType(headers['content-type'] ?? '') === 'application/x-www-form-urlencoded'
}

/** The parameters of a form as Twilio signs them. */
function sortedForm(parameters: readonly (readonly [name: string, value: string])[]): string {
  const names = [...new Set(parameters.map(([name]) => name))].sort()
  return names
    .flatMap((name) => {
      const values = parameters.filter(([other]) => other === name).map(([, value]) => value)
      return [...new Set(values)].sort().map((value) => name + value)
    })
    .join('')
}

/**
 * The URLs that the sender may have called: the URL of the options, plus what the sender added to its
 * query. The forwarded query no longer contains the relay's own parameters. A sender may spell the query
 * of the options in another way, so the second URL has its spelling.
 */
function signedUrls(url: string, { querystring }: WebhookRequest): string[] {
  const [address, query] = splitOnce(url.replace(/#.*/s, ''), '?')
  const given = parametersOf(query)
  const sent = parametersOf(querystring)
  const isReserved = (pair: string) => cutReservedParameters(pair).query === undefined
  const own = given.filter((pair) => !isReserved(pair))
  const isOwn = own.every((pair, at) => reencoded(pair) === reencoded(sent[at] ?? ''))
  const added = isOwn ? sent.slice(own.length) : sent
  const unread = isOwn ? sent.slice(0, own.length) : own
  const asSent = given.map((pair) => (isReserved(pair) ? pair : (unread.shift() ?? '')))
  return [given, asSent].map((pairs) => {
    const all = [...pairs, ...added]
    return all.length > 0 ? `${address}?${all.join('&')}` : address
  })
}

function parametersOf(query = ''): string[] {
  return query.split('&').filter((pair) => pair !== '')
}

/**
 * The spellings of a URL that Twilio's library accepts: as it is, as a URL parser writes it, and with a
 * query that is decoded and encoded again; each with and without the port.
 *
 * @see https://github.com/twilio/twilio-node/blob/6.3.1/src/webhooks/webhooks.ts
 */
function spellings(url: string): string[] {
  const normalized = URL.canParse(url) ? new URL(url).href : url
  const [address, query] = splitOnce(normalized, '?')
  const recoded = query === '' ? normalized : `${address}?${reencoded(query)}`
  return [url, normalized, recoded].flatMap(portForms)
}

/** A query as `querystring` of Node writes it after parsing, which other runtimes lack. */
function reencoded(query: string): string {
  // An object, because equal names are written together, and whole numbers come first.
  const fields: Record<string, string[]> = Object.create(null)
  // The `&` keeps URLSearchParams from dropping a `?` at the beginning of the first name.
  for (const [name, value] of new URLSearchParams(`&${query}`)) {
    fields[name] = [...(fields[name] ?? []), value]
  }
  return Object.entries(fields)
    .flatMap(([name, values]) =>
      values.map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`),
    )
    .join('&')
}

/** Twilio signs some requests with the standard port in the URL, and some without. */
function portForms(url: string): string[] {
  const [, start = '', port = '', rest = ''] = URL_WITH_PORT.exec(url) ?? []
  if (start === '') return [url]
  const standard = /^https:/i.test(start) ? ':443' : ':80'
  return [start + rest, `${start}${port || standard}${rest}`]
}

/** Up to the host, the port, and the rest. A host may be an IPv6 address in brackets. */
const URL_WITH_PORT = /^(https?:\/\/(?:[^/?#]*@)?(?:\[[^\]/?#]*\]|[^/?#:]*))(:\d*)?(.*)$/is

export const signing: Signing = {
  sign: (outgoing, secret, _, { hmac, sha256 }) => {
    const { request, url } = outgoing
    if (isForm(request.headers)) {
      const form = new URLSearchParams(new TextDecoder().decode(request.body))
      const signed = url.href + sortedForm([...form])
      const signature = hmac('sha1', secret, signed, 'base64')
      return withRequestHeaders(outgoing, { 'x-twilio-signature': signature })
    }
    const hash = sha256(request.body)
    const called = new URL(`${url.href}${url.search ? '&' : '?'}bodySHA256=${hash}`)
    const signature = hmac('sha1', secret, called.href, 'base64')
    return withRequestHeaders({ request, url: called }, { 'x-twilio-signature': signature })
  },
}

export const payloads: Payloads = {
  message: ({ id }) => ({
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'i-twilio-idempotency-token': id,
    },
    body: new URLSearchParams({
      MessageSid: `SM${id.replaceAll('-', '')}`,
      From: '+14158675310',
      To: '+18005551212',
      Body: 'Hello & welcome',
      SmsStatus: 'received',
    }).toString(),
  }),
}
