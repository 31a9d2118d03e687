import type { DeliveryLine } from '../../relay/delivery/log-lines.ts'
import type { LogEntry } from '../../relay/webhook/request-log.ts'
import { isObject } from '../../wire/json.ts'

/**
 * A logged request that concerns the webhook: one that names a repository, or was refused. 404 and 405
 * answer requests to other addresses.
 */
export function loggedRequest(line: string): LogEntry | undefined {
  const value: unknown = JSON.parse(line)
  if (!isObject(value) || typeof value.status !== 'number') return undefined
  const isAddressed = 'owner' in value
  const isRefused = value.status >= 400 && ![404, 405].includes(value.status)
  // The relay of this process wrote the line, so that its fields have these types.
  return isAddressed || isRefused ? (value as unknown as LogEntry) : undefined
}

/** How a waiting event ended: GitHub has it, or the relay gave up. */
export interface DeliveryResult {
  /** Id of the delivery, or of its batch. */
  readonly delivery: string
  /** Why the event is a dead letter; `undefined` for a delivered event. */
  readonly dead: string | undefined
}

/** The result that a line of the log reports. */
export function loggedResult(line: string): DeliveryResult | undefined {
  const value: unknown = JSON.parse(line)
  if (!isObject(value) || !('change' in value)) return undefined
  // The relay of this process wrote the line.
  const { change, delivery, reason = 'unknown reason' } = value as unknown as DeliveryLine
  if (delivery === undefined) return undefined
  if (change === 'dead') return { delivery, dead: reason }
  return change === 'delivered' || change === 'found' ? { delivery, dead: undefined } : undefined
}
