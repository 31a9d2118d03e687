import type { Shelf } from '../state/store.ts'
import { NO_STATE, type TriggerState } from '../state/trigger-state.ts'

/** A store for as long as this process runs: what was seen, and when a trigger succeeded last. */
export function memoryShelf(): Shelf {
  const states = new Map<string, { readonly state: TriggerState; readonly stamp: string }>()
  let saves = 0
  return {
    place: 'the memory of hookline dev',
    load: async (id) => states.get(nameOf(id)) ?? { state: NO_STATE, stamp: undefined },
    async save(id, state, stamp) {
      if (states.get(nameOf(id))?.stamp !== stamp) return false
      states.set(nameOf(id), { state, stamp: String(++saves) })
      return true
    },
  }
}

function nameOf({ workflow, trigger }: Parameters<Shelf['load']>[0]): string {
  return `${workflow}/${trigger}`
}
