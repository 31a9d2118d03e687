import { resolve } from 'node:path'
import { Command } from 'commander'
import { UsageError, UserError } from '../wire/errors.ts'
import { HttpFailure } from '../wire/http.ts'
import { isObject } from '../wire/json.ts'
import { printable, printableJson } from '../wire/printable.ts'
import { environmentHelp } from '../wire/settings-help.ts'
import {
  type Filter,
  filterQuery,
  listingText,
  type OutboxListing,
  readListing,
} from './outbox/listing.ts'
import { LIST, notARelay, RelayClient } from './relay-client.ts'
import { print, styled, withProgress } from './terminal.ts'

interface OutboxOptions {
  readonly relay: string
  readonly json?: boolean
}

interface ListOptions extends OutboxOptions, Filter {
  readonly watch?: boolean
}

interface ChangeOptions extends OutboxOptions, Filter {
  readonly all?: boolean
  readonly separate?: boolean
}

interface BackupOptions extends OutboxOptions {
  readonly out: string
}

const HELP = `
${environmentHelp(['HOOKLINE_ADMIN_KEY', 'admin key of the relay; never printed'])}

Examples:
  $ hookline outbox list --relay https://relay.example.com --watch
  $ hookline outbox show 72d3162e-cc78-11e3-81ab-4c9367dc0958 \\
      --relay https://relay.example.com
  $ hookline outbox replay 72d3162e-cc78-11e3-81ab-4c9367dc0958 \\
      --relay https://relay.example.com
  $ hookline outbox replay --reason too_old --relay https://relay.example.com
  $ hookline outbox backup --out outbox.copy.db \\
      --relay https://relay.example.com`

/** Milliseconds between two requests of `--watch`, at least. */
const WATCH_INTERVAL = 2000

/** The client of the admin API: events that a relay queues, and its dead letters. */
export function outboxCommand(): Command {
  return new Command('outbox')
    .description('list queued events and dead letters of a relay, and replay or delete them')
    .addHelpText('after', HELP)
    .addCommand(
      filtered(outboxSubcommand('list', 'list queued events and dead letters with their reasons'))
        .option('--watch', 'repeat until Ctrl-C')
        .action(list),
    )
    .addCommand(
      outboxSubcommand('show', 'print one event with its payload')
        .argument('<delivery>', 'delivery id')
        .action(show),
    )
    .addCommand(
      filtered(outboxSubcommand('replay', 'queue dead letters, or a delivered batch, again'))
        .argument('[delivery]', 'delivery id of an event or a batch')
        .option('--all', 'select every dead letter')
        .option('--separate', 'queue each event of the batch by itself')
        .action((delivery, options) => change(REPLAY, delivery, options)),
    )
    .addCommand(
      filtered(outboxSubcommand('delete', 'delete an event, or dead letters'))
        .argument('[delivery]', 'delivery id of an event or a batch')
        .option('--all', 'select every dead letter')
        .action((delivery, options) => change(DELETE, delivery, options)),
    )
    .addCommand(
      outboxSubcommand('backup', 'write a copy of the outbox file while the relay uses it')
        .requiredOption('--out <file>', 'path of the copy; must not exist')
        .action(backup),
    )
}

function outboxSubcommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .requiredOption('--relay <url>', 'address of the relay')
    .option('--json', 'print JSON')
}

function filtered(subcommand: Command): Command {
  return subcommand
    .option('--repository <owner/name>', 'select events of this repository')
    .option('--reason <code>', 'select events with this reason')
    .option('--credential <name>', 'select events of this credential, such as endpoint:<name>')
}

async function list({ relay, watch, json = false, ...given }: ListOptions): Promise<void> {
  const client = new RelayClient(relay)
  const look = () => readListing(client, givenFilter(given))
  if (!watch) {
    const listing = await withProgress(`asking ${client.host}`, look())
    return print(json ? listingJson(listing) : listingText(listing, Date.now()))
  }
  for (let before = ''; ; ) {
    const started = performance.now()
    const found = await look().catch((error: unknown): Unanswered => {
      // A relay that restarts is watched until it is back.
      if (error instanceof UserError && error.cause instanceof HttpFailure) return error.message
      throw error
    })
    if (process.stdout.isTTY && !json) drawScreen(found, client.host)
    else {
      const states = statesOf(found, json)
      if (states !== before) print(json ? listingJson(found) : lookText(found))
      before = states
    }
    // A long list is a burden for the relay: it is left alone most of the time.
    const pause = Math.max(WATCH_INTERVAL, 10 * (performance.now() - started))
    await new Promise((done) => setTimeout(done, pause))
  }
}

/** The response of the relay; `delivered` is present if there are batches. */
function listingJson(found: OutboxListing | Unanswered): string {
  if (typeof found === 'string') return printableJson(JSON.stringify(found))
  const { delivered, ...rest } = found
  return printableJson(JSON.stringify({ ...rest, ...(delivered.length > 0 && { delivered }) }))
}

/** Why the relay did not respond. */
type Unanswered = string

/** On a terminal: the whole list each time, as far as it fits. */
function drawScreen(found: OutboxListing | Unanswered, host: string): void {
  const { rows = 24, columns = 80 } = process.stdout
  const title = styled(process.stdout, 'bold', `${host}  ${new Date().toLocaleTimeString()}`)
  const lines = lookText(found, Math.max(2, rows - LINES_AROUND)).split('\n')
  const fitting = lines.map((line) => line.slice(0, columns)).join('\n')
  process.stdout.write(`${CLEAR_SCREEN}${title}\n${fitting}\n`)
}

/** In a pipe, the list is printed again when this changes; ages in the text change all the time. */
function statesOf(found: OutboxListing | Unanswered, json: boolean): string {
  if (json || typeof found === 'string') return JSON.stringify(found)
  const events = [...found.waiting, ...found.dead, ...found.delivered]
  return JSON.stringify(events.map(({ delivery, tries, reason }) => [delivery, tries, reason]))
}

/** @param most events to show */
function lookText(found: OutboxListing | Unanswered, most?: number): string {
  return typeof found === 'string' ? found : listingText(found, Date.now(), most)
}

/** Title, summary, empty line, head, the line on further events, and the cursor. */
const LINES_AROUND = 6

const CLEAR_SCREEN = '\u001b[H\u001b[2J\u001b[3J'

async function show(delivery: string, { relay, json }: OutboxOptions): Promise<void> {
  const path = `/outbox/${checkedId(delivery)}`
  const event = await new RelayClient(relay).ask({ method: 'GET', path })
  if (!isObject(event)) throw notARelay()
  if (json) return print(printableJson(JSON.stringify(event)))
  const { payload, ...rest } = event
  const width = Math.max(...Object.keys(rest).map((name) => name.length))
  const lines = Object.entries(rest).map(
    ([name, value]) => `${name.padEnd(width)} ${String(value)}`,
  )
  const text =
    payload === null
      ? 'the relay has no sealing key that opens the payload'
      : JSON.stringify(payload, null, 2)
  print(printable([...lines, '', text].join('\n')))
}

/** A change of one event, or of dead letters. */
interface EventChange {
  readonly method: string
  /** Path after the address of the event, or of all events. */
  readonly path: string
  readonly done: string
  readonly doneToMany: string
}

const REPLAY: EventChange = {
  method: 'POST',
  path: '/replay',
  done: 'is queued again',
  doneToMany: 'are queued again',
}

const DELETE: EventChange = {
  method: 'DELETE',
  path: '',
  done: 'is deleted',
  doneToMany: 'are deleted',
}

async function change(
  { method, path, done, doneToMany }: EventChange,
  delivery: string | undefined,
  { relay, json, all, separate, ...given }: ChangeOptions,
): Promise<void> {
  const filter = givenFilter(given)
  const isMany = all === true || Object.keys(filter).length > 0
  if (isMany === (delivery !== undefined)) throw oneOrMany(delivery)
  if (separate && delivery === undefined) throw oneOrMany(delivery)
  const client = new RelayClient(relay)
  const place = delivery === undefined ? '' : `/${checkedId(delivery)}`
  const query = {
    ...filterQuery(filter),
    ...(all && { all: 'true' }),
    ...(separate && { separate: 'true' }),
  }
  const isBulk = isMany || separate === true
  const question = { method, path: `${LIST}${place}${path}`, query, isBulk }
  const answer = await withProgress(`asking ${client.host}`, client.ask(question))
  if (!isBulk) {
    return print(json ? JSON.stringify({ success: true, delivery }) : `${delivery} ${done}`)
  }
  const events = isObject(answer) ? answer.events : undefined
  if (typeof events !== 'number') throw notARelay()
  if (json) return print(JSON.stringify({ success: true, events }))
  const what = isMany ? 'dead letter' : 'event'
  print(`${events} ${events === 1 ? `${what} ${done}` : `${what}s ${doneToMany}`}`)
}

function oneOrMany(delivery: string | undefined): UsageError {
  const message =
    delivery === undefined
      ? 'no events are selected'
      : 'a delivery id cannot be combined with options that select dead letters'
  const hint =
    'Give a delivery id; or --all, --repository, --reason or --credential for dead letters.'
  return new UsageError({ message, hint })
}

async function backup({ relay, out, json }: BackupOptions): Promise<void> {
  const client = new RelayClient(relay)
  const file = resolve(out)
  const work = client.download('/outbox/backup', file)
  const bytes = await withProgress(`copying from ${client.host}`, work)
  print(json ? JSON.stringify({ success: true, file, bytes }) : `${file}: ${bytes} bytes`)
}

function givenFilter({ repository, reason, credential }: Filter): Filter {
  return {
    ...(repository !== undefined && { repository }),
    ...(reason !== undefined && { reason }),
    ...(credential !== undefined && { credential }),
  }
}

function checkedId(delivery: string): string {
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(delivery)) return delivery
  throw new UserError({
    message: `${JSON.stringify(delivery)} is not a delivery id`,
    hint: 'Print the delivery ids with: hookline outbox list',
  })
}
