import { parse } from 'node:path'
import { Command } from 'commander'
import * as v from 'valibot'
import type { FoundTrigger } from '../engine/all-workflows.ts'
import { ANY_REQUEST, exampleLine } from '../triggers/example-line.ts'
import {
  getWebhookInfo,
  setWebhook,
  setWebhookBody,
  type WebhookInfo,
} from '../triggers/messaging-bot/bot-api.ts'
import { UPDATE_KINDS, type UpdateKind } from '../triggers/messaging-bot/places.ts'
import type { ExampleRequest } from '../triggers/trigger.ts'
import { baseAddress, RELAY_ADDRESS, readAddress } from '../wire/address.ts'
import { type Problem, UserError } from '../wire/errors.ts'
import { webhookUrl, withToken } from '../wire/path.ts'
import { printable, printableJson } from '../wire/printable.ts'
import { type Environment, readSetting } from '../wire/settings.ts'
import { environmentHelp } from '../wire/settings-help.ts'
import { POSIX, type Shell } from '../wire/shell.ts'
import { didYouMean, quoted } from '../workflow/suggestion.ts'
import { botApiFrom, botFrom } from './bot-here.ts'
import { originRepository } from './files.ts'
import { type MadeGrant, makeGrant } from './grant.ts'
import { describeRelay, type RelayDescription } from './relay-description.ts'
import { type ScopeOptions, withScopeOptions } from './scope-options.ts'
import { GITHUB_TOKEN, sealingKey } from './seal.ts'
import { shellHere, warn } from './terminal.ts'

interface UrlOptions extends BotUrlOptions, Partial<ScopeOptions> {
  readonly relay?: string
  readonly trigger?: string
  readonly bot?: boolean
  readonly secretEnv?: string
  readonly json?: boolean
}

const HELP = `
With --relay the command asks the relay which form its URLs have. The URL
contains the narrowest credential that is available:
  1. a grant, if HOOKLINE_SIGNING_KEYS holds the signing keys of the relay
     (--dispatch, --ref and --expires limit it)
  2. HOOKLINE_CREDENTIAL, if it is a grant or a sealed token
  3. HOOKLINE_CREDENTIAL, sealed for this path, if it is a GitHub token
Otherwise the sender sets the header X-Platform-Authorization. A bot cannot set
headers, so that --bot also takes an access key, and refuses a GitHub token that
it cannot seal.

If the workflow file is in this folder, the URL includes the path of its
trigger, and the relay checks its "verify" and "config.filter" before it calls
GitHub. A credential itself is never printed.

${environmentHelp(
  'HOOKLINE_SIGNING_KEYS',
  'HOOKLINE_CREDENTIAL',
  ['BOT_TOKEN', 'bot token, for --register and to show the webhook'],
  ['BOT_SECRET', 'secret token of the webhook (option secretToken)'],
  'HOOKLINE_TELEGRAM_API_URL',
)}

Examples:
  $ hookline url hook --relay https://relay.example --repository octo/repo
  $ hookline url bot --bot --register --relay https://relay.example`

export function urlCommand(): Command {
  const command = new Command('url')
    .description('print a webhook URL and a curl line; register the webhook of a bot')
    .argument('<workflow>', 'file name of the workflow, without its extension')
    .option('--relay <url>', 'address of the relay (default: hookline dev, localhost:3000)')
    .option('--repository <owner/name>', 'repository (default: the git remote origin)')
    .option('--trigger <name>', 'trigger (default: webhook)')
    .option('--bot', 'print the URL and the setWebhook call of messaging_bot')
    .option('--updates <kind...>', 'kinds of update besides new messages', [])
    .option('--register', 'register the URL with the Bot API (setWebhook)')
  return withScopeOptions(command)
    .option('--secret-env <name>', "variable with the sender's secret")
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(printUrl)
}

async function printUrl(argument: string, given: UrlOptions): Promise<void> {
  const { bot = given.register, json } = given
  const workflow = workflowName(argument)
  const trigger = given.trigger ?? (bot ? 'messaging_bot' : 'webhook')
  await checkTrigger(trigger)
  const relay = baseAddress(readAddress(given.relay ?? DEV, RELAY_ADDRESS))
  // A request to hookline dev carries no credential.
  const isDev = given.relay === undefined && given.repository === undefined
  const description = given.relay === undefined ? undefined : await describeRelay(relay)
  const repository = isDev ? undefined : urlRepository(given, description)
  if (given.repository === undefined) await warnOfMissingFile(workflow)
  const bare = webhookUrl({
    relay,
    repository: description?.singleRepository ? undefined : repository,
    workflow,
    trigger,
  })
  const path = bare.split('/').slice(-2).join('/')
  const found = await triggerHere(path)
  const granted = await grantFor(path, { ...given, ...(repository && { repository }) }, found)
  const shell = shellHere()
  const variable = shell.variable('HOOKLINE_CREDENTIAL')
  const credential =
    granted?.text ??
    (isDev ? undefined : await sealedCredential({ relay, repository, path, variable, description }))
  const seal = isDev ? undefined : sealLine(relay, repository, path, shell)
  const described = bot
    ? await describeBot(bare, credential === variable ? undefined : credential, given, process.env)
    : describeWebhook(bare, found?.example ?? ANY_REQUEST, credential, seal, shell)
  if (!bot && !isDev && credential === undefined) warn([NO_CREDENTIAL])
  const { text: own, ...others } = described
  const fields = { ...others, ...(granted && grantFields(granted)) }
  const text = own + (granted ? relayConditionLines(granted) : '')
  if (granted && !json) {
    process.stderr.write(`id of the grant (to revoke it): ${granted.grant.id}\n`)
  }
  process.stdout.write(json ? `${printableJson(JSON.stringify(fields))}\n` : printable(text))
}

const NO_CREDENTIAL = {
  message: 'the URL contains no credential, and the relay refuses requests without one',
  hint: 'Have the sender set the header X-Platform-Authorization, or set HOOKLINE_CREDENTIAL or HOOKLINE_SIGNING_KEYS and run the command again.',
}

/** @throws UserError for a path, with the name that a URL needs in its place */
function workflowName(argument: string): string {
  if (!/[\\/]/.test(argument)) return argument
  const name = parse(argument.replaceAll('\\', '/')).name
  throw new UserError({
    message: `the workflow ${quoted(argument)} is a path`,
    hint: `Use the file name without its extension: hookline url ${name}`,
  })
}

async function checkTrigger(trigger: string): Promise<void> {
  const { TRIGGERS } = await import('../triggers/index.ts')
  if (TRIGGERS.has(trigger)) return
  const names = [...TRIGGERS.keys()]
  const hint = didYouMean(trigger, names)
  const notes = [`triggers: ${names.join(', ')}`]
  const message = `unknown trigger ${quoted(trigger)}`
  throw new UserError({ message, ...(hint && { hint }), notes })
}

/** Warns of a URL that starts nothing; only a folder with workflow files shows that. */
async function warnOfMissingFile(given: string): Promise<void> {
  const { workflowNamesHere } = await import('./workflows-here.ts')
  const workflow = given.replace(/\.ya?ml$/, '')
  const names = workflowNamesHere()
  if (names.length === 0 || names.includes(workflow)) return
  const hint = didYouMean(workflow, names)
  const notes = [`workflows here: ${names.join(', ')}`]
  const message = `there is no workflow file ${quoted(workflow)} here, so the URL starts nothing`
  warn([{ message, ...(hint && { hint }), notes }])
}

/** The address of `hookline dev`. */
const DEV = 'http://localhost:3000'

/** The trigger, if its file is in this folder; its conditions include only readable secrets. */
async function triggerHere(path: string): Promise<FoundTrigger | undefined> {
  const { triggersHere, triggersToAsk } = await import('./workflows-here.ts')
  const isIt = (each: FoundTrigger) => `${each.workflow}/${each.trigger}` === path
  const asking = triggersToAsk(process.env).find(isIt)
  const other = asking ? undefined : triggersHere().find(isIt)
  return asking ?? (other && { ...other, signatures: [], filter: undefined })
}

/** @throws UserError if the URL has to contain a repository, and none is known */
function urlRepository(
  { repository, relay }: UrlOptions,
  description: RelayDescription | undefined,
): string | undefined {
  if (repository !== undefined || relay === undefined) return repository
  const origin = originRepository()
  if (origin !== '') return origin
  if (description?.singleRepository) return undefined
  throw new UserError({
    message: 'the repository is unknown, because there is no git remote origin',
    hint: 'Add --repository owner/name.',
  })
}

interface UrlCredentialOptions {
  readonly relay: string
  readonly repository: string | undefined
  readonly path: string
  /** The shell's variable: `$HOOKLINE_CREDENTIAL`. */
  readonly variable: string
  readonly description: RelayDescription | undefined
}

/**
 * The grant or sealed token of HOOKLINE_CREDENTIAL, as the shell's variable; or its GitHub token, sealed
 * for this path. `undefined` for anything else, because a plain token does not belong into a URL.
 *
 * @throws UserError if the relay's sealing key cannot be fetched
 */
async function sealedCredential({
  relay,
  repository,
  path,
  variable,
  description,
}: UrlCredentialOptions): Promise<string | undefined> {
  const token = readSetting(process.env, 'HOOKLINE_CREDENTIAL')?.reveal() ?? ''
  if (GITHUB_TOKEN.test(token)) {
    if (repository === undefined || !description?.seal) return undefined
    const { sealToken } = await import('../relay/credentials/seal.ts')
    return sealToken({ token, repository, path }, await sealingKey({ relay }))
  }
  if (/^[\w-]+\.[\w-]*\.[\w-]+(?:\.[\w-]+\.[\w-]+)?$/.test(token)) return variable
  return undefined
}

interface UrlGrant extends MadeGrant {
  /** The conditions of the trigger that only the workflow can check: one line each. */
  readonly inWorkflow: readonly string[]
}

/** A grant for the URL's path with the conditions of its trigger; `undefined` without signing keys. */
async function grantFor(
  path: string,
  options: UrlOptions,
  found: FoundTrigger | undefined,
): Promise<UrlGrant | undefined> {
  const { repository, dispatch, ref, expires, secretEnv, relay } = options
  const keys = readSetting(process.env, 'HOOKLINE_SIGNING_KEYS')
  if (keys && repository !== undefined) {
    const { conditionsOfTrigger, withoutVerify } = await import('./grant/of-trigger.ts')
    const { secretFrom } = await import('./grant/grant-conditions.ts')
    const secret = secretFrom(secretEnv, undefined, process.env)
    const { conditions, inWorkflow } = found
      ? conditionsOfTrigger(found, secret)
      : { conditions: undefined, inWorkflow: [] }
    const scope = { ...options, repository, path }
    try {
      return { ...(await makeGrant({ ...scope, conditions }, process.env)), inWorkflow }
    } catch (error) {
      // A relay without sealing keys cannot receive a secret; the workflow then verifies instead. An
      // explicit --secret-env asks for the relay, so that the error counts.
      if (!(error instanceof UserError) || !conditions?.isSecret || secret || !relay) throw error
      const [problem] = error.problems
      const reason = `verify: ${problem?.message ?? 'the secret cannot be sealed'}`
      const rest = { ...scope, conditions: withoutVerify(conditions) }
      return { ...(await makeGrant(rest, process.env)), inWorkflow: [...inWorkflow, reason] }
    }
  }
  if ([dispatch, ref, expires, secretEnv].every((flag) => flag === undefined)) return undefined
  throw new UserError({
    message:
      '--dispatch, --ref, --expires and --secret-env limit a grant, which needs signing keys',
    hint: 'Set HOOKLINE_SIGNING_KEYS, and add --repository owner/name.',
  })
}

const PLAIN_TOKEN: Problem = {
  message:
    'HOOKLINE_CREDENTIAL is a plain GitHub token, which Telegram would receive and store in the webhook URL',
  hint: 'Name a relay that has HOOKLINE_SEALING_KEYS, so that the token is sealed: --relay <url> --repository <owner/name>',
  notes: ['or set HOOKLINE_CREDENTIAL to a grant, a sealed token or an access key'],
}

interface BotUrlOptions {
  readonly updates: readonly string[]
  readonly register?: boolean
}

/**
 * A bot's webhook URL and its setWebhook call. With `register` it makes the call. With BOT_TOKEN it shows
 * the present webhook.
 *
 * @throws UserError if a variable is missing, the URL would contain a plain GitHub token, or the Bot API
 *   refuses the call
 */
async function describeBot(
  bare: string,
  grant: string | undefined,
  { updates, register = false }: BotUrlOptions,
  env: Environment,
): Promise<Described> {
  const kinds = updates.map(updateKind)
  const carried = grant ?? readSetting(env, 'HOOKLINE_CREDENTIAL')?.reveal()
  if (carried !== undefined && GITHUB_TOKEN.test(carried)) throw new UserError(PLAIN_TOKEN)
  const bot = env.BOT_TOKEN ? botFrom(env, env.BOT_TOKEN, [carried, env.BOT_SECRET]) : undefined
  if (register) {
    if (!bot) throw missingVariable('BOT_TOKEN', 'the token that BotFather gave you')
    if (!carried)
      throw missingVariable('HOOKLINE_CREDENTIAL', 'the credential that the URL contains')
    const url = withToken(bare, encodeURIComponent(carried))
    await setWebhook(bot, { url, secretToken: env.BOT_SECRET || undefined, updates: kinds })
  }
  const url = withToken(bare, grant ?? shellHere().variable('HOOKLINE_CREDENTIAL'))
  const { call, text: line } = registrationOf(url, kinds, env)
  const webhook = bot && (await getWebhookInfo(bot))
  const state = webhook ? infoText(webhook, bare) : 'unknown: set BOT_TOKEN to ask the Bot API'
  const title = register ? 'Webhook, registered just now' : 'Present webhook'
  const text = lines('Webhook URL', url, 'Register it', line, title, state)
  return { text, url, setWebhook: call, registered: register, webhook: webhook ?? null }
}

/** The setWebhook call, also as a line in which the shell fills in the bot's token and secret. */
export function registrationOf(
  url: string,
  updates: readonly UpdateKind[] = [],
  env: Environment = process.env,
) {
  const shell = shellHere()
  const names = ['HOOKLINE_CREDENTIAL', 'BOT_TOKEN', 'BOT_SECRET']
  const variables = names.map((name) => shell.variable(name))
  const [, botToken = '', secretToken = ''] = variables
  const body = setWebhookBody({ url, secretToken, updates })
  const call = { method: 'POST', url: `${botApiFrom(env)}/bot${botToken}/setWebhook`, body }
  const headers = { 'Content-Type': 'application/json' }
  const text =
    shell.name === 'powershell'
      ? shell.request({ ...call, headers, body: JSON.stringify(body), variables })
      : hereDocument(call.url, botToken, body)
  return { call, text }
}

/** A here-document, because the shell fills in every variable of it. */
function hereDocument(url: string, botToken: string, body: object): string {
  return `curl -sS ${POSIX.quoted(url, [botToken])} -H 'Content-Type: application/json' -d @- <<JSON
${JSON.stringify(body)}
JSON`
}

function updateKind(name: string): UpdateKind {
  const kind = v.safeParse(v.picklist(UPDATE_KINDS), name)
  if (kind.success) return kind.output
  const hint = didYouMean(name, UPDATE_KINDS)
  throw new UserError({
    message: `unknown kind of update ${JSON.stringify(name)}`,
    ...(hint && { hint }),
    notes: [`allowed: ${UPDATE_KINDS.join(', ')}`],
  })
}

function missingVariable(variable: string, meaning: string): UserError {
  return new UserError({
    message: `--register needs ${variable}: ${meaning}`,
    hint: `Set it without showing it: read -rs ${variable} && export ${variable}`,
  })
}

function infoText({ url, pending, lastError, updates }: WebhookInfo, bare: string): string {
  if (url === '') return `none; ${pending} updates waiting`
  return [
    `${url}${url === bare ? '' : ' (not the URL above)'}`,
    `${pending} updates waiting${updates.length > 0 ? `, of ${updates.join(', ')}` : ''}`,
    ...(lastError ? [`last error ${lastError.at}: ${lastError.message}`] : []),
  ].join('\n')
}

/** The output of the command: `text`, or the other fields as JSON. */
interface Described {
  readonly text: string
  readonly url: string
  readonly [field: string]: unknown
}

/**
 * A webhook URL and a curl line that keeps the credential out of the URL.
 *
 * @param token a grant or a sealed token, which the URL may contain; `undefined` for a header
 * @param seal the command that seals a token; `undefined` if the URL needs no credential
 */
function describeWebhook(
  bare: string,
  example: ExampleRequest,
  token: string | undefined,
  seal: string | undefined,
  shell: Shell,
): Described {
  const address = bare + example.path
  const isOpen = token === undefined && seal === undefined
  // The shell fills in the credential, so that it is never printed.
  const variable = shell.variable('HOOKLINE_CREDENTIAL')
  const curl = exampleLine(bare, example, isOpen ? undefined : (token ?? variable), shell.request)
  const url = token === undefined ? address : withToken(address, token)
  const parts = ['Webhook URL', url]
  if (token !== undefined || seal === undefined) {
    return { text: lines(...parts, 'Try it', curl), url, curl }
  }
  const header = `X-Platform-Authorization: Bearer ${variable}`
  const other = 'For a sender that cannot set headers, seal a token for the URL'
  parts.push('Header that the sender sets', header, 'Try it', curl, other, seal)
  return { text: lines(...parts), url, header, curl }
}

function sealLine(
  relay: string,
  repository: string | undefined,
  path: string,
  { quoted }: Shell,
): string {
  const scope = `--repository ${quoted(repository ?? 'owner/name')} --path ${quoted(path)}`
  return `hookline seal --relay ${quoted(relay)} ${scope}   # or hookline grant`
}

function grantFields({ grant, conditions, inWorkflow }: UrlGrant) {
  return {
    grant,
    ...(conditions && { conditions: conditions.shown }),
    ...(inWorkflow.length > 0 && { inWorkflow }),
  }
}

/** The conditions that the relay checks, and those that only the workflow checks. */
function relayConditionLines({ conditions, inWorkflow }: UrlGrant): string {
  const checked = Object.entries(conditions?.shown ?? {}).map(([name, what]) => `${name}: ${what}`)
  const parts = [
    ...(checked.length > 0 ? ['The relay checks, as the file says now', checked.join('\n')] : []),
    ...(inWorkflow.length > 0 ? ['Only the workflow checks', inWorkflow.join('\n')] : []),
  ]
  return parts.length > 0 ? `\n${lines(...parts)}` : ''
}

/** Headings as shell comments, so that the whole output can be pasted into a shell. */
function lines(...parts: string[]): string {
  return parts.map((part, at) => (at % 2 === 0 ? `# ${part}` : `${part}\n`)).join('\n')
}
