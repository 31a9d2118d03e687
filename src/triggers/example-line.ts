import { curlLine, shellQuoted } from '../wire/curl.ts'
import type { Shell } from '../wire/shell.ts'
import type { ExampleRequest } from './trigger.ts'

/** What fires a trigger that asks for nothing else. */
export const ANY_REQUEST: ExampleRequest = {
  method: 'POST',
  path: '',
  contentType: 'application/json',
  body: '{"hello":"world"}',
}

/**
 * A line for a shell that fires a trigger.
 *
 * @param credential what a relay is brought, or the shell's variable for it, `$HOOKLINE_GITHUB_TOKEN`; absent
 * where none is needed
 * @param write as the shell takes it
 */
export function exampleLine(
  url: string,
  { method, path, contentType, body }: ExampleRequest,
  credential?: string,
  write: Shell['request'] = curlLine,
): string {
  const headers = {
    ...(credential !== undefined && { 'X-Platform-Authorization': `Bearer ${credential}` }),
    ...(contentType !== undefined && { 'content-type': contentType }),
  }
  const variables = credential?.startsWith('$') ? [credential] : []
  return write({ method, url: url + path, headers, body: body ?? '', variables })
}

/**
 * The same by the command line: `hookline send <url>`, for a POSIX shell. It sends JSON by POST where it
 * is given a body, and else GET.
 */
export function sendLine(url: string, { method, path, contentType, body }: ExampleRequest): string {
  const byItself = body === undefined ? 'GET' : 'POST'
  const isJson = contentType === undefined || contentType === 'application/json'
  return [
    `hookline send ${plainOrQuoted(url + path)}`,
    ...(method === byItself ? [] : [`--method ${method}`]),
    ...(isJson ? [] : [`--header ${shellQuoted(`content-type: ${contentType}`)}`]),
    ...(body === undefined ? [] : [`--data ${shellQuoted(body)}`]),
  ].join(' ')
}

function plainOrQuoted(url: string): string {
  return /^[\w./:@%-]+$/.test(url) ? url : shellQuoted(url)
}
