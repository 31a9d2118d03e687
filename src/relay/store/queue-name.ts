import { splitOnce } from '../../wire/path.ts'

// The name of a queue is `owner/name#<holder>` in lower case: all events of a repository and a credential.

/** Holder of the relay's own credential, whatever endpoint a request names. */
export const OWN = 'own'

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

/** The owner of a queue or repository, in lower case. */
export function ownerOf(name: string): string {
  return splitOnce(name, '/')[0].toLowerCase()
}
