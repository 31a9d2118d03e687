import type { WebhookRequest } from '../../wire/request.ts'
import { concat } from './algorithms.ts'
import type { Settings } from './scheme.ts'

/**
 * What a sender signs, with its parts in braces: `{body}`, `{timestamp}`, `{url}`, `{method}` and
 * `{header.<name>}`.
 */
export type Template = string

const PLACEHOLDER = /\{([^{}]*)\}/
const HEADER = 'header.'
const NAMES = ['body', 'timestamp', 'url', 'method']

/** The bytes that were signed; a part that the request does not have is empty. */
export function signedBytes(
  template: Template,
  request: WebhookRequest,
  { timestamp, url }: { readonly timestamp: string | undefined; readonly url: string | undefined },
): Uint8Array<ArrayBuffer> {
  const values: Readonly<Record<string, string | Uint8Array | undefined>> = {
    body: request.bytes,
    timestamp,
    url,
    method: request.method.toUpperCase(),
  }
  const filled = template.split(PLACEHOLDER).map((part, at) => {
    if (at % 2 === 0) return part
    return (part.startsWith(HEADER) ? request.headers[headerName(part)] : values[part]) ?? ''
  })
  return concat(filled)
}

function headerName(placeholder: string): string {
  return placeholder.slice(HEADER.length).toLowerCase()
}

/** What makes a template useless, or dangerous, as proof. */
export function templateMistake(
  template: Template,
  { timestampHeader, url }: Pick<Settings, 'timestampHeader' | 'url'>,
): string | undefined {
  const names = template.split(PLACEHOLDER).filter((_, at) => at % 2 === 1)
  const unknown = names.find((name) => !NAMES.includes(name) && !name.startsWith(HEADER))
  if (unknown !== undefined) {
    const known = [...NAMES, `${HEADER}<name>`].map((name) => `{${name}}`).join(', ')
    return `"template" has an unknown part {${unknown}}; there are: ${known}`
  }
  if (!names.includes('body')) return '"template" leaves out {body}: any body would do'
  if (names.includes('timestamp') !== (timestampHeader !== undefined)) {
    return '"timestampHeader" and {timestamp} in "template" belong together: an unsigned time proves nothing'
  }
  const isUrlUsed = names.includes('url') === (url !== undefined)
  return isUrlUsed ? undefined : '"url" and {url} in "template" belong together'
}
