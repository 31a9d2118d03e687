import type { RunOutcome } from './outcome.ts'
import type { AlarmKind } from './store.ts'

/** A line of the log. */
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
