import type { Secret } from '../../wire/secret.ts'
import type { Repository } from '../route.ts'

const OWN = 'own'

/** The lane of what the relay dispatches with an authority of its own: whatever key or grant came. */
export function ownLane(repository: Repository): string {
  return laneName(repository, OWN)
}

/**
 * Tells the lane of a repository and a token. Hashes are remembered for as many tokens as a relay is
 * likely to see in a while.
 */
export function tokenLanes(): (repository: Repository, token: Secret) => Promise<string> | string {
  const hashes = new Map<string, string>()
  return (repository, token) => {
    const text = token.reveal()
    const known = hashes.get(text)
    if (known !== undefined) return laneName(repository, known)
    return sha256(text).then((hash) => {
      if (hashes.size >= REMEMBERED) hashes.clear()
      hashes.set(text, hash)
      return laneName(repository, hash)
    })
  }
}

const REMEMBERED = 1000

export function isOwnLane(lane: string): boolean {
  return lane.endsWith(`#${OWN}`)
}

/** `owner/name`, in lower case. */
export function repositoryOf(lane: string): string {
  return lane.slice(0, lane.indexOf('#'))
}

/** GitHub's names do not tell upper from lower case. */
function laneName({ owner, name }: Repository, credential: string): string {
  return `${owner.toLowerCase()}/${name.toLowerCase()}#${credential}`
}

async function sha256(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
