import * as v from 'valibot'
import type { RelayRequest } from '../relay/relay.ts'
import { byteString, fromBase64 } from '../wire/bytes.ts'
import type { Order, ShownRequest } from './api.ts'
import { detailOf, type Kept, type Withheld } from './recorder.ts'
import { HIDDEN } from './records.ts'

/** What the page asks to be sent: a request that came, changed or not, or one of its own. */
const orderSchema = v.object({
  of: v.nullable(v.string()),
  sign: v.boolean(),
  method: v.pipe(v.string(), v.regex(/^[A-Z]{1,20}$/)),
  path: v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,8192}$/)),
  headers: v.record(
    v.pipe(v.string(), v.regex(/^[\w!#$%&'*+.^`|~-]{1,200}$/)),
    v.pipe(v.string(), v.maxLength(8192), v.regex(/^[^\r\n\0]*$/)),
  ),
  body: v.string(),
  encoding: v.picklist(['text', 'base64']),
})

/** `undefined` for what the page would not send. */
export function readOrder(text: string): Order | undefined {
  try {
    const order = v.safeParse(orderSchema, JSON.parse(text))
    return order.success ? order.output : undefined
  } catch {
    return undefined
  }
}

/** The request as the relay would receive it from its sender. */
export function replayRequest(order: ShownRequest, withheld: Withheld): RelayRequest {
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
  for (const one of kept.toReversed()) {
    const { request } = detailOf(one)
    if (request) return replayRequest(request, one.withheld)
  }
  return undefined
}

/** The bytes of a body as it is shown; none for what is no base64. */
export function bodyOf({ body, encoding }: Pick<ShownRequest, 'body' | 'encoding'>): Uint8Array {
  if (encoding === 'text') return new TextEncoder().encode(body)
  try {
    return fromBase64(body)
  } catch {
    return new Uint8Array()
  }
}
