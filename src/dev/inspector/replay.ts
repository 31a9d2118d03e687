import * as v from 'valibot'
import type { RelayRequest } from '../../relay/relay.ts'
import { byteString, fromBase64 } from '../../wire/bytes.ts'
import type { Kept, Withheld } from './recorder.ts'
import { HIDDEN } from './shown-request.ts'
import type { Detail } from './wire.ts'

/** What the page asks to be sent again, changed or not. */
const orderSchema = v.object({
  /** Event whose hidden headers are put in again where the order says `***`. */
  of: v.number(),
  method: v.pipe(v.string(), v.regex(/^[A-Z]{1,20}$/)),
  path: v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,8192}$/)),
  headers: v.record(
    v.pipe(v.string(), v.regex(/^[\w!#$%&'*+.^`|~-]{1,200}$/)),
    v.pipe(v.string(), v.maxLength(8192), v.regex(/^[^\r\n\0]*$/)),
  ),
  body: v.string(),
  encoding: v.picklist(['text', 'base64']),
})

export type ReplayOrder = v.InferOutput<typeof orderSchema>

/** `undefined` for what the page would not send. */
export function readOrder(text: string): ReplayOrder | undefined {
  try {
    const order = v.safeParse(orderSchema, JSON.parse(text))
    return order.success ? order.output : undefined
  } catch {
    return undefined
  }
}

/** The request as the relay would receive it from its sender. */
export function replayRequest(order: ReplayOrder, withheld: Withheld): RelayRequest {
  const bytes = bodyOf(order)
  const headers = Object.entries(order.headers)
    .filter(([name]) => name.toLowerCase() !== 'content-length')
    .map(([name, value]) => [name, value === HIDDEN ? (withheld[name] ?? '') : value])
  const length = bytes.length > 0 ? [['content-length', String(bytes.length)]] : []
  return {
    method: order.method,
    target: `/webhook/${order.path}`,
    headers: [...headers, ...length].flatMap(([name = '', value = '']) => [
      name,
      byteString(value),
    ]),
    readBody: async () => bytes,
  }
}

/** The newest request that is kept, ready to be sent again; `undefined` when there was none. */
export function newestRequest(kept: readonly Kept[]): RelayRequest | undefined {
  for (const { json, withheld } of kept.toReversed()) {
    const { id, request }: Detail = JSON.parse(new TextDecoder().decode(json))
    if (request) return replayRequest({ of: id, ...request }, withheld)
  }
  return undefined
}

function bodyOf({ body, encoding }: ReplayOrder): Uint8Array {
  if (encoding === 'text') return new TextEncoder().encode(body)
  try {
    return fromBase64(body)
  } catch {
    return new Uint8Array()
  }
}
