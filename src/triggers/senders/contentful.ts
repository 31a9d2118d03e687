import type { Facts, Payloads, Signing } from '../sender.ts'
import { concat, ENCODINGS } from '../verify/algorithms.ts'
import {
  DEFAULT_TOLERANCE,
  hmacRefusal,
  isTime,
  missingHeader,
  NO_TIME,
  type Scheme,
  timeRefusal,
} from '../verify/scheme.ts'
import { withRequestHeaders } from '../verify/signing.ts'

export const facts: Facts = {
  title: 'Contentful',
  secret: 'CONTENTFUL_SIGNING_SECRET',
  shown: 'the signing secret of the space, under *Webhooks > Settings*',
  events: ['headers.x-contentful-topic', 'ContentManagement.Entry.publish'],
}

const LIST = 'x-contentful-signed-headers'
const TIME = 'x-contentful-timestamp'

/** Signs method, path, a list of headers and the body, one line each. */
export const scheme: Scheme = {
  name: 'contentful',
  page: 'https://www.contentful.com/developers/docs/webhooks/request-verification/',
  needs: ['secret', 'url'],
  takes: ['tolerance'],
  mistake: ({ url }) =>
    url && URL.canParse(url.reveal())
      ? undefined
      : { option: 'url', message: '"url" is not an address' },
  credentials: () => ({ headers: ['x-contentful-signature'] }),
  async check(request, settings, ports) {
    const { headers, method, bytes } = request
    const absent = ['x-contentful-signature', LIST, TIME].find((name) => !headers[name])
    if (absent) return missingHeader(absent)
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

/** The path and query as in the URL, and as Contentful's own package normalizes them. */
function pathForms(url: string): string[] {
  const [path = '', query] = url
    .replace(/^https?:\/\/[^/?#]*/i, '')
    .replace(/#.*/s, '')
    .split(/\?(.*)/s, 2)
  if (query === undefined) return [path, encodeURI(path)]
  return [`${path}?${query}`, encodeURI(`${path}?${encodeURIComponent(query)}`)]
}

export const signing: Signing = {
  sign: (outgoing, secret, { timestamp }, { hmac }) => {
    const { request, url } = outgoing
    const headers = { [LIST]: `${LIST},${TIME}`, [TIME]: String(timestamp * 1000) }
    const list = Object.entries(headers).map(([name, value]) => `${name}:${value}`)
    const head = `${request.method}\n${url.pathname}${url.search}\n${list.join(';')}\n`
    const signature = hmac('sha256', secret, concat([head, request.body]), 'hex')
    return withRequestHeaders(outgoing, { ...headers, 'x-contentful-signature': signature })
  },
}

export const payloads: Payloads = {
  publish: () => ({
    headers: {
      'content-type': 'application/vnd.contentful.management.v1+json',
      'x-contentful-topic': 'ContentManagement.Entry.publish',
    },
    body: { sys: { type: 'Entry', id: '5KsDBWseXY6QegucYAoacS', revision: 1 }, fields: {} },
  }),
}
