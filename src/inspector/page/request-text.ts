import { curlLine } from '../../wire/curl.ts'
import type { ShownRequest } from '../api.ts'
import { CLIENT_HEADERS } from '../client-headers.ts'

/**
 * A line for a POSIX shell that sends a request again.
 *
 * @param base address of the local engine
 */
export function replayLine(request: ShownRequest, base: string): string {
  const { path, headers } = request
  const given = Object.entries(headers).filter(([name]) => !CLIENT_HEADERS.has(name))
  const url = `${base}/webhook/${path}`
  return curlLine({ ...request, url, headers: Object.fromEntries(given) })
}

/**
 * A fixture, as `hookline send` sends it: the four keys of a `client_payload`, so that a header says
 * when the body is base64. Credentials of the sender are not part of it.
 */
export function fixtureText({ method, path, headers, body, encoding }: ShownRequest): string {
  const kept = Object.entries(headers).filter(
    ([name, value]) => value !== '***' && !CLIENT_HEADERS.has(name),
  )
  const encoded = encoding === 'base64' ? { 'x-hookline-body-encoding': 'base64' } : {}
  const fixture = { method, path, headers: { ...Object.fromEntries(kept), ...encoded }, body }
  return `${JSON.stringify(fixture, null, 2)}\n`
}

/** A name for the file of a fixture. */
export function fixtureName({ method, path }: ShownRequest): string {
  const place = path.replace(/\?.*/s, '').replace(/[^\w.-]+/g, '-')
  return `${method.toLowerCase()}-${place}`.slice(0, 80).replace(/-+$/, '').concat('.json')
}

const JSON_TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/** JSON with line breaks, every number and text as it was written; anything else as it came. */
export function pretty(body: string): string {
  if (!isJson(body)) return body
  const tokens = body.match(JSON_TOKEN) ?? []
  let depth = 0
  const line = () => `\n${'  '.repeat(depth)}`
  return tokens.reduce((text, token, at) => {
    if (token === ',') return `${text},${line()}`
    if (token === ':') return `${text}: `
    if (token === '{' || token === '[') {
      if (/[}\]]/.test(tokens[at + 1] ?? '')) return text + token
      depth++
      return text + token + line()
    }
    if (token !== '}' && token !== ']') return text + token
    if (tokens[at - 1] === '{' || tokens[at - 1] === '[') return text + token
    depth--
    return text + line() + token
  }, '')
}

/** True for the text of an object or a list. */
export function isJson(body: string): boolean {
  return /^\s*[[{]/.test(body) && parsed(body) !== undefined
}

/** The parsed JSON; `undefined` if the string is not JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Headers as a person writes them: `name: value`, one a line. */
export function headerLines(headers: ShownRequest['headers']): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n')
}

/** @param text `name: value`, one a line; anything else is passed over */
export function readHeaders(text: string): Record<string, string> {
  const lines = text.split('\n').flatMap((line) => {
    const at = line.indexOf(':')
    return at > 0 ? [[line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim()]] : []
  })
  return Object.fromEntries(lines)
}

/** The part after `/webhook/` of a pasted URL; characters that no URL can contain are encoded. */
export function readPath(text: string): string {
  return text
    .trim()
    .replace(/^https?:\/\/[^/]+/, '')
    .replace(/^\/+/, '')
    .replace(/^webhook\/(?=[^/]+\/)/, '')
    .replace(/[^\x21-\x7e]/gu, encodeURIComponent)
}
