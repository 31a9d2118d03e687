import { headerValue, type RawHeaders, TOKEN_HEADERS } from '../wire/headers.ts'
import { LIMITS } from '../wire/limits.ts'
import { PARAMETER, type ReservedParameters } from '../wire/reply.ts'
import { Secret } from '../wire/secret.ts'
import { invalidToken } from './errors.ts'
import type { Webhook } from './route.ts'

/** How a request earns the platform token that its dispatch is made with. */
export interface Credentials {
  /** False where nobody but this machine can call, and nothing reaches a platform. */
  readonly required: boolean
  /**
   * @param presented what the request brought
   * @returns the token for the platform; `undefined` where no platform is asked
   * @throws RelayError 401, the same for every reason
   */
  platformToken(presented: Secret, webhook: Webhook): Promise<Secret | undefined>
}

/** The request brings the platform token itself. */
export const ownToken: Credentials = {
  required: true,
  platformToken: async (presented) => presented,
}

/** For a loopback address, behind which no platform stands. */
export const noToken: Credentials = {
  required: false,
  platformToken: async () => undefined,
}

/** The header beats the query parameter. An empty one counts as absent. */
export function presentedToken(
  headers: RawHeaders,
  reserved: ReservedParameters,
): Secret | undefined {
  const token = tokenFromHeaders(headers) || reserved.get(PARAMETER.token)
  if (!token) return undefined
  // A longer one would have all that travels searched for it.
  if (!isHeaderSafe(token) || token.length > LIMITS.tokenLength) throw invalidToken()
  return new Secret(token)
}

function tokenFromHeaders(headers: RawHeaders): string | undefined {
  for (const name of TOKEN_HEADERS) {
    const token = withoutScheme(headerValue(headers, name))
    if (token) return token
  }
  return undefined
}

/** True for what can stand in an `Authorization` header without breaking out of it. */
export function isHeaderSafe(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token)
}

function withoutScheme(value: string | undefined): string | undefined {
  // A runtime may join repeats with commas; no token contains one, and the first counts.
  return value?.split(',')[0]?.replace(/^(?:token|bearer)[ \t]+/i, '')
}
