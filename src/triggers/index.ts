import type { Trigger } from './trigger.ts'
import { webhook } from './webhook.ts'

/** Every trigger, by the name that a workflow file and a webhook URL use. */
export const TRIGGERS: ReadonlyMap<string, Trigger> = new Map(
  [webhook].map((trigger) => [trigger.name, trigger]),
)
