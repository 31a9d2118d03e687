import { readApiUrl } from '../relay/config.ts'
import { type HttpReply, SECONDARY_LIMIT } from '../wire/http.ts'
import { isObject } from '../wire/json.ts'
import { readToken, type Secret } from '../wire/secret.ts'
import { httpCall } from './http.ts'
import { withProgress } from './terminal.ts'

/**
 * Asks GitHub's API.
 *
 * @param path from the API's base address, with a leading slash
 * @throws HttpFailure when no answer came
 */
export type AskGitHub = (path: string, options?: AskOptions) => Promise<HttpReply>

export interface AskOptions {
  /** Makes it a POST. */
  readonly json?: string
  /** The file itself instead of a description of it. */
  readonly raw?: boolean
}

const TIMEOUT = 15_000

/** With a token, and without one where there is none: of a public repository that is enough. */
export function githubAt(apiUrl: URL, token: Secret | undefined): AskGitHub {
  return (path, options = {}) => withProgress('asking GitHub', ask(apiUrl, token, path, options))
}

/** The token of `gh` where it is set, else what the relay is given too. */
export function githubOf(env: Readonly<Record<string, string | undefined>>): AskGitHub {
  const [set] = ['GH_TOKEN', 'GITHUB_TOKEN', 'HOOKLINE_TOKEN'].flatMap((name) => {
    const text = env[name]
    return text ? [readToken(name, text)] : []
  })
  return githubAt(readApiUrl(env), set)
}

async function ask(
  apiUrl: URL,
  token: Secret | undefined,
  path: string,
  { json, raw }: AskOptions,
): Promise<HttpReply> {
  const headers = {
    accept: raw ? 'application/vnd.github.raw+json' : 'application/vnd.github+json',
    'x-github-api-version': '2022-11-28',
    ...(json !== undefined && { 'content-type': 'application/json' }),
    ...(token && { authorization: `Bearer ${token.reveal()}` }),
  }
  const url = new URL(`${apiUrl.href.replace(/\/+$/, '')}${path}`)
  const body = json === undefined ? {} : { body: new TextEncoder().encode(json) }
  const call = { method: json === undefined ? 'GET' : 'POST', ...body, headers, timeout: TIMEOUT }
  const reply = await httpCall({ ...call, url })
  const { location = '' } = reply.headers
  if (![301, 307, 308].includes(reply.status) || !URL.canParse(location, url.href)) return reply
  // To a renamed repository; never to another host, since the token goes with the call.
  const moved = new URL(location, url)
  return moved.origin === url.origin ? httpCall({ ...call, url: moved }) : reply
}

/** Why GitHub did not do what it was asked for. */
export interface GitHubRefusal {
  readonly kind: 'unauthorized' | 'sso' | 'limited' | 'missing' | 'forbidden' | 'other'
  readonly status: number
}

/** https://docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api */
export function refusalOf({ status, headers, text }: HttpReply): GitHubRefusal | undefined {
  if (status >= 200 && status < 300) return undefined
  if (status === 401) return { kind: 'unauthorized', status }
  if (status === 404) return { kind: 'missing', status }
  const spent = headers['retry-after'] !== undefined || headers['x-ratelimit-remaining'] === '0'
  const limited = spent || /rate limit/i.test(text) || SECONDARY_LIMIT.test(text)
  if (status === 429 || (status === 403 && limited)) return { kind: 'limited', status }
  if (status === 403) return { kind: headers['x-github-sso'] ? 'sso' : 'forbidden', status }
  return { kind: 'other', status }
}

/** The fields of a JSON object; none for any other text. */
export function fields(text: string): Record<string, unknown> {
  const value = jsonOf(text)
  return isObject(value) ? value : {}
}

/** The objects of a JSON array; none for any other text. */
export function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
