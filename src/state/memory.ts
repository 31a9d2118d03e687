import { NO_STATE, type StateBackend, type TriggerId, type TriggerState } from './index.ts'

/** State that lasts as long as its process, as for a local trial. */
export function memoryBackend(): StateBackend {
  const states = new Map<string, TriggerState>()
  const name = ({ workflow, trigger }: TriggerId) => `${workflow}/${trigger}`
  return {
    load: async (id) => states.get(name(id)) ?? NO_STATE,
    async change(id, step) {
      const before = states.get(name(id)) ?? NO_STATE
      states.set(name(id), step(before))
      return before
    },
  }
}
