import type { HttpReply } from '../../wire/http.ts'
import { isObject } from '../../wire/json.ts'

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
  const limited = spent || /rate limit/i.test(text)
  if (status === 429 || (status === 403 && limited)) return { kind: 'limited', status }
  if (status === 403) return { kind: headers['x-github-sso'] ? 'sso' : 'forbidden', status }
  return { kind: 'other', status }
}

/** The fields of a JSON object; none for any other text. */
export function fields(text: string): Record<string, unknown> {
  const value = parsed(text)
  return isObject(value) ? value : {}
}

/** The objects of a JSON array; none for any other text. */
export function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
