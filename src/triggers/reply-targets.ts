/** The triggers whose items `reply` can answer; those of `webhook` only for some senders. */
export const TRIGGERS_WITH_REPLY = ['messaging_bot', 'slack', 'discord', 'webhook'] as const

export type TriggerWithReply = (typeof TRIGGERS_WITH_REPLY)[number]
