import { curlLine, shellQuoted } from '../wire/curl.ts'
import type { Shell } from '../wire/shell.ts'
import type { ExampleRequest } from './trigger.ts'

/** A request that fires a trigger without conditions. */
export const ANY_REQUEST: ExampleRequest = {
  method: 'POST',
  path: '',
  contentType: 'application/json',
  body: '{"hello":"world"}',
}

/**
 * A shell command that fires a trigger.
 *
 * @param credential for a token URL, or a shell variable that contains it: `$HOOKLINE_GITHUB_TOKEN`
 * @param write formats the request for the user's shell
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
 * The same as a command of Hookline for a POSIX shell: `hookline send <url>`. `send` uses POST with JSON if
 * there is a body, otherwise GET.
 */
export function sendLine(url: string, { method, path, contentType, body }: ExampleRequest): string {
  const byItself = body === undefined ? 'GET' : 'POST'
  const isJson = contentType === undefined || contentType === 'application/json'
  const target = url + path
  return [
    `hookline send ${/^[\w./:@%-]+$/.test(target) ? target : shellQuoted(target)}`,
    ...(method === byItself ? [] : [`--method ${method}`]),
    ...(isJson ? [] : [`--header ${shellQuoted(`content-type: ${contentType}`)}`]),
    ...(body === undefined ? [] : [`--data ${shellQuoted(body)}`]),
  ].join(' ')
}
