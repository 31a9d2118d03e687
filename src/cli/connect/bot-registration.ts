import { setWebhookBody } from '../../triggers/messaging-bot/bot-api.ts'
import type { Environment } from '../../wire/settings.ts'
import { POSIX } from '../../wire/shell.ts'
import { botApiFrom } from '../bot-here.ts'
import { shellHere } from '../terminal.ts'

/** The setWebhook call as a line in which the shell fills in the bot's token and secret. */
export function registrationLine(url: string, env: Environment = process.env): string {
  const shell = shellHere()
  const variables = ['BOT_TOKEN', 'BOT_SECRET'].map((name) => shell.variable(name))
  const [botToken = '', secretToken = ''] = variables
  const body = setWebhookBody({ url, secretToken, updates: [] })
  const call = { method: 'POST', url: `${botApiFrom(env)}/bot${botToken}/setWebhook`, body }
  const headers = { 'Content-Type': 'application/json' }
  return shell.name === 'powershell'
    ? shell.request({ ...call, headers, body: JSON.stringify(body), variables })
    : hereDocument(call.url, botToken, body)
}

/** A here-document, because the shell fills in every variable of it. */
function hereDocument(url: string, botToken: string, body: object): string {
  return `curl -sS ${POSIX.quoted(url, [botToken])} -H 'Content-Type: application/json' -d @- <<JSON
${JSON.stringify(body)}
JSON`
}
