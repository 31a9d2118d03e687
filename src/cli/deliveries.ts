import { Command, InvalidArgumentError, Option } from 'commander'
import { durationSeconds } from '../wire/duration.ts'
import { UsageError, UserError } from '../wire/errors.ts'
import { listOf } from '../wire/github-api.ts'
import { HttpFailure } from '../wire/http.ts'
import { isObject } from '../wire/json.ts'
import { printable } from '../wire/printable.ts'
import { checkedRepository } from '../wire/settings.ts'
import { environmentHelp } from '../wire/settings-help.ts'
import { isUuid } from '../wire/uuid.ts'
import { askYesNo } from './connect/question.ts'
import { deliveriesText, listAdvice } from './deliveries/listing.ts'
import { deliveryText, withRelay } from './deliveries/shown.ts'
import {
  checkedOwner,
  listEndpoints,
  namedEndpoint,
  ownerHere,
  withOwner,
} from './endpoint/named-endpoint.ts'
import { findRelay, RELAY_VARIABLES, type SharedOptions, withRelayOptions } from './find-relay.ts'
import { type AdminAnswer, notARelay, type RelayClient, RelayRefusal } from './relay-client.ts'
import { EXIT, print, printJson } from './terminal.ts'

interface FilterOptions extends SharedOptions {
  readonly endpoint?: string
  readonly state?: string
  readonly since?: string
  readonly until?: string
  readonly reason?: string
  readonly outcome?: string
}

interface ListOptions extends FilterOptions {
  readonly limit: number
  readonly watch?: boolean
  readonly open?: boolean
}

interface ChangeOptions extends FilterOptions {
  readonly yes?: boolean
}

const HELP = `
A delivery is one request to an endpoint, or one queued event. Without --relay,
the command talks to the relay on this machine. Without a command, it runs list;
to print the options of list, run: hookline deliveries list --help

States: delivered (GitHub accepted the event), waiting, uncertain (GitHub may
have accepted it), dead (given up, with a reason), filtered (the condition of
the endpoint declined the request), refused (the response was a 4xx).
show explains one delivery stage by stage, with the command that cures a fault.
replay sends an event again: under the same id if GitHub never accepted it,
otherwise as a delivery of its own. With a filter, it selects dead letters
unless --state names another state.
A time is an age such as 30m, 12h or 2d, or a time such as 2026-01-31T12:00:00Z.

${environmentHelp(...RELAY_VARIABLES)}

Examples:
  $ hookline deliveries
  $ hookline deliveries --endpoint orders --since 2d --watch
  $ hookline deliveries --open --relay https://relay.example.com
  $ hookline deliveries show 72d3162e-cc78-11e3-81ab-4c9367dc0958
  $ hookline deliveries replay 72d3162e-cc78-11e3-81ab-4c9367dc0958
  $ hookline deliveries replay --endpoint orders --since 2d
  $ hookline deliveries replay --endpoint orders --state filtered
  $ hookline deliveries delete --reason too_old --yes`

const STATES = ['delivered', 'waiting', 'uncertain', 'dead', 'filtered', 'refused']

const DEFAULT_LIMIT = 50

/** Deliveries in one response: the maximum of a relay. */
const PAGE = 1000

/** The client of the admin API: what became of each request. */
export function deliveriesCommand(): Command {
  const deliveries = new Command('deliveries')
    .description('list what became of each request, and replay or delete deliveries')
    .addHelpText('after', HELP)
    .addCommand(
      filtered(new Command('list').description('list deliveries, newest first'))
        .option('--limit <count>', 'deliveries to list', readLimit, DEFAULT_LIMIT)
        .option('--watch', 'repeat until Ctrl-C')
        .option('--open', 'show the deliveries in the inspector, until Ctrl-C')
        .action((_, command) => list(command.optsWithGlobals())),
      { isDefault: true },
    )
    .addCommand(
      new Command('show')
        .description('explain one delivery: its stages, its request, and the cure of a fault')
        .argument('<id>', 'delivery id')
        .action((id, _, command) => show(id, command.optsWithGlobals())),
    )
    .addCommand(
      filtered(new Command('replay').description('deliver one or many again'))
        .argument('[id]', 'delivery id')
        .action((id, _, command) => change(REPLAY, id, command.optsWithGlobals())),
    )
    .addCommand(
      filtered(new Command('delete').description('delete one or many'))
        .argument('[id]', 'delivery id')
        .option('--yes', 'ask nothing')
        .action((id, _, command) => change(DELETE, id, command.optsWithGlobals())),
    )
  return withRelayOptions(deliveries, 'repository (default: all; on Workers the git remote origin)')
}

function filtered(command: Command): Command {
  return command
    .option('--endpoint <name>', 'deliveries of this endpoint')
    .addOption(new Option('--state <state>', 'deliveries in this state').choices(STATES))
    .option('--since <time>', 'received since: 2d, or 2026-01-31T12:00:00Z')
    .option('--until <time>', 'received before: 1h, or 2026-01-31T12:00:00Z')
    .option('--reason <code>', 'deliveries with this reason')
    .option('--outcome <outcome>', "the run's outcome, such as success or no_run")
}

/** @throws InvalidArgumentError */
function readLimit(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Give a whole number from 1 to 99999.')
}

/** Milliseconds between two requests of `--watch`, at least. */
const WATCH_INTERVAL = 2000

async function list(options: ListOptions): Promise<void> {
  const { json = false, watch, open } = options
  if (open && (watch || json)) throw new UsageError(OPEN_ALONE)
  const client = await findRelay(options)
  const filter = await filterOf(options, client)
  if (open) {
    const { openInspector } = await import('./deliveries/open.ts')
    return openInspector(client, filter, options)
  }
  const look = () => readDeliveries(client, filter, options)
  if (!watch) {
    const found = await look()
    if (json) return printJson({ deliveries: found })
    print(listText(found))
    for (const line of listAdvice(found)) process.stderr.write(`${printable(line)}\n`)
    return
  }
  for (let before = ''; ; ) {
    const started = performance.now()
    const found = await look().catch((error: unknown) => {
      // A relay that restarts is watched until it is back.
      if (error instanceof UserError && error.cause instanceof HttpFailure) return error.message
      throw error
    })
    const now = JSON.stringify(found)
    if (now !== before) {
      if (json) printJson(typeof found === 'string' ? found : { deliveries: found })
      else print(typeof found === 'string' ? printable(found) : listText(found))
    }
    before = now
    // A long list is a burden for the relay: it is left alone most of the time.
    const pause = Math.max(WATCH_INTERVAL, 10 * (performance.now() - started))
    await new Promise((done) => setTimeout(done, pause))
  }
}

const OPEN_ALONE = {
  message: '--open cannot be combined with --watch or --json',
  hint: 'Omit the other flag: the inspector follows new deliveries by itself.',
}

function listText(found: readonly AdminAnswer[]): string {
  return printable(deliveriesText(found, Date.now()))
}

/** A filter as the admin API reads it, and the owner whose deliveries are meant. */
interface DeliveryFilter {
  readonly owner: string | undefined
  readonly query: Readonly<Record<string, string | undefined>>
}

/** @throws UserError for an invalid flag, or an unknown endpoint */
async function filterOf(options: FilterOptions, client: RelayClient): Promise<DeliveryFilter> {
  const { repository, endpoint, state, since, until, reason, outcome } = options
  const ownersOfDeleted = (name: string) => ownersOfDeliveries(client, { endpoint: name })
  const named =
    endpoint === undefined
      ? undefined
      : await namedEndpoint(endpoint, repository, client, ownersOfDeleted)
  const ofRepository = repository === undefined ? undefined : checkedOwner(repository)
  const query = {
    repository: repository === undefined ? undefined : checkedRepository(repository),
    endpoint: named?.name,
    state,
    reason,
    outcome,
    since: since === undefined ? undefined : readTime('--since', since),
    until: until === undefined ? undefined : readTime('--until', until),
  }
  return { owner: named?.owner ?? ofRepository, query }
}

/** An age or a time. @throws UserError */
function readTime(flag: string, text: string): string {
  const age = durationSeconds(text)
  if (age !== undefined) return new Date(Date.now() - age * 1000).toISOString()
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(time)) return new Date(time).toISOString()
  throw new UserError({
    message: `${flag}: invalid time ${JSON.stringify(text)}`,
    hint: 'Write an age such as 30m, 12h or 2d, or a time such as 2026-01-31T12:00:00Z.',
  })
}

function pathFor(owner: string | undefined): string {
  return owner === undefined ? '/deliveries' : `/deliveries/${owner}`
}

/** The selected deliveries, page by page, newest first. */
async function readDeliveries(
  client: RelayClient,
  { owner, query }: DeliveryFilter,
  { limit }: Pick<ListOptions, 'limit'>,
): Promise<readonly AdminAnswer[]> {
  const found: AdminAnswer[] = []
  for (let after: string | undefined; ; ) {
    const size = String(Math.min(PAGE, limit - found.length))
    const ask = (of: string | undefined) =>
      client.ask({
        method: 'GET',
        path: pathFor(of),
        query: { ...query, limit: size, after },
      })
    const { deliveries, next } = await withOwner(ask, owner)
    if (!Array.isArray(deliveries)) throw notARelay(client.host)
    found.push(...listOf(deliveries))
    // A relay that repeats its cursor would be asked for ever.
    if (typeof next !== 'string' || next === after || found.length >= limit) {
      return found.slice(0, limit)
    }
    after = next
  }
}

async function show(text: string, options: SharedOptions): Promise<void> {
  const id = checkedId(text)
  const client = await findRelay(options)
  const answer = await withDelivery(client, options, (owner) =>
    client.ask({ method: 'GET', path: `/deliveries/${owner}/${id}` }),
  )
  const { delivery, request, stages, deliveries } = answer
  if (!isObject(delivery) && !Array.isArray(deliveries)) throw notARelay(client.host)
  if (options.json) return printJson({ delivery, request, stages, deliveries })
  const list = Array.isArray(deliveries) ? deliveriesText(listOf(deliveries), Date.now()) : ''
  if (isObject(delivery)) {
    const members = list && `\n\nthe events of the batch:\n${list}`
    return print(printable(`${deliveryText(answer, options.relay)}${members}`))
  }
  const next = withRelay('To see one: hookline deliveries show <delivery>', options.relay)
  print(
    printable(`the request ${id} has these deliveries, one for each target:\n${list}\n\n${next}`),
  )
}

interface DeliveryChange {
  readonly method: 'POST' | 'DELETE'
  /** Path after the address of the delivery, or of all. */
  readonly path: string
  /** The field of the response with the number. */
  readonly field: 'replayed' | 'deleted'
}

const REPLAY: DeliveryChange = { method: 'POST', path: '/replay', field: 'replayed' }

const DELETE: DeliveryChange = { method: 'DELETE', path: '', field: 'deleted' }

async function change(
  what: DeliveryChange,
  text: string | undefined,
  options: ChangeOptions,
): Promise<void> {
  const { endpoint, state, since, until, reason, outcome, repository } = options
  const flags = [endpoint, state, since, until, reason, outcome]
  const isMany = [...flags, ...(text === undefined ? [repository] : [])].some(
    (value) => value !== undefined,
  )
  if (isMany === (text !== undefined)) {
    throw new UsageError({
      message:
        text === undefined
          ? 'no deliveries are selected'
          : 'a delivery id cannot be combined with a filter',
      hint: 'Give a delivery id; or --endpoint, --repository, --state, --outcome, --reason, --since or --until.',
    })
  }
  const id = text === undefined ? undefined : checkedId(text)
  const client = await findRelay(options)
  const answer =
    id === undefined
      ? await changeMany(what, options, client)
      : await changeOne(what, id, options, client)
  if (answer === undefined) return
  const count = answer[what.field]
  if (typeof count !== 'number') throw notARelay(client.host)
  const isFruitless = what === REPLAY && count === 0 && (id !== undefined || unsent(answer) > 0)
  if (isFruitless) process.exitCode = EXIT.failure
  if (options.json) printJson(answer)
  else print(printable(changeText(answer, what, count)))
}

/** Selected deliveries that were not replayed. */
function unsent({ declined, missing, left }: AdminAnswer): number {
  return Number(declined ?? 0) + Number(missing ?? 0) + Number(left ?? 0)
}

/** `2 deliveries replayed, 1 declined again` */
function changeText(answer: AdminAnswer, { field }: DeliveryChange, count: number): string {
  const { declined = 0, missing = 0, left = 0, ids, explanation } = answer
  const parts = [
    `${count === 1 ? '1 delivery' : `${count} deliveries`} ${field}`,
    ...(Number(declined) > 0 ? [`${declined} declined again`] : []),
    ...(Number(missing) > 0 ? [`${missing} without a payload that can be sent`] : []),
    ...(Number(left) > 0 ? [`${left} not replayed, because the database is full`] : []),
  ]
  const [id] = Array.isArray(ids) && count === 1 ? ids : []
  const as = typeof id === 'string' ? ` as ${id}` : ''
  const why = typeof explanation === 'string' ? `\n${explanation}` : ''
  return `${parts.join(', ')}${as}${why}`
}

async function changeOne(
  { method, path }: DeliveryChange,
  id: string,
  options: ChangeOptions,
  client: RelayClient,
): Promise<AdminAnswer | undefined> {
  if (method === 'DELETE' && !(await isAgreed(`Delete the delivery ${id}?`, options))) {
    return undefined
  }
  return withDelivery(client, options, (owner) =>
    client.ask({ method, path: `/deliveries/${owner}/${id}${path}` }),
  )
}

/** Changes the dead letters that the filter selects, or deliveries in another state that it names. */
async function changeMany(
  { method, path }: DeliveryChange,
  options: ChangeOptions,
  client: RelayClient,
): Promise<AdminAnswer | undefined> {
  const { owner: named, query } = await filterOf(options, client)
  const owner = named ?? (await onlyOwner(client))
  const given = Object.entries({ state: 'dead', ...defined(query) })
  const words = given.map(([name, value]) => `${name} ${value}`).join(', ')
  const question = `Delete every delivery of ${owner} with ${words}?`
  if (method === 'DELETE' && !(await isAgreed(question, options))) return undefined
  const filter = defined(query)
  const call = { method, path: `${pathFor(owner)}${path}`, isBulk: true }
  return client.ask(method === 'POST' ? { ...call, body: filter } : { ...call, query: filter })
}

function defined(query: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/** @throws UserError without a terminal and without --yes */
async function isAgreed(question: string, { yes }: ChangeOptions): Promise<boolean> {
  if (yes) return true
  if (!process.stdin.isTTY) {
    throw new UserError({
      message: 'the command asks before it deletes, and there is no terminal to ask in',
      hint: 'Agree by --yes.',
    })
  }
  const { signal } = new AbortController()
  return askYesNo(printable(question), signal, () => process.exit(EXIT.failure), 'no')
}

/**
 * Makes a request for one delivery. Its id does not tell the owner: without --repository, all owners that are
 * known are tried.
 */
async function withDelivery(
  client: RelayClient,
  { repository }: SharedOptions,
  ask: (owner: string) => Promise<AdminAnswer>,
): Promise<AdminAnswer> {
  const owners = repository === undefined ? possibleOwners(client) : [checkedOwner(repository)]
  const asked = new Set<string>()
  let refusal: RelayRefusal | undefined
  for await (const owner of owners) {
    if (asked.has(owner)) continue
    asked.add(owner)
    try {
      return await ask(owner)
    } catch (error) {
      if (!(error instanceof RelayRefusal) || error.code !== 'not_found') throw error
      refusal = error
    }
  }
  throw notFound(refusal, repository)
}

/** The message of the relay may have a more exact reason, such as that it stores no payload. */
function notFound(refusal: RelayRefusal | undefined, repository: string | undefined): UserError {
  const [problem] = refusal?.problems ?? []
  return new UserError({
    message: problem?.message ?? 'no delivery has this id',
    hint:
      repository === undefined
        ? 'Print the ids with: hookline deliveries. For another owner, add --repository owner/name.'
        : 'Print the ids with: hookline deliveries',
  })
}

/** The owners of the git remote, of the endpoints, and of deleted endpoints; some of them twice. */
async function* possibleOwners(client: RelayClient): AsyncGenerator<string> {
  const here = ownerHere()
  if (here !== undefined) yield here
  const endpoints = await listEndpoints(client, undefined)
  yield* endpoints.map(({ owner }) => String(owner))
  yield* await ownersOfDeliveries(client, {})
}

/** The owners of the newest deliveries that the query selects. Deliveries outlive their endpoint. */
async function ownersOfDeliveries(
  client: RelayClient,
  query: DeliveryFilter['query'],
): Promise<readonly string[]> {
  const found = await readDeliveries(client, { owner: undefined, query }, { limit: PAGE })
  return [...new Set(found.map(({ owner }) => String(owner)))]
}

/** The owner of a change of many deliveries. @throws UserError unless there is exactly one */
async function onlyOwner(client: RelayClient): Promise<string> {
  const endpoints = await listEndpoints(client, undefined)
  const owners = [...new Set(endpoints.map(({ owner }) => String(owner)))]
  const [only = ownerHere()] = owners
  if (owners.length > 1) {
    throw new UsageError({
      message: 'the relay has deliveries of more than one owner, and the filter names none',
      hint: 'Add --repository owner/name, or --endpoint <name>.',
    })
  }
  if (only !== undefined) return only
  throw new UsageError({
    message: 'the relay has no endpoints, and the filter names no owner',
    hint: 'Add --repository owner/name, or run the command in a clone.',
  })
}

function checkedId(id: string): string {
  if (isUuid(id)) return id.toLowerCase()
  throw new UserError({
    message: `${JSON.stringify(id)} is not a delivery id`,
    hint: 'Print the delivery ids with: hookline deliveries',
  })
}
