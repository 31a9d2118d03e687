import type { Shelf } from '../state/store.ts'
import { NO_STATE, type TriggerId, type TriggerState } from '../state/trigger-state.ts'

/** A place for state that lasts as long as this process. */
export function memoryShelf(): Shelf {
  const states = new Map<string, TriggerState>()
  const load = (id: TriggerId) => states.get(nameOf(id)) ?? NO_STATE
  return {
    load: async (id) => load(id),
    async change(id, step) {
      const before = load(id)
      states.set(nameOf(id), step(before))
      return before
    },
  }
}

function nameOf({ workflow, trigger }: TriggerId): string {
  return `${workflow}/${trigger}`
}
