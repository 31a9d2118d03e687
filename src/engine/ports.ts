import type { TriggerPorts } from '../triggers/trigger.ts'

/** The outside world, as far as evaluating an event needs it. */
export interface EnginePorts {
  readonly triggers: TriggerPorts
}
