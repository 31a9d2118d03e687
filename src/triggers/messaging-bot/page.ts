import { UserError } from '../../wire/errors.ts'
import { isObject, type Json } from '../../wire/json.ts'
import { type Bot, callBot, callBotOrThrow } from './bot-api.ts'
import type { BotFault } from './bot-fault.ts'
import { readUpdate, type Update } from './update.ts'
import type { UpdateKind } from './update-kinds.ts'

/** The most that one call returns. Source: Bot API, getUpdates. */
const PAGE = 100

export interface PageRequest {
  /** Kinds to be asked for. The server keeps the list until the next one, so it is always given. */
  readonly kinds: readonly UpdateKind[]
  /** Id of the first update to come; everything before it is forgotten at once. */
  readonly offset?: number | undefined
  /** Seconds to wait for an update when there is none. */
  readonly wait: number
}

/** Up to 100 updates, oldest first. @throws UserError when there is no usable answer */
export async function getPage(bot: Bot, { kinds, offset, wait }: PageRequest): Promise<Update[]> {
  const parameters = { limit: PAGE, timeout: wait, allowed_updates: [...kinds] }
  const asked = offset === undefined ? parameters : { offset, ...parameters }
  const called = await callBot(bot, 'getUpdates', asked, wait * 1000)
  if ('fault' in called) throw await pollingError(bot, called.fault)
  return readUpdates(called.result)
}

/** Forgets every update before `offset`; what comes back stays where it is. */
export async function forgetBefore(bot: Bot, offset: number, kinds: readonly UpdateKind[]) {
  const parameters = { offset, limit: 1, timeout: 0, allowed_updates: [...kinds] }
  await callBotOrThrow(bot, 'getUpdates', parameters)
}

function readUpdates(result: Json): Update[] {
  const values = Array.isArray(result) ? result : [null]
  return values.map((value) => {
    const update = readUpdate(value)
    if (update) return update
    throw new UserError({
      message: 'the bot API answered getUpdates with something else than updates',
    })
  })
}

/** Host of the webhook that a bot has; `undefined` when it has none, or nobody can tell. */
async function webhookHost(bot: Bot): Promise<string | undefined> {
  const called = await callBot(bot, 'getWebhookInfo', {})
  const url = 'result' in called && isObject(called.result) ? called.result.url : undefined
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).host : undefined
}

/** A webhook in the way is named by its host: its path and query may hold somebody's secrets. */
async function pollingError(bot: Bot, { kind, message, notes }: BotFault): Promise<UserError> {
  const host = kind === 'webhook' ? await webhookHost(bot) : undefined
  const place = host === undefined ? [] : [`the webhook leads to ${host}`]
  return new UserError({ message, notes: [...place, ...notes] })
}
