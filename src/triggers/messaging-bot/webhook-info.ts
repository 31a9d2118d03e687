import { isObject } from '../../protocol/json.ts'
import { type Bot, callBot } from './bot-api.ts'

/** Host of the webhook that a bot has; `undefined` when it has none, or nobody can tell. */
export async function webhookHost(bot: Bot): Promise<string | undefined> {
  const called = await callBot(bot, 'getWebhookInfo', {})
  const url = 'result' in called && isObject(called.result) ? called.result.url : undefined
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).host : undefined
}
