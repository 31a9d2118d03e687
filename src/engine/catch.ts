import type { Found } from '../items/candidate.ts'
import type { Check, Polled, Reception } from '../triggers/trigger.ts'
import type { Json } from '../wire/json.ts'
import type { WebhookRequest } from '../wire/request.ts'

/** What a trigger found, whichever way it came. */
export interface Catch {
  readonly checks: readonly Check[]
  readonly warnings: readonly string[]
  readonly found: readonly Found[]
  /** For what was polled: what acknowledges everything before a place. */
  readonly cursorBefore?: (index: number) => Json | undefined
}

/** A request is the same as another one by what was asked for, whatever its headers say. */
export function received(
  { checks, items, warnings = [] }: Reception,
  { method, path, query, body }: WebhookRequest,
): Catch {
  const identity = { method, path, query, body }
  const only = items.length === 1
  const found = items.map((item) => ({ item, identity: only ? identity : [identity, item] }))
  return { checks, warnings, found }
}

export function polled(polled: Polled): Catch {
  const { checks, items, warnings = [] } = polled
  const found = items.map((item) => ({ item, identity: item }))
  return { checks, warnings, found, cursorBefore: (index) => polled.cursorBefore(index) }
}
