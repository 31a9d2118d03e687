import type { Secret } from '../wire/secret.ts'
import type { Credentials } from './credentials.ts'
import { invalidToken } from './errors.ts'

/**
 * The relay holds the platform token, and a request brings one of the relay's own keys in its place.
 *
 * @param keys the keys that are accepted; more than one while they are being changed
 * @param token `undefined` where no platform is asked
 */
export async function heldToken(
  keys: readonly Secret[],
  token: Secret | undefined,
): Promise<Credentials> {
  const isKey = await comparison(keys)
  return {
    required: true,
    platformToken: async (presented) => {
      if (!(await isKey(presented))) throw invalidToken()
      return token
    },
  }
}

/**
 * `subtle.verify` compares in constant time, which a comparison of strings does not: see
 * https://developers.cloudflare.com/workers/examples/protect-against-timing-attacks/
 */
async function comparison(keys: readonly Secret[]): Promise<(other: Secret) => Promise<boolean>> {
  const { subtle } = crypto
  // A random key of one process: only equality within it is asked for.
  const random = crypto.getRandomValues(new Uint8Array(32))
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const hmac = await subtle.importKey('raw', random, algorithm, false, ['sign', 'verify'])
  const known = await Promise.all(keys.map((key) => subtle.sign('HMAC', hmac, bytesOf(key))))
  return async (other) => {
    const verdicts = known.map((mac) => subtle.verify('HMAC', hmac, mac, bytesOf(other)))
    return (await Promise.all(verdicts)).includes(true)
  }
}

function bytesOf(secret: Secret): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(secret.reveal())
}
