// Lines of the log that are not about a request, without their time: no payload, no token.

import type { Delivery, RunOutcome } from '../store/delivery-rows.ts'

/** The changes that lines tell, by name. docs/reference/log.md is generated from this table. */
export const CHANGES = {
  created: 'an endpoint was created; `endpoint` is its owner and name, such as `octo/orders`',
  updated: 'an endpoint has other settings',
  rotated: 'an endpoint has another URL',
  stored: "GitHub refuses the endpoint's or the relay's credential, and the relay stored the event",
  delivered: 'GitHub accepted a stored event',
  deferred: 'GitHub did not accept a stored event; `seconds` is the time until the next attempt',
  found: 'the run of an uncertain event was found, so the event is delivered',
  divided:
    'GitHub refused a batch, or it is too large for one event: the relay sends it as several',
  dead: 'an event became a dead letter; see `reason`',
  expired: 'a dead letter was deleted after 30 days',
  late: 'the oldest event has waited for more than an hour',
  unreadable: 'no relay key decrypts these events',
  reencrypted: 'the first relay key encrypted these rows again',
  replayed: 'an admin sent these events again',
  deleted: 'an admin deleted these events, or the endpoint that `endpoint` names',
  unrecorded:
    'the disk was too slow to record so many deliveries (`events`). No event is lost: GitHub accepted them, or their requests were declined.',
  disk: 'the disk fails (`disk full`, `disk fails`, `not writable`, `damaged`, `file gone`), or is `well` again. With a `delivery`: GitHub has the event, and the disk did not record that yet.',
  run: "the outcome of an event's run, in `outcome`; `failure`, `startup_failure` and `no_run` are errors",
  alarm: 'an alarm began or ended: `alarm`, `subject` and `active`',
  notification_given_up: 'the receiver did not accept a notification; `reason` is its last status',
} as const

/** `silent`: no event within `expect`. `no_runs`: events that GitHub accepted, and no run of them. */
export type AlarmKind = 'silent' | 'no_runs'

/** A line about an endpoint, a delivery, a run, an alarm, or the database as a whole. */
export interface ChangeLine {
  /** `error` if an admin has to act. */
  readonly level?: 'error'
  readonly change: keyof typeof CHANGES
  readonly delivery?: string
  /** `owner/name` in lower case. */
  readonly repository?: string
  /** Name of the endpoint, absent for a token URL; with its owner in a line about the endpoint itself. */
  readonly endpoint?: string
  readonly attempts?: number
  readonly reason?: string
  /** How long the event waited, or until the next attempt. */
  readonly seconds?: number
  readonly events?: number
  readonly outcome?: RunOutcome
  readonly run?: string
  readonly alarm?: AlarmKind
  readonly subject?: string
  readonly active?: boolean
}

/** The fields of a line that name a delivery, or a batch by its id. */
export function namesOf({
  id,
  repository,
  endpoint,
}: Pick<Delivery, 'id' | 'repository' | 'endpoint'>) {
  return { delivery: id, repository, ...(endpoint !== null && { endpoint }) }
}

export function deadLine(
  event: Pick<Delivery, 'id' | 'repository' | 'endpoint' | 'attempts' | 'reason'>,
): ChangeLine {
  const { attempts, reason } = event
  return { change: 'dead', ...namesOf(event), attempts, reason }
}
