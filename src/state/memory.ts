import { NO_STATE, type StateBackend, type TriggerId, type TriggerState, updated } from './store.ts'

/** State in memory, for a local test run. */
export function memoryBackend(now: () => number): StateBackend {
  const known = new Map<string, TriggerState>()
  const nameOf = ({ workflow, trigger }: TriggerId) => `${workflow}/${trigger}`
  const load = (ids: readonly TriggerId[]) => ({
    states: ids.map((id) => known.get(nameOf(id)) ?? NO_STATE),
    now: now(),
  })
  return {
    load: async (ids) => load(ids),
    async change(ids, update) {
      const before = load(ids)
      const after = update(before.states, before.now)
      for (const [place, id] of ids.entries()) known.set(nameOf(id), updated(after, place))
      return before
    },
  }
}
