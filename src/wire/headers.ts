import { utf8Text } from './bytes.ts'
import { LIMITS } from './limits.ts'
import { RESERVED_HEADER_PREFIX } from './payload.ts'

/**
 * Headers as received: names and values alternate, as in Node's `rawHeaders`. Each character of a
 * value is one received byte.
 */
export type RawHeaders = readonly string[]

/** The request headers that may contain the GitHub token; the first present one is used. */
export const TOKEN_HEADERS = ['x-platform-authorization', 'x-github-authorization'] as const

/** Hop-by-hop headers belong to one connection: RFC 9110, section 7.6.1. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

const NOT_FORWARDED: ReadonlySet<string> = new Set([
  ...TOKEN_HEADERS,
  ...HOP_BY_HOP,
  'cookie',
  'proxy-authorization',
  'x-real-ip',
  'forwarded',
  'via',
  'cdn-loop',
])

const NOT_FORWARDED_PREFIX = new RegExp(`^(?:x-forwarded-|cf-|${RESERVED_HEADER_PREFIX})`)

/**
 * The headers that are forwarded: lower-case names, values of repeated headers joined with `, `.
 * Names beyond the first `LIMITS.forwardedHeaders` are dropped.
 */
export function forwardedHeaders(headers: RawHeaders): ReadonlyMap<string, string> {
  const forwarded = new Map<string, string>()
  const named = namedByConnection(headers)
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = (headers[at] ?? '').toLowerCase()
    if (NOT_FORWARDED.has(name) || named.includes(name)) continue
    if (NOT_FORWARDED_PREFIX.test(name)) continue
    const value = valueText(headers[at + 1] ?? '')
    const earlier = forwarded.get(name)
    if (earlier !== undefined) forwarded.set(name, `${earlier}, ${value}`)
    else if (forwarded.size < LIMITS.forwardedHeaders) forwarded.set(name, value)
  }
  return forwarded
}

/** The first value of a header, by its name in lower case; `undefined` if absent. */
export function headerValue(headers: RawHeaders, wanted: string): string | undefined {
  for (let at = 0; at + 1 < headers.length; at += 2) {
    if (isNamed(headers[at] ?? '', wanted)) return valueText(headers[at + 1] ?? '')
  }
  return undefined
}

/** Compares lengths first, which avoids the conversion for most names. */
function isNamed(name: string, wanted: string): boolean {
  return name.length === wanted.length && name.toLowerCase() === wanted
}

/** The headers that the client declares as hop-by-hop in `Connection`. */
function namedByConnection(headers: RawHeaders): readonly string[] {
  const named: string[] = []
  for (let at = 0; at + 1 < headers.length; at += 2) {
    if (!isNamed(headers[at] ?? '', 'connection')) continue
    for (const name of (headers[at + 1] ?? '').split(',')) named.push(name.trim().toLowerCase())
  }
  return named
}

const BEYOND_ASCII = /[\x80-\xff]/

/** Decodes as UTF-8, otherwise as latin1, because senders do not declare the charset. */
function valueText(value: string): string {
  if (!BEYOND_ASCII.test(value)) return value
  const bytes = Uint8Array.from(value, (char) => char.charCodeAt(0))
  return utf8Text(bytes) ?? value
}

/**
 * The inspector of `hookline dev` sets this header on every response, to be distinguishable from a
 * relay.
 */
export const DEV_HEADER = 'x-hookline-dev'
