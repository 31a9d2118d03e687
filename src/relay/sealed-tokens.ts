import { Secret } from '../wire/secret.ts'
import type { Page } from './answers.ts'
import { type Credentials, isHeaderSafe } from './credentials.ts'
import { invalidToken } from './errors.ts'
import type { Webhook } from './route.ts'
import { looksSealed, openSealed, type Sealed, type SealKey } from './seal.ts'

/**
 * Opens sealed tokens, each only for the repository, path and time it is sealed for; what is not
 * sealed goes the way of `others`.
 *
 * @param keys the first one seals, all of them open
 */
export function sealedTokens(
  keys: readonly SealKey[],
  others: Credentials,
  now: () => Date,
): Credentials {
  return {
    required: true,
    platformToken: async (presented, webhook) => {
      if (!looksSealed(presented.reveal())) return others.platformToken(presented, webhook)
      // Why it does not open is nothing that a stranger should learn.
      const sealed = await openSealed(presented.reveal(), keys).catch(() => undefined)
      if (!sealed || !covers(sealed, webhook, now())) throw invalidToken()
      return new Secret(sealed.token)
    },
  }
}

/** The public parts, for those who seal: a JWK set, the current key first. */
export function sealKeysPage(keys: readonly SealKey[]): Page {
  const set = { keys: keys.map(({ publicJwk }) => publicJwk) }
  return { contentType: 'application/json', body: JSON.stringify(set) }
}

function covers(sealed: Sealed, { repository, path }: Webhook, now: Date): boolean {
  // Anyone can seal anything with a public key.
  if (!isHeaderSafe(sealed.token)) return false
  const named = `${repository.owner}/${repository.name}`
  // GitHub's names do not tell upper from lower case.
  if (sealed.repository.toLowerCase() !== named.toLowerCase()) return false
  if (sealed.expires !== undefined && now.getTime() >= sealed.expires * 1000) return false
  return sealed.path === undefined || isWithin(path, sealed.path)
}

/** Whole segments only: `hook/webhook` covers `hook/webhook/x`, but not `hook/webhook2`. */
function isWithin(path: string, prefix: string): boolean {
  const [route = ''] = path.split('?')
  return `${route}/`.startsWith(prefix.endsWith('/') ? prefix : `${prefix}/`)
}
