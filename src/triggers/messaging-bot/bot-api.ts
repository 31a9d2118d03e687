import { UserError } from '../../wire/errors.ts'
import { type Http, HttpFailure } from '../../wire/http.ts'
import type { Json, JsonObject } from '../../wire/json.ts'
import type { Secret } from '../../wire/secret.ts'
import { type BotFault, type Called, readReply, unreachable } from './bot-fault.ts'

/** One bot, at one server of the Bot API. */
export interface Bot {
  readonly token: Secret
  /** Base address of the Bot API, without a slash at its end. */
  readonly api: string
  readonly http: Http
  /** Ends after so many milliseconds. */
  readonly sleep: (duration: number) => Promise<void>
}

/** How often a call is made again, by what went wrong; every method called here may be repeated. */
const RETRIES: Readonly<Record<BotFault['kind'], number>> = {
  token: 0,
  webhook: 0,
  poller: 1,
  busy: 3,
  service: 1,
  refused: 0,
}

/** A longer pause would cost more minutes than the next run. */
const LONGEST_PAUSE = 60_000

/** For an answer, on top of the time that a long poll may take. */
const PATIENCE = 20_000

/** Calls a method of the Bot API, once more where that makes sense. Faults are returned. */
export async function callBot(
  bot: Bot,
  method: string,
  parameters: JsonObject,
  longPoll = 0,
): Promise<Called> {
  for (let retry = 0; ; retry++) {
    const called = await callOnce(bot, method, parameters, PATIENCE + longPoll)
    if (!('fault' in called)) return called
    const { kind, pause } = called.fault
    if (retry >= RETRIES[kind] || pause === undefined || pause > LONGEST_PAUSE) return called
    await bot.sleep(pause)
  }
}

/** Calls a method of the Bot API. @throws UserError when there is no result */
export async function callBotOrThrow(
  bot: Bot,
  method: string,
  parameters: JsonObject,
): Promise<Json> {
  const called = await callBot(bot, method, parameters)
  if ('result' in called) return called.result
  const { message, notes } = called.fault
  throw new UserError({ message, notes })
}

async function callOnce(
  bot: Bot,
  method: string,
  parameters: JsonObject,
  timeout: number,
): Promise<Called> {
  const url = `${bot.api}/bot${bot.token.reveal()}/${method}`
  const headers = { 'content-type': 'application/json' }
  try {
    const body = JSON.stringify(parameters)
    const reply = await bot.http({ method: 'POST', url, headers, body, timeout })
    return readReply({ ...reply, text: withoutSecret(reply.text, bot.token) })
  } catch (error) {
    if (!(error instanceof HttpFailure)) throw error
    return { fault: unreachable(error) }
  }
}

/** Whatever a server says, and whoever wrote it to the bot: a secret goes no further. */
export function withoutSecret(text: string, secret: Secret): string {
  return secret.scrub(text.replaceAll(secret.reveal(), String(secret)))
}
