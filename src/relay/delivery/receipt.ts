import { fromBase64, toBase64 } from '../../wire/bytes.ts'
import type { Secret } from '../../wire/secret.ts'

/** A signed webhook that waits to be sent to `HOOKLINE_NOTIFY_URL`. Times are milliseconds since 1970. */
export interface Receipt {
  /** The value of `webhook-id`: the same in each attempt. */
  readonly id: string
  readonly attempts: number
  readonly next: number
  /** JSON with `type`, `timestamp` and `data`. */
  readonly body: string
}

const PREFIX = 'hookline_receipt_'

/** A receipt about something that happened now. */
export function newReceipt(type: string, data: object, now: number): Receipt {
  const timestamp = new Date(now).toISOString()
  const id = PREFIX + crypto.randomUUID()
  return { id, attempts: 0, next: now, body: JSON.stringify({ type, timestamp, data }) }
}

/** True for the `webhook-id` of a receipt: the event that such a request starts gets no receipt. */
export function isReceiptId(id: string | undefined): boolean {
  return id?.startsWith(PREFIX) === true
}

/**
 * The headers of one attempt:
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export async function receiptHeaders(
  { id, body }: Receipt,
  secret: Secret,
  now: number,
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1000))
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const { subtle } = crypto
  // The setting was checked when the relay started.
  const bytes = fromBase64(secret.reveal().slice('whsec_'.length))
  const key = await subtle.importKey('raw', bytes, algorithm, false, ['sign'])
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  const signature = toBase64(new Uint8Array(await subtle.sign('HMAC', key, content)))
  return {
    'content-type': 'application/json',
    'user-agent': 'hookline-relay',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
}
