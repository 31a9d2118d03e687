import type { WebhookRequest } from '../../wire/request.ts'
import type { TriggerPorts } from '../trigger.ts'
import type { Refusal } from './scheme.ts'

/** Seconds, both ways: what Standard Webhooks, Stripe and Slack ask for. */
export const DEFAULT_TOLERANCE = 300

export const NO_TIME = 'the timestamp is no time'

/**
 * Why a signed time is too far from the receipt, so that the request may be a replay. The receipt is
 * the relay's, since a run may start long after it; without a relay it is now.
 */
export function timeRefusal(
  text: string,
  tolerance: number,
  request: WebhookRequest,
  ports: Pick<TriggerPorts, 'now'>,
): Refusal {
  const time = milliseconds(text)
  if (time === undefined) return NO_TIME
  const distance = Math.abs(receivedAt(request, ports) - time)
  return distance <= tolerance * 1000
    ? undefined
    : `the timestamp is more than ${tolerance} seconds away from the receipt`
}

/** Milliseconds since 1970. */
export function receivedAt(request: WebhookRequest, { now }: Pick<TriggerPorts, 'now'>): number {
  const time = Date.parse(request.receivedAt ?? '')
  return Number.isNaN(time) ? now() : time
}

/** True for what senders write as a time. */
export function isTime(text: string): boolean {
  return milliseconds(text) !== undefined
}

/** Senders write seconds, milliseconds, or ISO 8601. */
function milliseconds(text: string): number | undefined {
  if (/^\d{1,11}$/.test(text)) return Number(text) * 1000
  if (/^\d{12,14}$/.test(text)) return Number(text)
  const time = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(time) ? undefined : time
}
