import type { PlatformEvent } from '../../engine/event.ts'
import { bodyBytes } from '../../wire/bytes.ts'
import { PayloadError } from '../../wire/errors.ts'
import { isObject } from '../../wire/json.ts'
import { parseWebhookPath } from '../../wire/path.ts'
import { type ClientPayload, EVENT_TYPE, HEADER, readClientPayload } from '../../wire/payload.ts'
import { code, escapeHtml, table } from './html.ts'
import { SUMMARY } from './limits.ts'
import { type Readers, secretsIn } from './withheld.ts'

/** What of a webhook is told without looking into its body. */
export interface Arrival {
  /** Upper case. */
  readonly method: string
  /** As it was forwarded, with its query. */
  readonly path: string
  readonly contentType: string | undefined
  /** Bytes of the body as they were received; `undefined` when they do not decode. */
  readonly size: number | undefined
  readonly delivery: string | undefined
  readonly receivedAt: string | undefined
}

/** The webhook that an event carries; `undefined` when it carries none. */
export async function arrivalOf({ name, payload }: PlatformEvent): Promise<Arrival | undefined> {
  if (name !== 'repository_dispatch' || !isObject(payload)) return undefined
  if (payload.action !== EVENT_TYPE) return undefined
  try {
    const client = readClientPayload(payload.client_payload)
    const { method, path, headers } = client
    const { [HEADER.delivery]: delivery, [HEADER.receivedAt]: receivedAt } = headers
    const contentType = headers['content-type']
    return { method, path, contentType, size: await size(client), delivery, receivedAt }
  } catch (error) {
    if (error instanceof PayloadError) return undefined
    throw error
  }
}

async function size({ body, headers }: ClientPayload): Promise<number | undefined> {
  const text = typeof body === 'string' ? body : body === null ? '' : JSON.stringify(body)
  const encoding = typeof body === 'string' ? headers[HEADER.bodyEncoding] : undefined
  try {
    return (await bodyBytes(text, encoding)).length
  } catch {
    return undefined
  }
}

export function arrivalTable(arrival: Arrival | undefined, readers: Readers): string[] {
  if (!arrival) return []
  const { method, path, contentType, size, delivery, receivedAt } = arrival
  const shown = (text: string) => {
    const [secret] = secretsIn(text, readers)
    return secret === undefined ? code(text, SUMMARY.found) : withheld(secret)
  }
  const type = size === 0 || contentType === undefined ? '' : `${shown(contentType)}, `
  const rows = [
    ['Request', `${shown(method)} ${shown(shownPath(path, readers))}`],
    ['Body', size === undefined ? 'not readable' : `${type}${sizeText(size)}`],
    ...(delivery === undefined ? [] : [['Delivery', shown(delivery)]]),
    ...(receivedAt === undefined ? [] : [['Received', shown(receivedAt)]]),
  ]
  return table(['What arrived', ''], rows)
}

export function withheld(secret: string): string {
  return `not shown: holds the secret ${escapeHtml(secret.slice(0, SUMMARY.name))}`
}

/**
 * A path without the values of its query: some senders have no other place for a key. Where anybody
 * can read the summary, what follows the trigger is left out too: it is the sender's text.
 */
function shownPath(path: string, { isPublic }: Readers): string {
  const [route = '', query] = path.replace(/^\//, '').split(/\?(.*)/s)
  if (isPublic) return publicPath(path)
  if (query === undefined || query === '') return route
  const names = query.split('&').map((pair) => pair.split('=', 1)[0])
  return `${route}?${names.map((name) => `${name}=…`).join('&')}`
}

function publicPath(path: string): string {
  const { workflow, trigger, path: rest, querystring } = parseWebhookPath(path)
  const named = [workflow, trigger].every((name) => /^[\w.-]{1,100}$/.test(name))
  if (!named) return '(not a webhook path)'
  return `${workflow}/${trigger}${rest === '/' ? '' : '/…'}${querystring === '' ? '' : '?…'}`
}

function sizeText(bytes: number): string {
  if (bytes === 0) return 'none'
  return bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1)} KB`
}
