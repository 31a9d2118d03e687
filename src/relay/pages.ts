import { headerValue, type RawHeaders } from '../wire/headers.ts'
import type { RelayResponse } from '../wire/http.ts'
import type { DispatchMode } from '../wire/payload.ts'
import { VERSION } from '../wire/version.ts'
import { METHODS } from './webhook/responses.ts'

interface StaticPage {
  readonly contentType: string
  readonly body: string
}

export type Pages = ReadonlyMap<string, StaticPage>

const TEXT = 'text/plain; charset=utf-8'

const HELP = `This is a Hookline relay. It forwards each request to

  /<owner>/<repo>/<workflow>/<trigger>

as an event to GitHub, which starts the workflow.
Send the token in the header X-Platform-Authorization.
`

export const RELAY_PAGES: Pages = new Map([
  ['/', { contentType: TEXT, body: HELP }],
  ['/healthz', { contentType: TEXT, body: 'ok' }],
])

/** The page at this path; `undefined` if there is none. */
export function servePage(pages: Pages, method: string, path: string): RelayResponse | undefined {
  if (method !== 'GET' && method !== 'HEAD') return undefined
  const page = pages.get(path)
  if (!page) return undefined
  return { status: 200, headers: { 'content-type': page.contentType }, body: page.body }
}

const HEADER_LIST = /^[\w!#$%&'*+.^`|~-]+(?:[ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]+)*$/

const HEADER_LIST_LENGTH = 1024

/** The response to a CORS preflight of a browser; `undefined` for every other request. */
export function preflight(method: string, headers: RawHeaders): RelayResponse | undefined {
  if (method !== 'OPTIONS') return undefined
  if (headerValue(headers, 'origin') === undefined) return undefined
  if (headerValue(headers, 'access-control-request-method') === undefined) return undefined
  return {
    status: 204,
    headers: {
      'access-control-allow-methods': METHODS.join(', '),
      ...allowedHeaders(headerValue(headers, 'access-control-request-headers')),
      'access-control-max-age': '86400',
      vary: 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers',
    },
    body: '',
  }
}

function allowedHeaders(requested: string | undefined): Record<string, string> {
  if (!requested || requested.length > HEADER_LIST_LENGTH) return {}
  return HEADER_LIST.test(requested) ? { 'access-control-allow-headers': requested } : {}
}

export const DISCOVERY_PATH = '/.well-known/hookline'

/** The public description of a relay. A response to a webhook reveals the same. */
interface Discovery {
  /** How a token URL starts a workflow. */
  readonly dispatch: DispatchMode
  /** The relay's own GitHub credential. */
  readonly credential: 'none' | 'token' | 'app'
  /** True for a relay without a database, which has no endpoints. */
  readonly stateless: boolean
  /** True if the relay serves one repository, at `/webhook/<workflow>/<trigger>`. */
  readonly singleRepository: boolean
}

export function discoveryPage(facts: Discovery): StaticPage {
  const body = JSON.stringify({ version: VERSION, ...facts })
  return { contentType: 'application/json', body }
}
