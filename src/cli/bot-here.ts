import { setTimeout as sleep } from 'node:timers/promises'
import { http } from '../action/http-client.ts'
import { BOT_TOKEN, type Bot, withoutSecret } from '../triggers/messaging-bot/bot-api.ts'
import { baseAddress } from '../wire/address.ts'
import { UserError } from '../wire/errors.ts'
import type { Http } from '../wire/http.ts'
import { Secret } from '../wire/secret.ts'
import { type Environment, readSetting } from '../wire/settings.ts'

/**
 * The bot of a token, for the command line.
 *
 * @param secrets other secrets that a response may repeat
 * @param name of the variable that has the token
 * @throws UserError for a string that is no bot token
 */
export function botFrom(
  env: Environment,
  token: string,
  secrets: readonly (string | undefined)[] = [],
  name = 'BOT_TOKEN',
): Bot {
  if (!BOT_TOKEN.test(token)) {
    throw new UserError({
      message: `${name} is not a bot token`,
      hint: 'A bot token has digits, a colon and a string: 123456:ABC-DEF1234',
    })
  }
  const hidden = secrets.flatMap((text) => text || [])
  const api = botApiFrom(env)
  // A response may repeat the request, so its secrets are removed.
  const hiding: Http = async (request) => {
    const reply = await http(request)
    const text = hidden.reduce(
      (rest, secret) => withoutSecret(rest, new Secret(secret)),
      reply.text,
    )
    return { ...reply, text }
  }
  return { token: new Secret(token), api, http: hiding, sleep: (ms) => sleep(ms) }
}

export function botApiFrom(env: Environment): string {
  return baseAddress(readSetting(env, 'HOOKLINE_TELEGRAM_API_URL'))
}
