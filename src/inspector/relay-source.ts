import { createServer } from 'node:http'
import * as v from 'valibot'
import { requireFreePort } from '../relay/node/server.ts'
import { UserError } from '../wire/errors.ts'
import { jsonOf } from '../wire/json.ts'
import {
  type ListChange,
  MOST_REPLAYED,
  type OutputReader,
  type ReplayResult,
  type SentResponse,
  type ShownRequest,
  type Summary,
  type Welcome,
} from './api.ts'
import { repeat } from './local-engine.ts'
import { PAGE_FILES } from './page-files.ts'
import {
  deliveryDetail,
  deliverySummary,
  type ListedDelivery,
  readDeliveries,
  readShown,
} from './relay-delivery.ts'
import {
  type InspectorAnswer,
  type InspectorSource,
  inspectorJson,
  inspectorPath,
  inspectorServer,
  inspectorText,
  listChanged,
  randomKey,
  type StreamedEvent,
} from './server.ts'

/** The deliveries of a relay. Every method throws a UserError if the relay does not respond or refuses. */
export interface RelayDeliveries {
  /** Host and port, for people. */
  readonly host: string
  readonly list: AskPage
  /** `undefined` if the relay does not have it. */
  find(owner: string, id: string): Promise<unknown>
  /** @returns ids under which the event is sent again */
  replay(owner: string, id: string): Promise<readonly string[]>
}

interface RelayParts {
  readonly relay: RelayDeliveries
  /** Address of the `hookline dev` for *Open in dev*. */
  readonly dev: string
  /** The files and jobs here that can read the outputs of a workflow of a repository. */
  readonly readers: (repository: string, workflow: string) => readonly OutputReader[]
  /** Sends a request to `hookline dev`. @throws UserError */
  readonly sendToDev: (request: ShownRequest) => Promise<SentResponse>
  /** The commands of a cure, for the relay that is shown. */
  readonly cure: (text: string) => string
  readonly report: (error: unknown) => void
}

/** Milliseconds between two questions for new deliveries. */
const PAUSE = 2000

/**
 * Serves the inspector over the deliveries of a relay, for this machine only, at a free port.
 *
 * @returns the address of the page, which contains the key of this run, a secret
 * @throws UserError if this machine has no address `localhost`
 */
export async function serveRelayInspector(parts: RelayParts) {
  const source = relaySource(parts)
  const inspector = inspectorServer(source, parts.report)
  const server = createServer((request, response) => {
    if (!inspector.route(request, response)) response.writeHead(404).end()
  })
  await requireFreePort({ host: 'localhost', port: 0 })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, 'localhost', resolve)
  })
  const stopLooking = repeat(source.look, PAUSE, parts.report)
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://localhost:${port}${inspectorPath(source.key)}`,
    async close() {
      inspector.close()
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await Promise.all([closed, stopLooking()])
    },
  }
}

/** Milliseconds between two readings of the whole list, at least. */
const WHOLE_INTERVAL = 30_000

/** A long list is a burden for the relay: it is left alone most of the time. */
const REST = 10

function relaySource(parts: RelayParts): InspectorSource & {
  /** Asks the relay for what is new. A fault is shown on the page. */
  look(): Promise<void>
} {
  const { relay } = parts
  let send: (event: StreamedEvent) => void = () => {}
  const list = new RelayList(relay.list, (change) => send(listChanged(change)))
  let fault: string | null = null
  let wholeAt = Number.NEGATIVE_INFINITY
  const read = async () => {
    const started = performance.now()
    if (started < wholeAt) return list.read('newest')
    await list.read('all')
    const ended = performance.now()
    wholeAt = ended + Math.max(WHOLE_INTERVAL, REST * (ended - started))
  }
  const shown = (): [string | null, boolean] => [fault, list.isFull]
  return {
    command: 'hookline deliveries --open',
    files: PAGE_FILES,
    key: randomKey(),
    run: crypto.randomUUID().slice(0, 8),
    welcome: (): Welcome => ({
      ...{ triggers: [], polled: [], polling: false, problems: [] },
      relay: { host: relay.host, dev: parts.dev, isFull: list.isFull, fault },
    }),
    summaries: () => list.summaries(),
    listen(listener) {
      send = listener
      return () => {
        send = () => {}
      }
    },
    async find(id) {
      const detail = await detailOf(id, list, parts)
      return detail && JSON.stringify(detail)
    },
    actions: new Map([
      ['replay', (body: string) => replayed(body, list, relay)],
      ['open', (body: string) => opened(body, list, parts)],
    ]),
    async look() {
      const before = JSON.stringify(shown())
      try {
        await read()
        fault = null
      } catch (error) {
        if (!(error instanceof UserError)) throw error
        fault = error.message
      }
      if (JSON.stringify(shown()) !== before) send({ name: 'changed', data: '{}' })
    },
  }
}

/** @throws UserError if the relay does not respond */
async function detailOf(id: string, list: RelayList, { relay, readers, cure }: RelayParts) {
  const entry = list.find(id)
  if (!entry) return undefined
  const answer = await relay.find(entry.delivery.owner, entry.delivery.id)
  if (answer === undefined) return undefined
  const own = readers(entry.delivery.repository, entry.summary.workflow)
  const shown = readShown(answer)
  const stages = shown.stages.map((stage) => ({ ...stage, cure: stage.cure && cure(stage.cure) }))
  return deliveryDetail({ ...shown, stages }, own)
}

const orderSchema = v.object({
  ids: v.pipe(v.array(v.string()), v.minLength(1), v.maxLength(MOST_REPLAYED)),
})

/** Replays deliveries one after the other. A delivery that cannot be replayed does not stop the others. */
async function replayed(
  body: string,
  list: RelayList,
  relay: RelayDeliveries,
): Promise<InspectorAnswer> {
  const ids = readIds(body)
  if (!ids) return inspectorText(400, 'invalid replay order')
  const done: string[] = []
  const failures: string[] = []
  for (const id of ids) {
    const entry = list.find(id)
    try {
      if (entry) done.push(...(await relay.replay(entry.delivery.owner, entry.delivery.id)))
      else failures.push('the relay has no such delivery')
    } catch (error) {
      if (!(error instanceof UserError)) throw error
      failures.push(error.message)
    }
  }
  // Their state has changed, and a replay of a delivered event is a new delivery.
  await list.read('newest').catch(() => {})
  const result: ReplayResult = {
    ids: done,
    failures: [...new Set(failures)],
    failed: failures.length,
  }
  return inspectorJson(result)
}

/** Sends the request of one delivery to `hookline dev`. @throws UserError */
async function opened(body: string, list: RelayList, parts: RelayParts): Promise<InspectorAnswer> {
  const [id, ...others] = readIds(body) ?? []
  if (id === undefined || others.length > 0) return inspectorText(400, 'invalid order')
  const detail = await detailOf(id, list, parts)
  if (!detail) return inspectorText(404, 'the relay has this delivery no longer')
  const { request, missing } = detail
  if (!request || missing !== null) return inspectorText(422, String(missing))
  return inspectorJson(await parts.sendToDev(request))
}

function readIds(body: string): readonly string[] | undefined {
  const order = v.safeParse(orderSchema, jsonOf(body))
  return order.success ? order.output.ids : undefined
}

/** Deliveries that the list takes, the newest ones. */
const MOST_LISTED = 10_000

/** Deliveries of one request: the most that a relay returns, and the newest ones. */
const PAGE = { all: 1000, newest: 100 }

/** Asks a relay for one page of its deliveries, newest first. @throws UserError */
type AskPage = (query: { readonly limit: number; readonly after?: string }) => Promise<unknown>

interface Entry {
  readonly summary: Summary
  readonly delivery: ListedDelivery
}

/** A copy of the newest deliveries of a relay. A deletion at the relay is seen when all are read. */
export class RelayList {
  readonly #ask: AskPage
  readonly #tell: (change: ListChange) => void
  readonly #most: number
  readonly #entries = new Map<string, Entry>()

  constructor(ask: AskPage, tell: (change: ListChange) => void, most = MOST_LISTED) {
    this.#ask = ask
    this.#tell = tell
    this.#most = most
  }

  get isFull(): boolean {
    return this.#entries.size >= this.#most
  }

  find(id: string): Entry | undefined {
    return this.#entries.get(id)
  }

  /** All deliveries, newest first. */
  summaries(): Summary[] {
    const all = [...this.#entries.values()].map(({ summary }) => summary)
    return all.sort((one, other) => other.number - one.number)
  }

  /**
   * Reads all deliveries, as far as the list takes them, or the newest ones, page by page until one that was
   * known. The first time, each page is shown when it arrives.
   *
   * @throws UserError
   */
  async read(part: 'all' | 'newest'): Promise<void> {
    const isFirst = this.#entries.size === 0
    const rows: ListedDelivery[] = []
    for (let after: string | undefined; ; ) {
      const limit = Math.min(PAGE[part], this.#most)
      const { deliveries, next } = readDeliveries(
        await this.#ask({ limit, ...(after !== undefined && { after }) }),
      )
      rows.push(...deliveries)
      const isKnown = part === 'newest' && deliveries.some(({ id }) => this.#entries.has(id))
      // A relay that repeats its cursor would be asked for ever.
      const isEnd = isKnown || next === null || next === after || rows.length >= this.#most
      if (isFirst || isEnd) this.#take(rows, isEnd && part === 'all')
      if (isEnd) return
      after = next
    }
  }

  /** @param isWhole true if the relay has no others that the list takes */
  #take(rows: readonly ListedDelivery[], isWhole: boolean): void {
    const changed = rows.flatMap((delivery) => {
      const before = this.#entries.get(delivery.id)
      const summary = deliverySummary(delivery)
      this.#entries.set(delivery.id, { summary, delivery })
      return JSON.stringify(before?.delivery) === JSON.stringify(delivery) ? [] : [summary]
    })
    const present = new Set(rows.map(({ id }) => id))
    const all = this.summaries()
    const kept = (isWhole ? all.filter(({ id }) => present.has(id)) : all).slice(0, this.#most)
    const keptIds = new Set(kept.map(({ id }) => id))
    const gone = all.flatMap(({ id }) => (keptIds.has(id) ? [] : [id]))
    for (const id of gone) this.#entries.delete(id)
    const summaries = changed.filter(({ id }) => keptIds.has(id))
    if (summaries.length + gone.length > 0) this.#tell({ summaries, gone })
  }
}
