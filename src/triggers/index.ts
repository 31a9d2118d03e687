import { awsSns } from './aws-sns.ts'
import { discord } from './discord.ts'
import { googleForm } from './google-form.ts'
import { messagingBot } from './messaging-bot.ts'
import { slack } from './slack.ts'
import { trello } from './trello.ts'
import type { Trigger } from './trigger.ts'
import { typeform } from './typeform.ts'
import { verifying } from './verify.ts'
import { webhookTrigger } from './webhook.ts'

const ALL: readonly Trigger[] = [
  ...[webhookTrigger(verifying), messagingBot, awsSns, typeform],
  ...[slack, discord, trello, googleForm],
]

/** Every trigger, by each name that a workflow file and a webhook URL may use. */
export const TRIGGERS: ReadonlyMap<string, Trigger> = new Map(
  ALL.flatMap((trigger) => [trigger.name, ...trigger.aliases].map((name) => [name, trigger])),
)
