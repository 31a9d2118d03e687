import { LIMITS } from '../protocol/limits.ts'
import type { Fits } from '../triggers/trigger.ts'
import type { Addressed } from './events.ts'
import type { Firing } from './firing.ts'
import { firedContexts } from './on-context.ts'

/**
 * Whether further items of a trigger fit beside what others found: into the output `items`, and into
 * one matrix. A single item alone always does, so that too large a one is an error and does not
 * block the queue in silence.
 */
export function besides(firings: readonly Firing[], { workflow, trigger }: Addressed): Fits {
  const before = firings.flatMap(({ contexts }) => contexts)
  return (items) => {
    const contexts = [...before, ...firedContexts(workflow, trigger.name, items)]
    if (contexts.length <= 1) return true
    if (contexts.length > LIMITS.matrixJobs) return false
    return JSON.stringify(contexts).length <= LIMITS.itemsUnits
  }
}
