import type { WebhookRequest } from '../../wire/request.ts'
import { sameText } from '../../wire/secret.ts'
import type { Check, Reception } from '../trigger.ts'
import { updateChecks } from './conditions.ts'
import type { MessagingBotOptions } from './options.ts'
import { readUpdate, updateItem } from './update.ts'

const SECRET_HEADER = 'x-telegram-bot-api-secret-token'

/** The item of an update that the messaging platform sent to the webhook URL. */
export async function receiveUpdate(
  { headers, body }: WebhookRequest,
  options: MessagingBotOptions,
): Promise<Reception> {
  if (!options.webhook) return refused('webhook', 'is not true: messages are polled')
  const secret = options.secretToken?.reveal()
  if (secret !== undefined && !(await sameText(headers[SECRET_HEADER] ?? '', secret))) {
    const found = `does not match the header ${SECRET_HEADER}`
    return { ...refused('secretToken', found), warnings: [`secretToken: ${found}`] }
  }
  const update = readUpdate(body)
  if (!update) return refused('webhook', 'the body is no update of a bot')
  const checks = updateChecks(update, options)
  if (!checks.every(({ held }) => held)) return { checks, items: [] }
  return { checks, items: [updateItem(update, options.updates)] }
}

function refused(option: string, found: string): Reception {
  const check: Check = { option, held: false, found }
  return { checks: [check], items: [] }
}
