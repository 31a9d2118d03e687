import { splitOnce } from './path.ts'

/** What the relay answers to the sender. */
export interface Reply {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  /** Empty for an answer without a body. */
  readonly body: string
}

/** The query parameters that are the relay's own, and are never forwarded. */
export const PARAMETER = {
  token: '__token',
  responseCode: '__response_code',
  responseContentType: '__response_content_type',
  responseBody: '__response_body',
} as const

/** Values of the reserved parameters of a request by name: of each the first one. */
export type ReservedParameters = ReadonlyMap<string, string>

/** Most parameters are seen at a glance to be others, and need not be decoded. */
const MAYBE_RESERVED = /^(?:_|%5f)/i

const RESERVED: ReadonlySet<string> = new Set(Object.values(PARAMETER))

/**
 * Takes the reserved parameters out of a raw query. Names are compared after percent-decoding, every
 * repeat is cut, and the bytes of all others stay as they came.
 *
 * @param query raw text after the first `?`, or `undefined` when there is none
 * @returns what is left, `undefined` when nothing is
 */
export function cutReservedParameters(query: string | undefined): {
  query: string | undefined
  reserved: ReservedParameters
} {
  if (query === undefined) return { query, reserved: new Map() }
  const reserved = new Map<string, string>()
  const kept = query.split('&').filter((text) => {
    if (!MAYBE_RESERVED.test(text)) return true
    const [name, value] = parameter(text)
    if (!RESERVED.has(name)) return true
    if (!reserved.has(name)) reserved.set(name, value)
    return false
  })
  return { query: kept.length > 0 ? kept.join('&') : undefined, reserved }
}

/** Name and value of one `name=value`, decoded as URLSearchParams does. */
function parameter(text: string): readonly [name: string, value: string] {
  if (!/[%+]/.test(text)) return splitOnce(text, '=')
  // The `&` keeps URLSearchParams from dropping a `?` that begins the name.
  const [first] = new URLSearchParams(`&${text}`)
  return first ?? ['', '']
}
