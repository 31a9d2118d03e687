import { Command } from 'commander'
import { http } from '../action/http.ts'
import { baseOf, RELAY_ADDRESS, readAddress } from '../wire/address.ts'
import { UserError } from '../wire/errors.ts'
import { fieldsOf } from '../wire/github.ts'
import { HttpFailure, type HttpReply } from '../wire/http.ts'
import { isObject, type Json, parseJson } from '../wire/json.ts'
import { printable, printableJson } from '../wire/printable.ts'
import { readSetting } from '../wire/settings.ts'
import { environmentHelp } from '../wire/settings-help.ts'
import { unreachableHint } from './http.ts'
import { print, styled, withProgress } from './terminal.ts'

interface OutboxOptions {
  readonly relay: string
  readonly json?: boolean
}

interface ListOptions extends OutboxOptions {
  readonly watch?: boolean
}

const HELP = `
${environmentHelp(['HOOKLINE_OPERATOR_KEY', "the relay's, sent to it and never printed"])}

Examples:
  $ npx hookline outbox list --relay https://relay.example.com --watch
  $ npx hookline outbox show 72d3162e-cc78-11e3-81ab-4c9367dc0958 --relay https://relay.example.com
  $ npx hookline outbox replay 72d3162e-cc78-11e3-81ab-4c9367dc0958 --relay https://relay.example.com`

const TIMEOUT = 30_000

/** Milliseconds from one look to the next. */
const WATCH_INTERVAL = 2000

/** What a relay keeps until GitHub can take it, and what it gave up. */
export function outboxCommand(): Command {
  return new Command('outbox')
    .description('see what waits in the outbox of a relay and what died, and send it again')
    .addHelpText('after', HELP)
    .addCommand(
      command('list', 'list what waits and what died, and why')
        .option('--watch', 'keep looking, until Ctrl-C')
        .action(list),
    )
    .addCommand(
      command('show', 'print one event with its payload')
        .argument('<delivery>', 'delivery id')
        .action(show),
    )
    .addCommand(
      command('replay', 'let a dead letter wait again')
        .argument('<delivery>', 'delivery id')
        .action((delivery, options) => change('POST', delivery, '/replay', 'waits again', options)),
    )
    .addCommand(
      command('drop', 'forget an event, waiting or dead')
        .argument('<delivery>', 'delivery id')
        .action((delivery, options) => change('DELETE', delivery, '', 'is forgotten', options)),
    )
}

function command(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .requiredOption('--relay <url>', 'address of the relay')
    .option('--json', 'print JSON')
}

async function list({ relay, watch, json = false }: ListOptions): Promise<void> {
  const url = addressOf(relay, '/outbox')
  const look = async (): Promise<Listing> => {
    const listing = readJson(await ask('GET', url))
    const { waiting, dead } = isObject(listing) ? listing : {}
    if (!areEvents(waiting) || !areEvents(dead)) throw noListing()
    return { waiting, dead }
  }
  if (!watch) {
    const listing = await withProgress(`asking ${url.host}`, look())
    return print(json ? printableJson(JSON.stringify(listing)) : listingText(listing, Date.now()))
  }
  for (let before = ''; ; ) {
    const found = await look().catch((error: unknown): Unanswered => {
      // Who watches a relay watches it come back, too.
      if (error instanceof UserError && error.cause instanceof HttpFailure) return error.message
      throw error
    })
    if (process.stdout.isTTY && !json) drawScreen(found, url.host)
    else {
      const states = statesOf(found, json)
      if (states !== before) print(json ? printableJson(JSON.stringify(found)) : lookText(found))
      before = states
    }
    await new Promise((resolve) => setTimeout(resolve, WATCH_INTERVAL))
  }
}

/** Why a look at the relay found nothing. */
type Unanswered = string

/** On a terminal: the whole picture, each time, and as much of it as fits. */
function drawScreen(found: Listing | Unanswered, host: string): void {
  const { rows = 24, columns = 80 } = process.stdout
  const title = styled(process.stdout, 'bold', `${host}  ${new Date().toLocaleTimeString()}`)
  const lines = lookText(found, Math.max(2, rows - LINES_AROUND)).split('\n')
  const fitting = lines.map((line) => line.slice(0, columns)).join('\n')
  process.stdout.write(`${CLEAR_SCREEN}${title}\n${fitting}\n`)
}

/** In a pipe: what, when it changes, is worth printing again. In text, ages change by time alone. */
function statesOf(found: Listing | Unanswered, json: boolean): string {
  if (json || typeof found === 'string') return JSON.stringify(found)
  const events = [...found.waiting, ...found.dead]
  return JSON.stringify(events.map(({ delivery, tries, reason }) => [delivery, tries, reason]))
}

/** @param most events to show */
function lookText(found: Listing | Unanswered, most?: number): string {
  return typeof found === 'string' ? found : listingText(found, Date.now(), most)
}

/** Title, summary, empty line, head, what is left out, and where the cursor stands. */
const LINES_AROUND = 6

const CLEAR_SCREEN = '\u001b[H\u001b[2J\u001b[3J'

async function show(delivery: string, { relay, json }: OutboxOptions): Promise<void> {
  const event = readJson(await ask('GET', addressOf(relay, `/outbox/${checkedId(delivery)}`)))
  if (json) return print(printableJson(JSON.stringify(event)))
  const { payload, ...rest } = isObject(event) ? event : {}
  const lines = Object.entries(rest).map(([name, value]) => `${name.padEnd(9)} ${String(value)}`)
  const text =
    payload === null ? 'no key of the relay opens its payload' : JSON.stringify(payload, null, 2)
  print(printable([...lines, '', text].join('\n')))
}

async function change(
  method: string,
  delivery: string,
  path: string,
  done: string,
  { relay, json }: OutboxOptions,
): Promise<void> {
  const url = addressOf(relay, `/outbox/${checkedId(delivery)}${path}`)
  await withProgress(`asking ${url.host}`, ask(method, url))
  print(json ? JSON.stringify({ success: true, delivery }) : `${delivery} ${done}`)
}

interface OutboxEvent {
  readonly delivery: string
  readonly lane: string
  readonly at: string
  readonly tries: number
  readonly reason: string
  readonly next?: string
  readonly died?: string
}

interface Listing {
  readonly waiting: readonly OutboxEvent[]
  readonly dead: readonly OutboxEvent[]
}

/** @param most events to show: half of them may be dead letters, the last ones, even where many wait */
function listingText({ waiting, dead }: Listing, now: number, most = Infinity): string {
  const ofDead = Math.min(dead.length, Math.max(Math.floor(most / 2), most - waiting.length))
  const events = [...waiting.slice(0, most - ofDead), ...dead.slice(dead.length - ofDead)]
  const summary = `${waiting.length} waiting, ${dead.length} dead`
  if (events.length === 0) return summary
  const rows = events.map(({ lane, delivery, at, tries, reason, next = '', died }) => {
    const wait = Date.parse(next) - now
    const turn = wait > 0 ? `in ${duration(wait)}` : 'in its turn'
    return [
      died === undefined ? 'waiting' : 'dead',
      lane.split('#')[0] ?? '',
      delivery,
      duration(now - Date.parse(at)),
      String(tries),
      reason,
      died === undefined ? turn : '',
    ]
  })
  const head = ['', 'REPOSITORY', 'DELIVERY', 'SINCE', 'TRIES', 'REASON', 'NEXT']
  const table = [head, ...rows]
  const widths = head.map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0)))
  const lines = table.map((row) =>
    printable(row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')).trimEnd(),
  )
  const left = waiting.length + dead.length - events.length
  return [summary, '', ...lines, ...(left > 0 ? [`and ${left} more`] : [])].join('\n')
}

function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  if (seconds < 120) return `${seconds} s`
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`
  return `${Math.round(seconds / 3600)} h`
}

/** @throws UserError for what the relay refuses, and when there is none */
async function ask(method: string, url: URL): Promise<HttpReply> {
  const key = readSetting(process.env, 'HOOKLINE_OPERATOR_KEY')
  if (!key) {
    throw new UserError({
      message: 'HOOKLINE_OPERATOR_KEY is not set',
      hint: 'set it to the key that the relay was started with',
    })
  }
  const headers = { authorization: `Bearer ${key.reveal()}` }
  try {
    const reply = await http({ method, url: url.href, headers, timeout: TIMEOUT })
    if (reply.status === 200) return reply
    const { error } = fieldsOf(reply)
    const { message, hint } = isObject(error) ? error : {}
    if (typeof message !== 'string' || typeof hint !== 'string') {
      throw new UserError({
        message: `${url.host} answers ${reply.status}, and is not a relay`,
        hint: 'check --relay: it is the address without a path',
      })
    }
    throw new UserError({ message: printable(message), hint: printable(hint) })
  } catch (cause) {
    if (!(cause instanceof HttpFailure)) throw cause
    const hint = unreachableHint(cause, 'is the relay running there?')
    throw new UserError({ message: `${url.host}: ${cause.message}`, hint }, { cause })
  }
}

function areEvents(value: unknown): value is readonly OutboxEvent[] {
  if (!Array.isArray(value)) return false
  return value.every((event) => {
    if (!isObject(event)) return false
    const { delivery, lane, at, reason, tries } = event
    const texts = [delivery, lane, at, reason].every((text) => typeof text === 'string')
    return texts && typeof tries === 'number'
  })
}

function readJson({ text }: HttpReply): Json {
  try {
    return parseJson(text)
  } catch {
    throw noListing()
  }
}

function noListing(): UserError {
  return new UserError({
    message: 'what answered is not a relay with an outbox',
    hint: 'check --relay: it is the address without a path',
  })
}

function addressOf(relay: string, path: string): URL {
  return new URL(baseOf(readAddress(relay, RELAY_ADDRESS)) + path)
}

function checkedId(delivery: string): string {
  if (/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(delivery)) return delivery
  throw new UserError({
    message: `${JSON.stringify(delivery)} is not a delivery id`,
    hint: 'npx hookline outbox list prints them',
  })
}
