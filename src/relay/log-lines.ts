import type { AlarmKind } from './delivery/receipt-store.ts'
import type { RunOutcome } from './delivery/run-outcome.ts'

// Lines of the log that are not about a request, without their time: no payload, no token.

/** A line about an event in the outbox, or about the outbox as a whole. */
export interface OutboxLine {
  /** `error` if an admin has to act. */
  readonly level?: 'error'
  /**
   * - `stored`: GitHub refuses the relay's own credential, and the relay stored the event
   * - `delivered`, `deferred`: the outcome of an attempt
   * - `found`: the run of an uncertain event was found, so the event is delivered
   * - `dead`: an event became a dead letter
   * - `expired`: a dead letter was deleted after 30 days
   * - `late`: the oldest event has waited for more than an hour
   * - `unreadable`: no relay key decrypts these events
   * - `reencrypted`: the first relay key encrypted these rows anew
   * - `replayed`, `deleted`: by an admin
   * - `divided`: the relay sends a batch that is refused or too large as several
   * - `disk`: the disk fails with this reason, or is `well` again; with a delivery: GitHub has the
   *   event, and the disk did not record that yet
   */
  readonly outbox:
    | 'stored'
    | 'divided'
    | 'delivered'
    | 'deferred'
    | 'found'
    | 'dead'
    | 'expired'
    | 'late'
    | 'unreadable'
    | 'reencrypted'
    | 'replayed'
    | 'deleted'
    | 'disk'
  readonly delivery?: string
  /** `owner/name` in lower case. */
  readonly repository?: string
  readonly credential?: string
  readonly attempts?: number
  readonly reason?: string
  /** How long the event waited, or until the next attempt. */
  readonly seconds?: number
  readonly events?: number
}

/** A line about the run of an event, or about an alarm. */
export interface ReceiptLine {
  readonly receipts: RunOutcome | AlarmKind | 'ended' | 'given_up'
  readonly level?: 'error'
  readonly delivery?: string
  readonly repository?: string
  readonly credential?: string
  readonly reason?: string
  readonly run?: string
  readonly subject?: string
}
