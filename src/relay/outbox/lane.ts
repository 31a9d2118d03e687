import { toHex } from '../../wire/bytes.ts'
import type { Credential } from '../credentials.ts'
import type { Dispatch } from '../dispatch.ts'
import type { Repository } from '../route.ts'

/**
 * Events of one credential for one repository, as long as there are any. A lane is
 *
 * - idle: neither `awaited` nor `busy`, only until `start`, `put` or `replay`, which made it, wakes it
 * - awaited: `run` is going to be called, at a time that can still be moved
 * - busy: `run` is at work; at its end it sets the next turn, or drops the lane where nothing is left
 *
 * Only the event that is `failing` is given up for its age: each gets a try of its own before.
 */
export interface Lane {
  readonly name: string
  events: number
  bytes: number
  /** When its first event came. */
  oldest: number
  /** GitHub is not to be called before. */
  notBefore: number
  /** The event whose own try failed last, and until when it is to wait for the next. */
  failing: { readonly delivery: string; readonly until: number } | undefined
  /** It has its turn. */
  busy: boolean
  /** Its next turn is set. */
  awaited: boolean
  /** Events that GitHub has, and the disk does not know it yet. */
  readonly delivered: Set<string>
}

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
