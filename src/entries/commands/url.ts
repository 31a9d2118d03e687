import { Command } from 'commander'
import { UserError } from '../../wire/errors.ts'
import { webhookUrl } from '../../wire/path.ts'
import { didYouMean, quoted } from '../../workflow/suggestion.ts'
import type { BotUrlOptions } from '../cli/bot-webhook.ts'
import { describeBot } from '../cli/bot-webhook.ts'
import { describeWebhook } from '../cli/webhook-lines.ts'

interface UrlOptions extends BotUrlOptions {
  readonly relay: string
  readonly repository?: string
  readonly trigger?: string
  readonly bot?: boolean
  readonly json?: boolean
}

const HELP = `
Tokens are read from the environment and never printed:
  HOOKLINE_TOKEN  what the URL carries in __token: the platform token, or a key of the relay
  BOT_TOKEN       the bot's token, for --set and for what the bot API knows of its webhook
  BOT_SECRET      the option secretToken of the trigger

Examples:
  $ hookline url hook --relay https://relay.example --repository octo/repo
  $ hookline url bot --bot --set --relay https://relay.example --repository octo/repo`

export function urlCommand(): Command {
  return new Command('url')
    .description('print a webhook URL, its curl line, and for a bot the setWebhook call')
    .argument('<workflow>', 'file name of the workflow, without its extension')
    .option('--relay <url>', 'address of the relay', 'http://localhost:3000')
    .option('--repository <owner/name>', 'repository; without it the URL is the self-hosted one')
    .option('--trigger <name>', 'trigger, by default webhook')
    .option('--bot', 'the URL of messaging_bot, and the call that registers it')
    .option('--updates <kind...>', 'kinds of update besides new messages', [])
    .option('--set', 'make the setWebhook call')
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(run)
}

async function run(workflow: string, options: UrlOptions): Promise<void> {
  const { bot = options.set, relay, repository, json } = options
  const trigger = options.trigger ?? (bot ? 'messaging_bot' : 'webhook')
  await checkTrigger(trigger)
  const url = webhookUrl({ relay, repository, workflow, trigger })
  const described = bot ? await describedBot(url, options) : describeWebhook(url)
  const { text, ...fields } = described
  process.stdout.write(json ? `${JSON.stringify(fields)}\n` : text)
}

/** An address of a trigger that is none would fire nothing. */
async function checkTrigger(name: string): Promise<void> {
  const { TRIGGERS } = await import('../../triggers/index.ts')
  if (TRIGGERS.has(name)) return
  const hint = didYouMean(name, [...TRIGGERS.keys()])
  const notes = [`triggers: ${[...TRIGGERS.keys()].join(', ')}`]
  throw new UserError({ message: `unknown trigger ${quoted(name)}`, ...(hint && { hint }), notes })
}

/** Loaded only here: most commands have nothing to do with a bot. */
async function describedBot(url: string, options: UrlOptions) {
  return describeBot(url, options, process.env)
}
