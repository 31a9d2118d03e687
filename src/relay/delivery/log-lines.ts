// Lines of the log that are not about a request, without their time: no payload, no token.

import type { Delivery, RunOutcome } from '../store/delivery-rows.ts'

/** A line about a delivery, or about the database as a whole. */
export interface DeliveryLine {
  /** `error` if an admin has to act. */
  readonly level?: 'error'
  /**
   * - `stored`: GitHub refuses the credential of an endpoint, and the relay stored the event
   * - `delivered`, `deferred`: the outcome of an attempt
   * - `found`: the run of an uncertain event was found, so the event is delivered
   * - `divided`: the relay sends a batch that is refused or too large as several
   * - `dead`: an event became a dead letter
   * - `expired`: a dead letter was deleted after 30 days
   * - `late`: the oldest event has waited for more than an hour
   * - `unreadable`: no relay key decrypts these events
   * - `reencrypted`: the first relay key encrypted these rows anew
   * - `replayed`, `deleted`: by an admin
   * - `unrecorded`: the disk was too slow for the records of so many requests; their events are at GitHub
   * - `disk`: the disk fails with this reason, or is `well` again; with a delivery: GitHub has the
   *   event, and the disk did not record that yet
   */
  readonly change:
    | 'stored'
    | 'delivered'
    | 'deferred'
    | 'found'
    | 'divided'
    | 'dead'
    | 'expired'
    | 'late'
    | 'unreadable'
    | 'reencrypted'
    | 'replayed'
    | 'deleted'
    | 'unrecorded'
    | 'disk'
  readonly delivery?: string
  /** `owner/name` in lower case. */
  readonly repository?: string
  /** Name of the endpoint; absent for a token URL. */
  readonly endpoint?: string
  readonly attempts?: number
  readonly reason?: string
  /** How long the event waited, or until the next attempt. */
  readonly seconds?: number
  readonly events?: number
}

/** A line about the run of a delivery. */
export interface RunLine {
  readonly change: 'run'
  readonly level?: 'error'
  readonly outcome: RunOutcome
  readonly delivery: string
  readonly repository: string
  readonly endpoint?: string
  readonly reason?: string
  readonly run?: string
}

/** `silent`: no event within `expect`. `no_runs`: events that GitHub accepted, and no run of them. */
export type AlarmKind = 'silent' | 'no_runs'

/** A line about an alarm that begins or ends. */
export interface AlarmLine {
  readonly change: 'alarm'
  readonly level?: 'error'
  readonly alarm: AlarmKind
  readonly subject: string
  readonly active: boolean
}

/** A line about a notification that its receiver did not accept; `reason` is its last status. */
export interface NotificationLine {
  readonly change: 'notification_given_up'
  readonly level: 'error'
  readonly reason: string
}

export type ChangeLine = DeliveryLine | RunLine | AlarmLine | NotificationLine

/** The fields of a line that name a delivery, or a batch by its id. */
export function namesOf({
  id,
  repository,
  endpoint,
}: Pick<Delivery, 'id' | 'repository' | 'endpoint'>) {
  return { delivery: id, repository, ...(endpoint !== null && { endpoint }) }
}

/** The line of an event that became a dead letter. */
export function deadLine(
  event: Pick<Delivery, 'id' | 'repository' | 'endpoint' | 'attempts' | 'reason'>,
): DeliveryLine {
  const { attempts, reason } = event
  return { change: 'dead', ...namesOf(event), attempts, reason }
}
