import type { RateLimiters } from '../github/rate-limiter.ts'
import type { Dispatch } from '../github/send.ts'

/** Holder of the relay's own credential, whatever endpoint a request names. */
const OWN = 'own'

/** `owner/name#<holder>` in lower case: all events of a repository and a credential. */
export type NameQueue = (event: Pick<Dispatch, 'repository' | 'credential'>) => Promise<string>

/** GitHub's names do not distinguish upper from lower case. */
export function queueNames(limiters: Pick<RateLimiters, 'holderOf'>): NameQueue {
  return async ({ repository: { owner, name }, credential }) =>
    `${`${owner}/${name}`.toLowerCase()}#${await limiters.holderOf(credential)}`
}

/** True for events that the relay delivers with its own credential. */
export function isOwnQueue(queue: string): boolean {
  return holderOf(queue) === OWN
}

/** `own`, or the SHA-256 of a token. */
export function holderOf(queue: string): string {
  return queue.slice(queue.indexOf('#') + 1)
}

/** `owner/name` in lower case. */
export function repositoryOf(queue: string): string {
  return queue.slice(0, queue.indexOf('#'))
}

export function ownerOf(queue: string): string {
  return queue.slice(0, queue.indexOf('/'))
}
