import { utf8Text } from '../../wire/bytes.ts'
import { isObject, scalarText } from '../../wire/json.ts'
import { mediaType } from '../../wire/media-type.ts'
import { cutReservedParameters, splitOnce } from '../../wire/path.ts'
import type { WebhookRequest } from '../../wire/webhook-request.ts'
import type { Facts, Payloads, SenderPage, Signing } from '../sender.ts'
import { concat, ENCODINGS, sha256Hex } from '../verify/algorithms.ts'
import { hmacRefusal } from '../verify/hmac.ts'
import { MISMATCH, missingHeader, type Scheme } from '../verify/scheme.ts'
import { withRequestHeaders } from '../verify/signing.ts'

export const facts: Facts = {
  title: 'Twilio',
  secret: 'TWILIO_AUTH_TOKEN',
  shown: 'the *Auth Token* of the account',
  retries: 'Twilio does not retry, unless the URL asks for it (`#rc=2`).',
  repeat: 'headers.i-twilio-idempotency-token',
  events: ['body.SmsStatus', 'received', 'delivered', 'failed'],
}

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
    const hash = request.query.bodySHA256
    if (hash !== undefined && hash !== (await sha256Hex(request.bytes))) return MISMATCH
    const parameters = hash === undefined ? parametersIn(request) : ''
    if (parameters === undefined) {
      return isForm(request.headers)
        ? 'the form is not plain UTF-8, so what is signed could be read in another way'
        : 'the body is neither a form, nor signed by bodySHA256 in the URL'
    }
    const url = signedUrl(settings.url?.reveal() ?? '', request)
    const texts = portForms(url).map((form) => concat([form, parameters]))
    return hmacRefusal('sha1', texts, ENCODINGS.base64(presented), settings)
  },
}

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
 * The URL that the sender called: the URL of the options, plus what the sender added to its query.
 * The forwarded query no longer contains the relay's own parameters.
 */
function signedUrl(url: string, { querystring }: WebhookRequest): string {
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

/** Twilio signs some requests with the standard port in the URL, and some without. */
function portForms(url: string): string[] {
  const [, start = '', port, rest = ''] = /^(https?:\/\/[^/?#:]+)(:\d+)?(.*)$/s.exec(url) ?? []
  if (start === '') return [url]
  const standard = start.startsWith('https:') ? ':443' : ':80'
  return port === undefined || port === standard
    ? [start + rest, start + standard + rest]
    : [url, start + rest]
}

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

export const page: SenderPage = {
  verifiedBy: '`x-twilio-signature`, over the URL and the parameters of the form',
  click:
    '*Phone Numbers > your number > Messaging > A message comes in*. Enter the URL, and choose HTTP POST.',
  signature:
    'Twilio signs the URL, and the names and values of a form, with HMAC-SHA1. If the body is not a form, Twilio adds a hash of the body to the URL and signs the URL. Twilio sends the signature in the header `x-twilio-signature`, and `scheme: twilio` verifies it.',
}
