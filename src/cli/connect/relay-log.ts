import type { LogEntry } from '../../relay/http/request-log.ts'
import type { OutboxLine } from '../../relay/log-lines.ts'
import { isObject } from '../../wire/json.ts'

/**
 * A log entry of the relay that concerns the webhook: an accepted or a refused request. `undefined` for
 * requests of other addresses.
 */
export function loggedRequest(line: string): LogEntry | undefined {
  const value: unknown = JSON.parse(line)
  if (!isObject(value) || typeof value.status !== 'number') return undefined
  const isAddressed = 'owner' in value
  const isRefused = value.status >= 400 && ![404, 405].includes(value.status)
  // The relay of this process wrote the line.
  return isAddressed || isRefused ? (value as unknown as LogEntry) : undefined
}

/** The end of an event in the outbox: GitHub has the event, or never gets it. */
export interface OutboxResult {
  /** Id of the delivery, or of its batch. */
  readonly delivery: string
  /** Why the event is a dead letter; `undefined` for a delivered event. */
  readonly dead: string | undefined
}

/** The result that a line of the log reports. */
export function loggedResult(line: string): OutboxResult | undefined {
  const value: unknown = JSON.parse(line)
  if (!isObject(value) || !('outbox' in value)) return undefined
  // The relay of this process wrote the line.
  const { outbox, delivery, reason = 'unknown reason' } = value as unknown as OutboxLine
  if (delivery === undefined) return undefined
  if (outbox === 'dead') return { delivery, dead: reason }
  return outbox === 'delivered' || outbox === 'found' ? { delivery, dead: undefined } : undefined
}
