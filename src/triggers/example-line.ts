import { curlLine } from '../wire/curl.ts'
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
 * @param credential what a relay is brought, or the shell's variable for it, `$HOOKLINE_TOKEN`; absent
 * where none is needed
 */
export function exampleLine(
  url: string,
  { method, path, contentType, body }: ExampleRequest,
  credential?: string,
): string {
  const headers = {
    ...(credential !== undefined && { 'X-Platform-Authorization': `Bearer ${credential}` }),
    ...(contentType !== undefined && { 'content-type': contentType }),
  }
  const variables = credential?.startsWith('$') ? [credential] : []
  return curlLine({ method, url: url + path, headers, body: body ?? '', variables })
}
