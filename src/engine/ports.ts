import type { Scripts } from '../items/scripts.ts'
import type { Run } from '../state/claims.ts'
import type { StateStore } from '../state/store.ts'
import type { TriggerPorts } from '../triggers/trigger.ts'

/** The outside world, as far as evaluating an event needs it. */
export interface EnginePorts {
  readonly triggers: TriggerPorts
  readonly scripts: Scripts
  /** Absent for `state: none`. */
  readonly store?: StateStore | undefined
  readonly run: Run
  /** The working copy of the repository, absolute: where `exportOutputs` writes. */
  readonly folder: string
}
