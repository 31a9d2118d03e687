import { messagingBot } from './messaging-bot.ts'
import type { Trigger } from './trigger.ts'
import { webhook } from './webhook.ts'

const ALL: readonly Trigger[] = [webhook, messagingBot]

/** Every trigger, by each name that a workflow file and a webhook URL may use. */
export const TRIGGERS: ReadonlyMap<string, Trigger> = new Map(
  ALL.flatMap((trigger) => [trigger.name, ...trigger.aliases].map((name) => [name, trigger])),
)
