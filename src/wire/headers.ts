import { utf8Text } from './bytes.ts'
import { LIMITS } from './limits.ts'
import { RESERVED_HEADER_PREFIX } from './payload.ts'

/**
 * Headers as they came: names and values by turns, as Node's `rawHeaders`. A character of a value is
 * one received byte.
 */
export type RawHeaders = readonly string[]

/** The request headers that may carry the platform token, the first one wins. */
export const TOKEN_HEADERS = ['x-platform-authorization', 'x-github-authorization'] as const

/** RFC 9110, section 7.6.1: they belong to one connection. */
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

const NOT_FORWARDED_PREFIXES = ['x-forwarded-', 'cf-', RESERVED_HEADER_PREFIX]

/**
 * The headers that travel: lower-case names, values as text, repeats joined with `, `. At most
 * `LIMITS.forwardedHeaders` names, those that came first.
 */
export function forwardedHeaders(headers: RawHeaders): ReadonlyMap<string, string> {
  const forwarded = new Map<string, string>()
  const named = namedByConnection(headers)
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = (headers[at] ?? '').toLowerCase()
    if (NOT_FORWARDED.has(name) || named.includes(name)) continue
    if (NOT_FORWARDED_PREFIXES.some((prefix) => name.startsWith(prefix))) continue
    const value = valueText(headers[at + 1] ?? '')
    const earlier = forwarded.get(name)
    if (earlier !== undefined) forwarded.set(name, `${earlier}, ${value}`)
    else if (forwarded.size < LIMITS.forwardedHeaders) forwarded.set(name, value)
  }
  return forwarded
}

/** The first value of a header, named in lower case; `undefined` when it is absent. */
export function headerValue(headers: RawHeaders, wanted: string): string | undefined {
  for (let at = 0; at + 1 < headers.length; at += 2) {
    if (isNamed(headers[at] ?? '', wanted)) return valueText(headers[at + 1] ?? '')
  }
  return undefined
}

/** Comparing lengths first spares most names the conversion. */
function isNamed(name: string, wanted: string): boolean {
  return name.length === wanted.length && name.toLowerCase() === wanted
}

/** A sender may declare more headers as hop-by-hop, by naming them in `Connection`. */
function namedByConnection(headers: RawHeaders): readonly string[] {
  const named: string[] = []
  for (let at = 0; at + 1 < headers.length; at += 2) {
    if (!isNamed(headers[at] ?? '', 'connection')) continue
    for (const name of (headers[at + 1] ?? '').split(',')) named.push(name.trim().toLowerCase())
  }
  return named
}

const BEYOND_ASCII = /[\x80-\xff]/

/** UTF-8, else latin1: the sender does not say which. */
function valueText(value: string): string {
  if (!BEYOND_ASCII.test(value)) return value
  const bytes = Uint8Array.from(value, (char) => char.charCodeAt(0))
  return utf8Text(bytes) ?? value
}

/** On every answer of the inspector of `hookline dev`, which else looks like a relay from outside. */
export const DEV_HEADER = 'x-hookline-dev'
