import { toHex } from '../../wire/bytes.ts'
import type { Credential } from '../credentials.ts'
import type { Dispatch } from '../dispatch.ts'
import type { Repository } from '../route.ts'

const OWN = 'own'

/** True for what stands for the relay's own authority: it judges such a credential by itself. */
export function isOwn({ kind }: Credential): boolean {
  return kind === 'key' || kind === 'grant'
}

/**
 * Tells the lane of an event: all that the relay dispatches with an authority of its own share one,
 * whatever key or grant came. Hashes are remembered for as many tokens as are likely to be seen in a
 * while.
 */
export function laneNames(): (event: Dispatch) => Promise<string> | string {
  const hashes = new Map<string, string>()
  return ({ repository, credential }) => {
    if (isOwn(credential)) return laneName(repository, OWN)
    const text = credential.platformToken?.reveal() ?? ''
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
  return toHex(new Uint8Array(hash))
}
