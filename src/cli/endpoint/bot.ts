import { randomBytes } from 'node:crypto'
import type { FoundTrigger } from '../../engine/all-workflows.ts'
import { deleteWebhook, registeredUrl, setWebhook } from '../../triggers/messaging-bot/bot-api.ts'
import { UserError } from '../../wire/errors.ts'
import type { JsonObject } from '../../wire/json.ts'
import type { Environment } from '../../wire/settings.ts'
import { botFrom } from '../bot-here.ts'
import { variableNamed } from '../flag-values.ts'
import { withProgress } from '../terminal.ts'
import { isStandIn } from '../workflows-here.ts'
import { secretFrom } from './conditions.ts'

const FLAG = '--bot-token-env'

/** The trigger that a bot fires. */
export const BOT_TRIGGER = 'messaging_bot'

export interface BotRegistration {
  /** The `verify` of the endpoint: the secret that the bot server sends with each message. */
  readonly verify: readonly (JsonObject & { readonly scheme: readonly string[] })[]
  /** Registers a URL. @throws UserError with the error of the Bot API */
  register(url: string): Promise<void>
}

interface BotOptions {
  /** Name of the variable with the bot's token. */
  readonly botTokenEnv: string
  readonly secretEnv?: string | undefined
  readonly declared: FoundTrigger | undefined
}

/**
 * Prepares the registration of a bot, before anything is stored.
 *
 * @throws UserError if the token is missing, or the workflow verifies a secret that is unknown here
 */
export function botRegistration(
  { botTokenEnv, secretEnv, declared }: BotOptions,
  env: Environment,
): BotRegistration {
  const token = variableNamed(FLAG, botTokenEnv, env)
  // https://core.telegram.org/bots/api#setwebhook allows 1 to 256 of `A-Z a-z 0-9 _ -`.
  const secret =
    secretFrom(secretEnv, undefined, env) ??
    workflowSecret(declared) ??
    randomBytes(32).toString('base64url')
  const botFor = (url: string) => {
    const [, id] = /\/-\/[^/]+\/([\w-]{22})/.exec(url) ?? []
    return botFrom(env, token, [secret, id], botTokenEnv)
  }
  // Checks the form of the token.
  botFor('')
  return {
    verify: [{ scheme: ['telegram'], secret: [secret] }],
    async register(url) {
      const updates = declared?.updates ?? []
      const call = setWebhook(botFor(url), { url, secretToken: secret, updates })
      await withProgress('registering the URL with the bot', call)
    },
  }
}

/**
 * Removes the webhook of a bot, if it is this URL.
 *
 * @returns false if the bot has another webhook, or none
 * @throws UserError with the error of the Bot API
 */
export async function unregisterBot(
  botTokenEnv: string,
  url: string,
  env: Environment,
): Promise<boolean> {
  const bot = botFrom(env, variableNamed(FLAG, botTokenEnv, env), [], botTokenEnv)
  const registered = await withProgress('asking the bot', registeredUrl(bot))
  if (registered !== url) return false
  await withProgress('removing the webhook of the bot', deleteWebhook(bot))
  return true
}

/**
 * The secret that the workflow verifies, because the relay passes the same header on.
 *
 * @throws UserError if its value is not known here
 */
function workflowSecret(declared: FoundTrigger | undefined): string | undefined {
  const [signature] = declared?.signatures ?? []
  if (!signature) return undefined
  const secret = signature.secret.reveal()
  if (!isStandIn(secret)) return secret
  throw new UserError({
    message: 'the workflow verifies a secretToken of its own, whose value is not known here',
    hint: 'Export the repository secret under its name, or name the variable that has it: --secret-env <name>',
    notes: ['or remove secretToken from the trigger: the relay verifies each message'],
  })
}
