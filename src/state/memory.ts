import { NO_STATE, type StateBackend, type TriggerId, type TriggerState } from './store.ts'

/** State that lasts as long as its process, as for a local trial. */
export function memoryBackend(now: () => number): StateBackend {
  const states = new Map<string, TriggerState>()
  const load = ({ workflow, trigger }: TriggerId) => ({
    state: states.get(`${workflow}/${trigger}`) ?? NO_STATE,
    now: now(),
  })
  return {
    load: async (id) => load(id),
    async change(id, update) {
      const before = load(id)
      states.set(`${id.workflow}/${id.trigger}`, update(before.state, before.now))
      return before
    },
  }
}
