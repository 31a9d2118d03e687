import { Command, Option } from 'commander'
import { isLoopback } from '../wire/address.ts'
import { UsageError, UserError } from '../wire/errors.ts'
import { printable } from '../wire/printable.ts'
import { checkedRepository } from '../wire/settings.ts'
import { environmentHelp } from '../wire/settings-help.ts'
import {
  BOT_TRIGGER,
  type BotRegistration,
  botRegistration,
  unregisterBot,
} from './endpoint/bot.ts'
import {
  checkedOwner,
  endpointAndUrl,
  listEndpoints,
  namedEndpoint,
  ownerHere,
  readEndpoint,
  storedSettings,
} from './endpoint/named-endpoint.ts'
import {
  type AdminSettings,
  type EndpointChecks,
  endpointChecks,
  endpointTargets,
  plainSettings,
  refuseRef,
  type SettingOptions,
  withSettingOptions,
  workflowName,
} from './endpoint/settings.ts'
import { findRelay, RELAY_VARIABLES, type SharedOptions, withRelayOptions } from './find-relay.ts'
import { repositoryHere } from './flag-values.ts'
import { type AdminAnswer, type RelayClient, RelayRefusal } from './relay-client.ts'
import { type CheckedTarget, readEndpointTarget } from './target/endpoint-target.ts'
import { print, printJson, textTable, warn } from './terminal.ts'

interface CreateOptions extends SharedOptions, SettingOptions {
  readonly anyWorkflow?: boolean
  readonly botTokenEnv?: string
}

interface UpdateOptions extends SharedOptions, SettingOptions {
  readonly remove?: readonly (typeof REMOVABLE)[number][]
}

interface BotOptions extends SharedOptions {
  readonly botTokenEnv?: string
  readonly secretEnv?: string
}

const HELP = `
An endpoint is a webhook URL that the relay stores:
https://<relay>/-/<owner>/<id>. The URL stays the same when its filter, secret
or workflow changes. Anyone with the URL can start the workflow, unless the
endpoint verifies signatures.
Before create stores anything, it reads the workflow on the default branch: its
trigger, how GitHub starts it, and its signature verification. If the workflow's
secret is exported here, or --secret-env names it, the relay verifies too.

${environmentHelp(
  ...RELAY_VARIABLES,
  ['GH_TOKEN', 'GitHub token that reads the workflow (default: HOOKLINE_GITHUB_TOKEN)'],
  'HOOKLINE_API_URL',
  'HOOKLINE_TELEGRAM_API_URL',
)}

Examples:
  $ hookline endpoint create orders --repository octo/shop --workflow orders
  $ hookline endpoint create pay --repository octo/shop --workflow pay \\
      --sender stripe --secret-env STRIPE_SECRET \\
      --relay https://relay.example.com
  $ hookline endpoint create bot --workflow bot --bot-token-env BOT_TOKEN
  $ hookline endpoint list
  $ hookline endpoint update orders --if "body.livemode"
  $ hookline endpoint update orders --target octo/mail:receipt octo/crm:order
  $ hookline endpoint rotate orders`

/** Settings that `update --remove` removes. */
const REMOVABLE = ['if', 'verify', 'ref', 'targets', 'expect', 'batch', 'debounce'] as const

const PATH = '/endpoints'

/** The client of the admin API: webhook URLs that a relay stores. */
export function endpointCommand(): Command {
  const endpoint = new Command('endpoint')
    .description('create and change webhook URLs that a relay stores')
    .addHelpText('after', HELP)
    .addCommand(
      withSettingOptions(new Command('create').description('store an endpoint, and print its URL'))
        .argument('<name>', 'public name: a-z 0-9 . _ -')
        .option('--any-workflow', 'start the workflow that the rest of the URL names')
        .option(
          '--bot-token-env <name>',
          'variable with a bot token: register the URL with the bot',
        )
        .action((name, _, command) => create(name, command.optsWithGlobals())),
    )
    .addCommand(
      new Command('list')
        .description('list endpoints, without their URLs')
        .action((_, command) => list(command.optsWithGlobals())),
    )
    .addCommand(
      named('show', 'print one endpoint')
        .option('--url', 'print only the URL')
        .action((name, _, command) => show(name, command.optsWithGlobals())),
    )
    .addCommand(
      withSettingOptions(named('update', 'change settings; the URL stays the same'))
        .addOption(new Option('--remove <setting...>', 'remove settings').choices(REMOVABLE))
        .action((name, _, command) => update(name, command.optsWithGlobals())),
    )
    .addCommand(
      named('rotate', 'replace the URL; the old one ends immediately')
        .option('--bot-token-env <name>', BOT_TOKEN_MEANING)
        .option('--secret-env <name>', 'variable with the secret token that the workflow verifies')
        .action((name, _, command) => rotate(name, command.optsWithGlobals())),
    )
    .addCommand(
      named('delete', 'delete an endpoint; its URL ends immediately')
        .option('--bot-token-env <name>', BOT_TOKEN_MEANING)
        .action((name, _, command) => remove(name, command.optsWithGlobals())),
    )
  return withRelayOptions(endpoint, 'repository (default for create: the git remote origin)')
}

function named(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .argument('<name>', 'name of the endpoint, or <owner>/<name>')
}

const BOT_TOKEN_MEANING =
  "variable with the bot's token, for an endpoint that is registered with a bot"

async function create(name: string, options: CreateOptions): Promise<void> {
  const { env } = process
  refuseRef(options)
  const repository = checkedRepository(options.repository || repositoryHere())
  const plain = plainSettings(options, env)
  if (options.anyWorkflow) return createForAny(name, repository, plain, options)
  const workflow = workflowName(options.workflow ?? '')
  if (workflow === '') {
    throw new UsageError({
      message: '--workflow is missing',
      hint: `Name the workflow that the URL starts: hookline endpoint create ${name} --workflow orders`,
      notes: ['for a URL that names the workflow itself: --any-workflow --dispatch repository'],
    })
  }
  const client = await findRelay(options)
  const target = await readEndpointTarget({ ...options, repository, workflow })
  const bot = botOf(options, target)
  const checks = bot ? botChecks(bot, options) : endpointChecks(options, target, env)
  const { trigger, dispatch } = target
  const place = { name, repository, workflow, trigger, dispatch }
  const targets = await endpointTargets(options, dispatch)
  const body = { ...place, ...targets, ...plain, ...checks.settings }
  const { endpoint, url } = await store(client, body, options)
  await bot?.register(url).catch(async (error: unknown) => {
    const path = `${PATH}/${checkedOwner(repository)}/${name}`
    await client.ask({ method: 'DELETE', path })
    throw error
  })
  if (target.unchecked !== undefined) warn([{ message: `not checked: ${target.unchecked}` }])
  noteChecks(checks, bot !== undefined)
  printUrl({ endpoint, url, inWorkflow: checks.inWorkflow }, options)
}

/** An endpoint whose URL names the workflow. */
async function createForAny(
  name: string,
  repository: string,
  plain: AdminSettings,
  options: CreateOptions,
): Promise<void> {
  const { workflow, trigger, target, botTokenEnv, dispatch } = options
  const wrong = Object.entries({ workflow, trigger, target, 'bot-token-env': botTokenEnv })
  const [other] = wrong.find(([, value]) => value !== undefined) ?? []
  if (other !== undefined) {
    throw new UsageError({
      message: `--any-workflow cannot be combined with --${other}`,
      hint: 'Omit one of them: with --any-workflow, the URL names workflow and trigger.',
    })
  }
  if (dispatch === undefined) {
    throw new UsageError({
      message: '--any-workflow needs --dispatch',
      hint: 'Add --dispatch repository, or --dispatch workflow for workflows with the input hookline.',
    })
  }
  const checks = endpointChecks(options, { declared: undefined }, process.env)
  const client = await findRelay(options)
  const body = { name, repository, anyWorkflow: true, dispatch, ...plain, ...checks.settings }
  const { endpoint, url } = await store(client, body, options)
  noteChecks(checks, false)
  process.stderr.write('add to the URL: /<workflow>/<trigger>\n')
  printUrl({ endpoint, url, inWorkflow: [] }, options)
}

async function store(client: RelayClient, body: object, { credential }: CreateOptions) {
  try {
    return endpointAndUrl(client, await client.ask({ method: 'POST', path: PATH, body }))
  } catch (error) {
    throw withCredentialHint(error, credential)
  }
}

/** The relay names its own setting; this command has a flag for it. */
function withCredentialHint(error: unknown, credential: string | undefined): unknown {
  const isMissing = error instanceof RelayRefusal && error.code === 'credential_required'
  if (!isMissing || credential === 'token') return error
  return new RelayRefusal(error.code, {
    message: 'the relay has no GitHub credential of its own',
    hint: 'Add --credential token: the relay then stores HOOKLINE_GITHUB_TOKEN, encrypted, for this endpoint.',
  })
}

/** @throws UserError for another trigger than a bot's, or a setting that does not fit */
function botOf(options: CreateOptions, target: CheckedTarget): BotRegistration | undefined {
  const { botTokenEnv, sender, verify, publicKey } = options
  if (botTokenEnv === undefined) return undefined
  const other = sender ?? verify ?? publicKey
  if (other !== undefined) {
    throw new UsageError({
      message: '--bot-token-env cannot be combined with another verification',
      hint: 'Omit --sender, --verify and --public-key: the relay verifies the secret token of the bot.',
    })
  }
  if (target.trigger !== BOT_TRIGGER) {
    throw new UserError({
      message: `--bot-token-env is for the trigger ${BOT_TRIGGER}, and this is ${target.trigger}`,
      hint: 'Omit --bot-token-env, or name the workflow of the bot: --workflow <name>',
    })
  }
  const { secretEnv } = options
  return botRegistration({ botTokenEnv, secretEnv, declared: target.declared }, process.env)
}

function botChecks({ verify }: BotRegistration, { if: condition, ifError }: CreateOptions) {
  const given = { ...(condition !== undefined && { if: condition }), ...(ifError && { ifError }) }
  const checks = endpointChecks(given, { declared: undefined }, process.env)
  return { ...checks, settings: { ...checks.settings, verify }, schemes: ['telegram'] }
}

/** Says who can start the workflow, and which conditions only the workflow checks. */
function noteChecks({ schemes, inWorkflow }: EndpointChecks, isBot: boolean): void {
  const lines = [
    ...(isBot ? ['registered with the bot'] : []),
    schemes.length > 0
      ? `verified at the relay: ${schemes.join(', ')}`
      : 'not verified at the relay: anyone with the URL can send events',
    ...inWorkflow.map((line) => `checked in the workflow only: ${line}`),
  ]
  process.stderr.write(`${printable(lines.join('\n'))}\n`)
}

async function list({ repository, json, ...options }: SharedOptions): Promise<void> {
  const client = await findRelay(options)
  const owner = repository === undefined ? undefined : checkedOwner(repository)
  const endpoints = await listEndpoints(client, owner)
  if (json) return printJson({ endpoints })
  if (endpoints.length === 0) {
    const here = owner ?? ownerHere()
    if (owner === undefined && here !== undefined) {
      process.stderr.write(
        `On Workers, only endpoints of ${here} are listed, the owner of the git remote. For another one: --repository owner/name\n`,
      )
    }
    return print('no endpoints')
  }
  const rows = endpoints.map((endpoint) => [
    `${endpoint.owner}/${endpoint.name}`,
    endpoint.unreadable ? 'no relay key decrypts it' : startedBy(endpoint),
    checksInWords(endpoint),
    endpoint.firstEvent === null
      ? 'no event yet'
      : `since ${String(endpoint.firstEvent).slice(0, 10)}`,
  ])
  print(printable(textTable([['NAME', 'STARTS', 'CHECKS', 'EVENTS'], ...rows])))
}

/** `octo/shop orders/webhook and 2 more` */
function startedBy(endpoint: AdminAnswer): string {
  const { repository, workflow, trigger, anyWorkflow, targets } = endpoint
  const others = Array.isArray(targets) ? ` and ${targets.length} more` : ''
  return `${repository} ${anyWorkflow ? 'any workflow' : `${workflow}/${trigger}${others}`}`
}

function checksInWords({ if: condition, verify }: AdminAnswer): string {
  const schemes = Array.isArray(verify) ? verify.map(String) : []
  const checks = [...schemes, ...(condition === undefined ? [] : [`if ${String(condition)}`])]
  return checks.join(', ') || 'nothing'
}

async function show(
  text: string,
  { repository, json, url: isUrl, ...options }: SharedOptions & { readonly url?: boolean },
): Promise<void> {
  const client = await findRelay(options)
  const place = await namedEndpoint(text, repository, client)
  if (isUrl) {
    const { endpoint, url } = await readEndpoint(client, place)
    return json ? printJson({ endpoint, url }) : print(printable(url))
  }
  const endpoint = await storedSettings(client, place)
  if (json) return printJson({ endpoint })
  const width = Math.max(...Object.keys(endpoint).map((key) => key.length))
  const lines = Object.entries(endpoint).map(
    ([key, value]) => `${key.padEnd(width)}  ${value === null ? 'none yet' : String(value)}`,
  )
  print(printable(lines.join('\n')))
}

async function update(text: string, options: UpdateOptions): Promise<void> {
  const { remove: removed = [], json } = options
  refuseRef(options)
  refuseRemovedAndSet(options)
  const plain = plainSettings(options, process.env)
  const client = await findRelay(options)
  const place = await namedEndpoint(text, options.repository, client)
  const known = await storedSettings(client, place)
  const changed = await changedTarget(options, known)
  const mode = (changed.dispatch ?? known.dispatch) === 'workflow' ? 'workflow' : 'repository'
  const body = {
    ...plain,
    ...changed,
    ...(await endpointTargets(options, mode)),
    ...Object.fromEntries(removed.map((setting) => [setting, null])),
    ...(removed.includes('if') && { ifError: null }),
    ...(removed.includes('batch') && { debounce: null }),
  }
  if (Object.keys(body).length === 0) {
    throw new UserError({
      message: 'nothing is changed',
      hint: 'Add a setting, for example --if "body.livemode"; or --remove if.',
    })
  }
  const { endpoint } = await client.ask({ method: 'PATCH', path: place.path, body })
  if (json) printJson({ endpoint })
  else print(printable(`${place.owner}/${place.name} is updated`))
}

/** @throws UsageError if one setting is set and removed */
function refuseRemovedAndSet({ remove: removed = [], ...options }: UpdateOptions): void {
  const { sender, verify, target } = options
  const given = { ...options, verify: sender ?? verify, targets: target }
  const both = removed.find((setting) => given[setting] !== undefined)
  if (both === undefined) return
  const flag = both === 'targets' ? 'target' : both === 'verify' && sender ? 'sender' : both
  throw new UsageError({
    message: `--${flag} cannot be combined with --remove ${both}`,
    hint: 'Omit one of them: a new value replaces the old one.',
  })
}

/** The settings that depend on the workflow, which is read again if a flag changes it. */
async function changedTarget(options: UpdateOptions, known: AdminAnswer): Promise<AdminSettings> {
  const { repository, workflow, trigger, dispatch, ref, sender, verify } = options
  const isSame = repository?.toLowerCase() === String(known.repository).toLowerCase()
  const isMoved = (repository !== undefined && !isSame) || (workflow ?? trigger) !== undefined
  if (known.anyWorkflow && (workflow ?? trigger) !== undefined) {
    throw new UsageError({
      message: `--${workflow === undefined ? 'trigger' : 'workflow'} is not for ${known.name}, whose URL names workflow and trigger`,
      hint: 'Omit it, or create another endpoint: hookline endpoint create <name> --workflow <name>',
    })
  }
  const readsSecret = options.secretEnv !== undefined && (sender ?? verify) === undefined
  if (known.anyWorkflow || !(isMoved || readsSecret || dispatch !== undefined)) {
    const { settings } = endpointChecks(options, { declared: undefined }, process.env)
    return { ...settings, ...(dispatch !== undefined && { dispatch }) }
  }
  const wanted = {
    repository: checkedRepository(repository ?? String(known.repository)),
    workflow: workflowName(workflow ?? String(known.workflow)),
    // Another workflow may have another trigger.
    trigger: trigger ?? (workflow === undefined ? String(known.trigger) : undefined),
    dispatch:
      dispatch ?? (isMoved ? undefined : known.dispatch === 'workflow' ? 'workflow' : 'repository'),
    ref: ref ?? (typeof known.ref === 'string' ? known.ref : undefined),
  } as const
  const target = await readEndpointTarget(wanted)
  if (target.unchecked !== undefined) warn([{ message: `not checked: ${target.unchecked}` }])
  const declared = readsSecret ? target.declared : undefined
  const { settings } = endpointChecks(options, { declared }, process.env)
  const { repository: name, workflow: file } = wanted
  const place = { repository: name, workflow: file, trigger: target.trigger }
  return {
    ...(isMoved && place),
    ...((isMoved || dispatch) && { dispatch: target.dispatch }),
    ...settings,
  }
}

async function rotate(text: string, options: BotOptions): Promise<void> {
  const { botTokenEnv, secretEnv, repository } = options
  const client = await findRelay(options)
  const place = await namedEndpoint(text, repository, client)
  const known = await storedSettings(client, place)
  const isBot = known.trigger === BOT_TRIGGER
  if (isBot && isRegistered(known) && botTokenEnv === undefined) {
    throw new UserError({
      message: `the endpoint ${place.name} is registered with a bot, which needs the new URL`,
      hint: 'Name the variable with the bot token: --bot-token-env BOT_TOKEN',
    })
  }
  let bot: BotRegistration | undefined
  if (botTokenEnv !== undefined) {
    if (!isBot) {
      throw new UserError({
        message: `the endpoint ${place.name} starts ${startedBy(known)}, and no bot`,
        hint: 'Omit --bot-token-env.',
      })
    }
    const { declared } = await readEndpointTarget({
      repository: String(known.repository),
      workflow: String(known.workflow),
      trigger: String(known.trigger),
      dispatch: known.dispatch === 'workflow' ? 'workflow' : 'repository',
    })
    bot = botRegistration({ botTokenEnv, secretEnv, declared }, process.env)
    await client.ask({ method: 'PATCH', path: place.path, body: { verify: bot.verify } })
  }
  const answer = await client.ask({ method: 'POST', path: `${place.path}/rotate` })
  const { endpoint, url } = endpointAndUrl(client, answer)
  await bot?.register(url)
  printUrl({ endpoint, url }, options)
}

/** True for an endpoint that `--bot-token-env` created. */
function isRegistered({ verify }: AdminAnswer): boolean {
  return Array.isArray(verify) && verify.includes('telegram')
}

async function remove(text: string, options: BotOptions): Promise<void> {
  const { botTokenEnv, repository, json } = options
  const client = await findRelay(options)
  const place = await namedEndpoint(text, repository, client)
  const { endpoint, url } = await readEndpoint(client, place)
  if (botTokenEnv !== undefined) {
    const isRemoved = await unregisterBot(botTokenEnv, url, process.env)
    if (!isRemoved) warn([{ message: 'the bot has another webhook, or none, which stays' }])
  } else if (endpoint.trigger === BOT_TRIGGER && isRegistered(endpoint)) {
    warn([
      {
        message: 'the bot still calls the deleted URL',
        hint: 'Register another URL; or call deleteWebhook of the Bot API, which --bot-token-env does.',
      },
    ])
  }
  const { deadLetters } = await client.ask({ method: 'DELETE', path: place.path })
  if (json) return printJson({ deleted: true, deadLetters })
  const dead = Number(deadLetters) > 0 ? `; dead letters: ${Number(deadLetters)}` : ''
  print(printable(`${place.owner}/${place.name} is deleted${dead}`))
}

function printUrl(
  answer: {
    readonly endpoint: AdminAnswer
    readonly url: string
    readonly inWorkflow?: readonly string[]
  },
  { json }: { readonly json?: boolean },
): void {
  if (isLoopback(new URL(answer.url).hostname)) {
    warn([
      {
        message:
          'the URL works only on this machine, because the relay does not know its public address',
        hint: 'Set HOOKLINE_PUBLIC_URL for the relay, for example https://relay.example.com.',
      },
    ])
  }
  if (json) printJson(answer)
  else print(printable(answer.url))
}
