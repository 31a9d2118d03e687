import { anyHolds, concat, hmacHolds, keyBytes } from './algorithms.ts'
import { ENCODINGS } from './encodings.ts'
import { MISMATCH, missing, type Scheme } from './scheme.ts'
import { DEFAULT_TOLERANCE, timeRefusal } from './timestamp.ts'

const HEADER = 'stripe-signature'

/** https://docs.stripe.com/webhooks/signature: `t=1614265330,v1=<hex>,v1=<hex>` */
export const stripe: Scheme = {
  name: 'stripe',
  needs: ['secret'],
  takes: ['tolerance'],
  credentials: () => ({ headers: [HEADER] }),
  async check(request, { secrets, tolerance = DEFAULT_TOLERANCE }, ports) {
    const presented = request.headers[HEADER]
    if (!presented) return missing(HEADER)
    const [timestamp = ''] = values(presented, 't=')
    const signed = concat([`${timestamp}.`, request.bytes])
    const signatures = values(presented, 'v1=').flatMap((text) => ENCODINGS.hex(text) ?? [])
    const holds = await anyHolds(signatures, (signature) =>
      anyHolds(secrets, (secret) => hmacHolds('sha256', keyBytes(secret), signed, signature)),
    )
    return holds ? timeRefusal(timestamp, tolerance, request, ports) : MISMATCH
  },
}

/** Every value of a kind: other kinds, such as `v0`, are of no account. */
function values(presented: string, kind: string): string[] {
  const parts = presented.split(',').map((part) => part.trim())
  return parts.filter((part) => part.startsWith(kind)).map((part) => part.slice(kind.length))
}
