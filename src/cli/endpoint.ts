import { Command, InvalidArgumentError, Option } from 'commander'
import { UserError } from '../wire/errors.ts'
import { listOf } from '../wire/github-api.ts'
import { isObject, type Json } from '../wire/json.ts'
import { printable, printableJson } from '../wire/printable.ts'
import { readSetting } from '../wire/settings.ts'
import { environmentHelp } from '../wire/settings-help.ts'
import {
  type ConditionOptions,
  conditionsFrom,
  withConditionOptions,
} from './endpoint/conditions.ts'
import { type AdminRequest, notARelay, RelayClient } from './relay-client.ts'
import {
  readDuration,
  readScopeOptions,
  type ScopeOptions,
  withDispatchOptions,
} from './scope-options.ts'
import { print, textTable, withProgress } from './terminal.ts'

interface EndpointOptions {
  readonly relay: string
  readonly json?: boolean
}

interface SettingOptions extends EndpointOptions, Partial<ScopeOptions>, ConditionOptions {
  readonly credential?: 'relay' | 'token'
  readonly expect?: string
  readonly batch?: number
  readonly debounce?: number
}

interface UpdateOptions extends SettingOptions {
  readonly remove?: readonly Removable[]
}

interface DeleteOptions extends EndpointOptions {
  readonly dropEvents?: boolean
}

interface ShowOptions extends EndpointOptions {
  readonly url?: boolean
}

const HELP = `
An endpoint is a webhook URL that the relay stores: https://<relay>/-/<id>.
The URL stays the same when its filter, secret or workflow changes. Anyone with
the URL can start the workflow, unless --sender or --verify checks signatures.
The relay needs an outbox, and HOOKLINE_ADMIN_KEY.

${environmentHelp(['HOOKLINE_ADMIN_KEY', 'admin key of the relay; never printed'])}

Examples:
  $ hookline endpoint create orders --repository octo/shop \\
      --path hook/webhook --sender stripe --secret-env STRIPE_SECRET \\
      --relay https://relay.example.com
  $ hookline endpoint list --relay https://relay.example.com
  $ hookline endpoint update orders --if "body.livemode" \\
      --relay https://relay.example.com
  $ hookline endpoint rotate orders --relay https://relay.example.com`

const PATH = '/-/endpoints'

/** Settings that `update --remove` removes. */
const REMOVABLE = ['if', 'verify', 'dispatch', 'ref', 'expect', 'batch', 'debounce'] as const

type Removable = (typeof REMOVABLE)[number]

/** The client of the admin API: webhook URLs that a relay stores. */
export function endpointCommand(): Command {
  return new Command('endpoint')
    .description('create and change webhook URLs that a relay stores')
    .addHelpText('after', HELP)
    .addCommand(
      settable(command('create', 'store an endpoint, and print its URL'))
        .argument('<name>', 'public name: a-z 0-9 . _ -')
        .action(create),
    )
    .addCommand(command('list', 'list endpoints, without their URLs').action(list))
    .addCommand(
      command('show', 'print one endpoint')
        .argument('<name>', 'name of the endpoint')
        .option('--url', 'print only the URL')
        .action(show),
    )
    .addCommand(
      settable(command('update', 'change settings; the URL stays the same'))
        .argument('<name>', 'name of the endpoint')
        .addOption(new Option('--remove <setting...>', 'remove settings').choices(REMOVABLE))
        .action(update),
    )
    .addCommand(
      command('rotate', 'replace the URL; the old one ends immediately')
        .argument('<name>', 'name of the endpoint')
        .action(rotate),
    )
    .addCommand(
      command('delete', 'delete an endpoint; its URL ends immediately')
        .argument('<name>', 'name of the endpoint')
        .option('--drop-events', 'make dead letters of its events that GitHub does not have')
        .action(remove),
    )
}

function command(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .requiredOption('--relay <url>', 'address of the relay')
    .option('--json', 'print JSON')
}

/** Adds the flags of the settings. */
function settable(subcommand: Command): Command {
  subcommand
    .option('--repository <owner/name>', 'repository whose workflow the URL starts')
    .option('--path <path>', 'workflow and trigger: <workflow>/<trigger>')
    .option('--expect <duration>', 'begin an alarm after so long without an event: 30m, 2h, 3d')
    .option(
      '--batch <seconds>',
      'collect events for so long, and deliver them as one event',
      readSeconds,
    )
    .option('--debounce <seconds>', 'end the batch after so long without an event', readSeconds)
    .addOption(
      new Option(
        '--credential <credential>',
        "relay, or token: the relay stores HOOKLINE_GITHUB_TOKEN for this endpoint (default: the relay's own)",
      ).choices(['relay', 'token']),
    )
  return withConditionOptions(withDispatchOptions(subcommand))
}

async function create(name: string, options: SettingOptions): Promise<void> {
  const { repository, path } = options
  if (repository === undefined || path === undefined) {
    throw new UserError({
      message: `${repository === undefined ? '--repository' : '--path'} is missing`,
      hint: 'Name the workflow that the URL starts: --repository octo/shop --path hook/webhook',
    })
  }
  const client = new RelayClient(options.relay)
  const settings = await endpointSettings({ ...options, repository })
  const endpoint = await ask(client, { method: 'POST', path: PATH, body: { name, ...settings } })
  printEndpointUrl(client, endpoint, options)
}

async function list({ relay, json }: EndpointOptions): Promise<void> {
  const client = new RelayClient(relay)
  const answer = await ask(client, { method: 'GET', path: PATH })
  if (json) return print(printableJson(JSON.stringify(answer)))
  const rows = listOf(answer.endpoints).map((endpoint) => [
    String(endpoint.name),
    endpoint.unreadable ? 'no sealing key opens it' : `${endpoint.repository}/${endpoint.path}`,
    conditionsInWords(endpoint),
    endpoint.firstEvent === null
      ? 'no event yet'
      : `since ${String(endpoint.firstEvent).slice(0, 10)}`,
  ])
  if (rows.length === 0) return print('no endpoints')
  print(printable(textTable([['NAME', 'STARTS', 'CHECKS', 'EVENTS'], ...rows])))
}

async function show(name: string, { relay, json, url }: ShowOptions): Promise<void> {
  const client = new RelayClient(relay)
  const query = url ? { url: 'true' } : {}
  const endpoint = await ask(client, { method: 'GET', path: pathOf(name), query })
  if (json) return print(printableJson(JSON.stringify(endpoint)))
  if (url) return print(endpointUrl(client, endpoint))
  const width = Math.max(...Object.keys(endpoint).map((key) => key.length))
  const lines = Object.entries(endpoint).map(
    ([key, value]) => `${key.padEnd(width)}  ${value === null ? 'none yet' : String(value)}`,
  )
  print(printable(lines.join('\n')))
}

async function update(name: string, options: UpdateOptions): Promise<void> {
  const client = new RelayClient(options.relay)
  const known = await ask(client, { method: 'GET', path: pathOf(name) })
  const repository = options.repository ?? String(known.repository)
  const settings = await endpointSettings({ ...options, repository })
  const removed = (options.remove ?? []).map((setting) => [setting, null] as const)
  const body = {
    ...settings,
    ...(options.repository === undefined && { repository: undefined }),
    ...Object.fromEntries(removed),
    ...(options.remove?.includes('if') && { ifError: null }),
  }
  if (Object.values(body).every((value) => value === undefined)) {
    throw new UserError({
      message: 'nothing is changed',
      hint: 'Add a setting, for example --if "body.livemode"; or --remove if.',
    })
  }
  const endpoint = await ask(client, { method: 'PATCH', path: pathOf(name), body })
  print(options.json ? printableJson(JSON.stringify(endpoint)) : `${name} is updated`)
}

async function rotate(name: string, options: EndpointOptions): Promise<void> {
  const client = new RelayClient(options.relay)
  const endpoint = await ask(client, { method: 'POST', path: `${pathOf(name)}/rotate` })
  printEndpointUrl(client, endpoint, options)
}

async function remove(name: string, options: DeleteOptions): Promise<void> {
  const { relay, json, dropEvents } = options
  const client = new RelayClient(relay)
  const query = dropEvents ? { 'drop-events': 'true' } : {}
  const { events } = await ask(client, { method: 'DELETE', path: pathOf(name), query })
  const dropped = dropEvents ? `; events that became dead letters: ${events}` : ''
  print(
    json
      ? printableJson(JSON.stringify({ success: true, name, ...(dropEvents && { events }) }))
      : `${name} is deleted${dropped}`,
  )
}

/**
 * The settings that the flags set, as the admin API reads them.
 *
 * @throws UserError for an invalid flag
 */
async function endpointSettings(options: SettingOptions & { repository: string }) {
  const scope = await readScopeOptions(options)
  const conditions = conditionsFrom(options, process.env)
  return {
    ...scope,
    ...conditions?.claims,
    ...(options.batch !== undefined && { batch: options.batch }),
    ...(options.debounce !== undefined && { debounce: options.debounce }),
    ...(options.expect !== undefined && { expect: checkedDuration(options.expect) }),
    ...(options.credential === 'token' && { token: tokenHere() }),
  }
}

/** @throws InvalidArgumentError */
function readSeconds(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Give whole seconds, from 1 to 3600.')
}

/** @throws UserError for an invalid duration */
function checkedDuration(duration: string): string {
  readDuration(duration)
  return duration
}

/** @throws UserError without a token */
function tokenHere(): string {
  const token = readSetting(process.env, 'HOOKLINE_GITHUB_TOKEN')
  if (token) return token.reveal()
  throw new UserError({
    message: '--credential token: HOOKLINE_GITHUB_TOKEN is not set',
    hint: 'Set it without showing it: read -rs HOOKLINE_GITHUB_TOKEN && export HOOKLINE_GITHUB_TOKEN',
  })
}

async function ask(
  client: RelayClient,
  request: AdminRequest,
): Promise<Readonly<Record<string, Json | undefined>>> {
  const answer = await withProgress(`asking ${client.host}`, client.ask(request))
  if (!isObject(answer)) throw notARelay()
  return answer
}

/** @throws UserError for a name that no endpoint has, which could be another path of the relay */
function pathOf(name: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,62}$/.test(name)) return `${PATH}/${name}`
  throw new UserError({
    message: `${JSON.stringify(name)} is not the name of an endpoint`,
    hint: 'Print the names with: hookline endpoint list',
  })
}

/** The address that senders use: the relay's own, or the one that this command uses. */
function endpointUrl(
  client: RelayClient,
  { url, address }: Readonly<Record<string, unknown>>,
): string {
  if (typeof url === 'string') return url
  if (typeof address === 'string') return client.at(address)
  throw notARelay()
}

function printEndpointUrl(
  client: RelayClient,
  endpoint: Readonly<Record<string, unknown>>,
  { json }: EndpointOptions,
): void {
  const url = endpointUrl(client, endpoint)
  print(json ? printableJson(JSON.stringify({ ...endpoint, url })) : url)
}

function conditionsInWords({ if: condition, verify }: Readonly<Record<string, unknown>>): string {
  const schemes = Array.isArray(verify) ? verify.map(String) : []
  const checks = [...schemes, ...(condition === undefined ? [] : [`if ${String(condition)}`])]
  return checks.join(', ') || 'nothing'
}
