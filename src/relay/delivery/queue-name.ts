import type { Credential, EndpointKey } from '../github/credential.ts'
import type { RateLimiters } from '../github/rate-limiter.ts'
import type { Dispatch } from '../github/send.ts'
import type { OutboxLine } from '../log-lines.ts'
import type { OutboxEvent } from './event.ts'

/** Holder of the relay's own credential, whatever endpoint a request names. */
const OWN = 'own'

export interface QueueName {
  /** `owner/name#<holder>` in lower case. */
  readonly queue: string
  /** Credential whose quota its events use. */
  readonly holder: string
}

export type NameQueue = (event: Pick<Dispatch, 'repository' | 'credential'>) => Promise<QueueName>

/** GitHub's names do not distinguish upper from lower case. */
export function queueNames(limiters: Pick<RateLimiters, 'holderOf' | 'nameOf'>): NameQueue {
  return async ({ repository: { owner, name }, credential }) => {
    const holder = await limiters.holderOf(credential)
    const queue = `${`${owner}/${name}`.toLowerCase()}#${holder}`
    return { queue, holder: limiters.nameOf(holder, owner) }
  }
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

/** Names the credential of an event in lists and in the log; the name gives no access. */
export function labelOf({ endpoint }: Credential, queue: string): string {
  return endpoint ? endpointLabel(endpoint) : `token:${holderOf(queue).slice(0, 8)}`
}

/** `endpoint:<owner>/<name>` */
export function endpointLabel({ owner, name }: Pick<EndpointKey, 'owner' | 'name'>): string {
  return `endpoint:${owner}/${name}`
}

/** The fields of a log line that name an event. */
export function namesOf({
  unit,
  queue,
  credential,
}: Pick<OutboxEvent, 'unit' | 'queue' | 'credential'>) {
  return { delivery: unit, repository: repositoryOf(queue), credential }
}

/** The log line of an event that became a dead letter. */
export function deadLine(event: OutboxEvent): OutboxLine {
  const { attempts, reason } = event
  return { outbox: 'dead', ...namesOf(event), attempts, reason }
}
