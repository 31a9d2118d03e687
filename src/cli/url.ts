import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import * as v from 'valibot'
import { http } from '../action/http.ts'
import type { FoundTrigger } from '../engine/all-workflows.ts'
import { ANY_REQUEST, exampleLine } from '../triggers/example-line.ts'
import {
  BOT_TOKEN,
  type Bot,
  getWebhookInfo,
  setWebhook,
  setWebhookBody,
  type WebhookInfo,
  withoutSecret,
} from '../triggers/messaging-bot/bot-api.ts'
import { UPDATE_KINDS, type UpdateKind } from '../triggers/messaging-bot/updates.ts'
import type { ExampleRequest } from '../triggers/trigger.ts'
import { baseOf, RELAY_ADDRESS, readAddress } from '../wire/address.ts'
import { UserError } from '../wire/errors.ts'
import type { Http } from '../wire/http.ts'
import { webhookUrl, withToken } from '../wire/path.ts'
import { printable, printableJson } from '../wire/printable.ts'
import { Secret } from '../wire/secret.ts'
import { type Environment, readSetting } from '../wire/settings.ts'
import { environmentHelp } from '../wire/settings-help.ts'
import { POSIX, type Shell } from '../wire/shell.ts'
import { didYouMean, quoted } from '../workflow/suggestion.ts'
import { originRepository } from './files.ts'
import type { MadeDoor } from './grant/door.ts'
import { type MadeGrant, makeGrant } from './grant.ts'
import { type ScopeOptions, withScopeOptions } from './scope.ts'
import { GITHUB_TOKEN, sealingKey } from './seal.ts'
import { shellHere, warn } from './terminal.ts'

interface UrlOptions extends BotUrlOptions, Partial<ScopeOptions> {
  readonly relay?: string
  readonly selfHosted?: boolean
  readonly trigger?: string
  readonly bot?: boolean
  readonly secretEnv?: string
  readonly json?: boolean
}

const HELP = `
The URL carries the safest that is at hand: a grant, where HOOKLINE_SIGNING_KEYS are the keys of a relay
with a token or an App of its own (--dispatch, --ref and --expires narrow it); a token sealed for this one
path, where the relay has keys for it; else nothing, and the sender sets a header. Where the file of the
workflow is here, the path that its trigger asks for follows, and a grant has the relay ask what the file
asks: \`verify\`, with the secret by its own name in the environment or by --secret-env, and as much of
\`config.filter\` as an expression can say. A token itself is never printed.

${environmentHelp(
  'HOOKLINE_SIGNING_KEYS',
  'HOOKLINE_GITHUB_TOKEN',
  ['BOT_TOKEN', "the bot's token, for --set and for what the bot API knows of its webhook"],
  ['BOT_SECRET', 'the option secretToken of the trigger'],
  'HOOKLINE_TELEGRAM_API_URL',
)}

Examples:
  $ hookline url hook --relay https://relay.example --repository octo/repo
  $ hookline url bot --bot --set --relay https://relay.example --repository octo/repo`

export function urlCommand(): Command {
  const command = new Command('url')
    .description('print a webhook URL, its curl line, and for a bot the setWebhook call')
    .argument('<workflow>', 'file name of the workflow, without its extension')
    .option('--relay <url>', 'address of the relay; by default hookline dev, on this machine')
    .option('--repository <owner/name>', 'by default, with --relay, the git remote origin')
    .option('--self-hosted', 'the URL of a relay that serves one repository, or of dev')
    .option('--trigger <name>', 'trigger, by default webhook')
    .option('--bot', 'the URL of messaging_bot, and the call that registers it')
    .option('--updates <kind...>', 'kinds of update besides new messages', [])
    .option('--set', 'make the setWebhook call')
  return withScopeOptions(command)
    .option('--secret-env <name>', "variable with the sender's secret, for a trigger that verifies")
    .option('--json', 'print one JSON object')
    .addHelpText('after', HELP)
    .action(printUrl)
}

async function printUrl(workflow: string, given: UrlOptions): Promise<void> {
  const { bot = given.set, json } = given
  const relay = baseOf(readAddress(given.relay ?? DEV, RELAY_ADDRESS))
  const repository = repositoryOf(given)
  const options = { ...given, ...(repository !== undefined && { repository }) }
  const trigger = options.trigger ?? (bot ? 'messaging_bot' : 'webhook')
  const { TRIGGERS } = await import('../triggers/index.ts')
  if (!TRIGGERS.has(trigger)) {
    const names = [...TRIGGERS.keys()]
    const hint = didYouMean(trigger, names)
    const notes = [`triggers: ${names.join(', ')}`]
    const message = `unknown trigger ${quoted(trigger)}`
    throw new UserError({ message, ...(hint && { hint }), notes })
  }
  if (given.repository === undefined) await tellMissing(workflow)
  const bare = webhookUrl({ relay, repository, workflow, trigger })
  const path = bare.split('/').slice(-2).join('/')
  const found = await triggerHere(path)
  const granted = await grantFor(path, options, found)
  // What hookline dev is sent brings no credential.
  const isDev = given.relay === undefined && repository === undefined
  const shell = shellHere()
  const variable = shell.variable('HOOKLINE_GITHUB_TOKEN')
  const token =
    granted?.text ?? (isDev ? undefined : await sealedAtHand(relay, repository, path, variable))
  const seal = isDev ? undefined : sealCommand(relay, repository, path, shell)
  const described = bot
    ? await describeBot(bare, token === variable ? undefined : token, options, process.env)
    : describeWebhook(bare, found?.example ?? ANY_REQUEST, token, seal, shell)
  const { text: own, ...others } = described
  const fields = { ...others, ...(granted && grantFields(granted)) }
  const text = own + (granted ? doorLines(granted) : '')
  process.stdout.write(json ? `${printableJson(JSON.stringify(fields))}\n` : printable(text))
}

/** A slip in the name would be a URL that starts nothing; where no file is here at all, nobody can tell. */
async function tellMissing(given: string): Promise<void> {
  const { workflowNamesHere } = await import('./workflows-here.ts')
  // In the URL it stands without its extension, too.
  const workflow = given.replace(/\.ya?ml$/, '')
  const names = workflowNamesHere()
  if (names.length === 0 || names.includes(workflow)) return
  const hint = didYouMean(workflow, names)
  const notes = [`workflows here: ${names.join(', ')}`]
  const message = `there is no workflow file ${quoted(workflow)} here, so that the URL starts nothing`
  warn([{ message, ...(hint && { hint }), notes }])
}

/** Where `hookline dev` listens. */
const DEV = 'http://localhost:3000'

/** The trigger, where its file is here: its path goes into the URL, and what it asks into the grant. */
async function triggerHere(path: string): Promise<FoundTrigger | undefined> {
  const { triggersHere, triggersToAsk } = await import('./workflows-here.ts')
  const isIt = (each: FoundTrigger) => `${each.workflow}/${each.trigger}` === path
  const asking = triggersToAsk(process.env).find(isIt)
  const other = asking ? undefined : triggersHere().find(isIt)
  return asking ?? (other && { ...other, proofs: [], filter: undefined })
}

/** @throws UserError where a hosted relay would take another part of the URL for the repository */
function repositoryOf({ repository, relay, selfHosted }: UrlOptions): string | undefined {
  if (repository !== undefined || selfHosted || relay === undefined) return repository
  const origin = originRepository()
  if (origin !== '') return origin
  throw new UserError({
    message: 'which repository? There is no git remote',
    hint: 'give --repository owner/name, or --self-hosted for a relay that serves one repository',
  })
}

/** A token that was sealed before, or can be now; a plain one does not belong in a URL. */
async function sealedAtHand(
  relay: string,
  repository: string | undefined,
  path: string,
  variable: string,
) {
  const token = readSetting(process.env, 'HOOKLINE_GITHUB_TOKEN')?.reveal() ?? ''
  if (/^[\w-]+\.[\w-]*\.[\w-]+(?:\.[\w-]+\.[\w-]+)?$/.test(token)) return variable
  if (!GITHUB_TOKEN.test(token) || repository === undefined) return undefined
  try {
    const { sealToken } = await import('../relay/seal.ts')
    return await sealToken({ token, repository, path }, await sealingKey({ relay }))
  } catch {
    // A relay without keys for it: the token goes into a header.
    return undefined
  }
}

interface Granted extends MadeGrant {
  /** What the trigger asks, and the relay cannot. */
  readonly left: readonly string[]
}

/**
 * A grant for the URL's own path, which asks what the trigger's file asks; `undefined` where the keys
 * are not at hand.
 */
async function grantFor(
  path: string,
  options: UrlOptions,
  found: FoundTrigger | undefined,
): Promise<Granted | undefined> {
  const { repository, dispatch, ref, expires, secretEnv, relay } = options
  const keys = readSetting(process.env, 'HOOKLINE_SIGNING_KEYS')
  if (keys && repository !== undefined) {
    const { doorOfTrigger, withoutVerify } = await import('./grant/of-trigger.ts')
    const { secretFrom } = await import('./grant/door.ts')
    const secret = secretFrom(secretEnv, undefined, process.env)
    const asked = found ? doorOfTrigger(found, secret) : { door: undefined, left: [] }
    const scope = { ...options, repository, path }
    const make = (door: MadeDoor | undefined) => makeGrant({ ...scope, door }, process.env)
    try {
      return { ...(await make(asked.door)), left: asked.left }
    } catch (error) {
      // A relay without keys to seal by cannot be given a secret; who named one is told so.
      if (!(error instanceof UserError) || !asked.door?.isSecret || secret || !relay) throw error
      const [problem] = error.problems
      const left = [...asked.left, `verify: ${problem?.message ?? 'it cannot be sealed'}`]
      return { ...(await make(withoutVerify(asked.door))), left }
    }
  }
  if ([dispatch, ref, expires, secretEnv].every((flag) => flag === undefined)) return undefined
  throw new UserError({
    message: '--dispatch, --ref, --expires and --secret-env belong to a grant, and there is none',
    hint: 'set HOOKLINE_SIGNING_KEYS, and give --repository owner/name',
  })
}

interface BotUrlOptions {
  readonly updates: readonly string[]
  readonly set?: boolean
}

/**
 * A bot's webhook URL and its setWebhook call; with `set`, makes the call. What the bot API knows of
 * the webhook is shown when the token is there.
 *
 * @throws UserError when a token that is needed is not in the environment, or the bot API refuses
 */
async function describeBot(
  bare: string,
  grant: string | undefined,
  { updates, set = false }: BotUrlOptions,
  env: Environment,
): Promise<Described> {
  const kinds = updates.map(updateKind)
  const carried = grant ?? readSetting(env, 'HOOKLINE_GITHUB_TOKEN')?.reveal()
  const bot = env.BOT_TOKEN ? botFrom(env, env.BOT_TOKEN, carried) : undefined
  if (set) {
    if (!bot) throw missing('BOT_TOKEN', 'the token of the bot, as BotFather gives it')
    if (!carried) throw missing('HOOKLINE_GITHUB_TOKEN', 'what the URL carries in __token')
    const carrying = withToken(bare, encodeURIComponent(carried))
    const secretToken = env.BOT_SECRET || undefined
    await setWebhook(bot, { url: carrying, secretToken, updates: kinds })
  }
  const url = withToken(bare, grant ?? shellHere().variable('HOOKLINE_GITHUB_TOKEN'))
  const { call, text: register } = registrationOf(url, kinds, env)
  const webhook = bot && (await getWebhookInfo(bot))
  const state = webhook ? infoText(webhook, bare) : 'unknown: set BOT_TOKEN to ask the bot API'
  const title = set ? 'Webhook, as it was just set' : 'Webhook now'
  const text = lines('Webhook URL', url, 'Register it', register, title, state)
  return { text, url, setWebhook: call, set, webhook: webhook ?? null }
}

/**
 * The call that registers a bot's webhook, and as a line for the shell, which fills in the bot's token
 * and its secret.
 */
export function registrationOf(
  url: string,
  updates: readonly UpdateKind[] = [],
  env: Environment = process.env,
) {
  const shell = shellHere()
  const names = ['HOOKLINE_GITHUB_TOKEN', 'BOT_TOKEN', 'BOT_SECRET']
  const variables = names.map((name) => shell.variable(name))
  const [, botToken = '', secretToken = ''] = variables
  const body = setWebhookBody({ url, secretToken, updates })
  const call = { method: 'POST', url: `${apiFrom(env)}/bot${botToken}/setWebhook`, body }
  const headers = { 'Content-Type': 'application/json' }
  const text =
    shell.name === 'powershell'
      ? shell.request({ ...call, headers, body: JSON.stringify(body), variables })
      : hereDocument(call.url, botToken, body)
  return { call, text }
}

/** In a here-document the shell fills in every variable. */
function hereDocument(url: string, botToken: string, body: object): string {
  return `curl -sS ${POSIX.quoted(url, [botToken])} -H 'Content-Type: application/json' -d @- <<JSON
${JSON.stringify(body)}
JSON`
}

function botFrom(env: Environment, token: string, carried: string | undefined): Bot {
  if (!BOT_TOKEN.test(token)) {
    throw new UserError({ message: 'BOT_TOKEN is not a bot token: digits, a colon and a string' })
  }
  const hidden = [carried, env.BOT_SECRET].flatMap((text) => text || [])
  const api = apiFrom(env)
  // Its answers may hold what it was given: the secrets are taken out of them.
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

function apiFrom(env: Environment): string {
  return baseOf(readSetting(env, 'HOOKLINE_TELEGRAM_API_URL'))
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

function missing(variable: string, meaning: string): UserError {
  return new UserError({ message: `--set needs ${variable} in the environment: ${meaning}` })
}

function infoText({ url, pending, lastError, updates }: WebhookInfo, bare: string): string {
  if (url === '') return `none, ${pending} updates waiting to be polled`
  return [
    `${url}${url === bare ? '' : ' (not the one above)'}`,
    `${pending} updates waiting${updates.length > 0 ? `, of ${updates.join(', ')}` : ''}`,
    ...(lastError ? [`last error ${lastError.at}: ${lastError.message}`] : []),
  ].join('\n')
}

/** What a command prints: as text, or the other fields as JSON. */
interface Described {
  readonly text: string
  readonly url: string
  readonly [field: string]: unknown
}

/**
 * A webhook URL, and a curl line to try it with, which keeps the token out of the URL.
 *
 * @param token a grant or a sealed one, which may stand in the URL; `undefined` for a header
 * @param seal the command that makes one, for who cannot set a header; absent where none is needed
 */
function describeWebhook(
  bare: string,
  example: ExampleRequest,
  token: string | undefined,
  seal: string | undefined,
  shell: Shell,
): Described {
  const place = bare + example.path
  const isOpen = token === undefined && seal === undefined
  // Stands for the token in what is printed; the shell puts it in.
  const variable = shell.variable('HOOKLINE_GITHUB_TOKEN')
  const curl = exampleLine(bare, example, isOpen ? undefined : (token ?? variable), shell.request)
  const url = token === undefined ? place : withToken(place, token)
  const parts = ['Webhook URL', url]
  if (token !== undefined || seal === undefined) {
    return { text: lines(...parts, 'Try it', curl), url, curl }
  }
  const header = `X-Platform-Authorization: Bearer ${variable}`
  const other = 'A sender that sets no header needs a token that may stand in a URL'
  parts.push('Header that the sender sets', header, 'Try it', curl, other, seal)
  return { text: lines(...parts), url, header, curl }
}

function sealCommand(
  relay: string,
  repository: string | undefined,
  path: string,
  { quoted }: Shell,
): string {
  const scope = `--repository ${quoted(repository ?? 'owner/name')} --path ${quoted(path)}`
  return `hookline seal --relay ${quoted(relay)} ${scope}   # or hookline grant`
}

function grantFields({ grant, door, left }: Granted) {
  return { grant, ...(door && { door: door.shown }), ...(left.length > 0 && { left }) }
}

/** What the relay asks by the grant, and what it leaves to the workflow. */
function doorLines({ door, left }: Granted): string {
  const asked = Object.entries(door?.shown ?? {}).map(([name, what]) => `${name}: ${what}`)
  const parts = [
    ...(asked.length > 0
      ? ['The relay asks this by itself, as the file says it now', asked.join('\n')]
      : []),
    ...(left.length > 0 ? ['It leaves to the workflow', left.join('\n')] : []),
  ]
  return parts.length > 0 ? `\n${lines(...parts)}` : ''
}

/** Headings with what stands under them, at the margin, so that it can be pasted into a shell. */
function lines(...parts: string[]): string {
  return parts.map((part, at) => (at % 2 === 0 ? `# ${part}` : `${part}\n`)).join('\n')
}
