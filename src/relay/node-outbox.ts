import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { bugOf } from '../wire/errors.ts'
import type { Environment } from '../wire/settings.ts'
import { AcceptedCredentials } from './credentials/accepted-credentials.ts'
import type { Database } from './database/database.ts'
import { migrationLine } from './database/schema.ts'
import { openFailure, openOutboxFile } from './database/sqlite.ts'
import { StorageError, type StorageFault } from './database/storage-error.ts'
import { Endpoints } from './endpoints/endpoints.ts'
import { EndpointTable } from './endpoints/store.ts'
import { countingRefusals, type DispatchPort, dispatchTo, type Govern } from './github/dispatch.ts'
import { runFinder, runReader } from './github/find-run.ts'
import type { OutboxLine } from './log-lines.ts'
import { type AcceptPorts, collectInto, throughOutbox } from './outbox/accept.ts'
import { isFull } from './outbox/event.ts'
import { Ledger } from './outbox/ledger.ts'
import { Outbox } from './outbox/outbox.ts'
import { holderOf, ownerOf, queueNames } from './outbox/queue-name.ts'
import { sealEventsFor } from './outbox/sealed-event.ts'
import { readOutboxSettings } from './outbox-settings.ts'
import { Readiness } from './pages/readiness.ts'
import { NodeReceipts, type ReceiptSettings } from './receipts/on-node.ts'
import type { ReceiptStore } from './receipts/store.ts'
import { type ForgeAccess, type RelayConfig, steadyClock, systemClock } from './relay-config.ts'
import { relayStarting } from './relay-errors.ts'
import type { RelayPorts } from './relay-ports.ts'
import { PACK } from './request/client-payload.ts'

export interface NodeOutbox {
  /** The ports of the relay, with the outbox between its events and GitHub. */
  readonly ports: RelayPorts
  readonly outbox: Outbox
  /** A copy of the file. The caller reads or destroys the stream. */
  backup(): Promise<Readable>
  /** The tables of the file. */
  readonly database: Database
  readonly receipts: ReceiptStore
  /** Reads the file, and continues to deliver its events. Until then events wait, and then get 503. */
  start(): Promise<void>
  /** Lets open calls end, for so many milliseconds, and closes the file. */
  close(patience: number): Promise<void>
}

const CHECK_INTERVAL = 60_000

/** Milliseconds that a disk has to close the file, at least. */
const CLOSING_TIME = 1000

/** Milliseconds that a webhook waits for the start of the outbox. */
const STARTING_TIME = 2000

/**
 * The outbox of a relay on Node, in a file.
 *
 * @throws UserError for an invalid setting, or a file that cannot be used
 */
export async function openNodeOutbox(
  file: string,
  env: Environment,
  config: RelayConfig,
  given: {
    ports: RelayPorts
    access: ForgeAccess
    receipts: ReceiptSettings
    write(line: string): void
  },
): Promise<NodeOutbox> {
  const { limits, responseTime } = readOutboxSettings(env)
  const { ports, access, write } = given
  const { rateLimiters, metrics, call } = access
  const { sealingKeys: keys } = config
  const [sealKey] = keys
  if (!sealKey) throw new TypeError('there is no key to seal with')
  const opened = await openOutboxFile(file)
  const log = (line: OutboxLine) =>
    write(JSON.stringify({ time: new Date(steadyNow()).toISOString(), ...line }))
  const { report, logDisk } = diskLog(log, write)
  if (opened.migratedFrom !== undefined) log(migrationLine(opened.migratedFrom))
  const { apiUrl, budget, forge } = config
  const options = (retryTime: number, govern: Govern) => {
    return { call, apiUrl, budget, forge, clock: systemClock, retryTime, govern }
  }
  const lookups = options(0, rateLimiters.lookup)
  const endpoints: Endpoints = new Endpoints({
    store: new EndpointTable(opened.database),
    keys,
    // Every change of the endpoints passes this process, so its list of them is always current.
    holds: { known: Number.POSITIVE_INFINITY, unknown: Number.POSITIVE_INFINITY },
    now: steadyClock.now,
    date: systemClock.now,
    used: (name) => receipts.noteEvent(name),
    report,
  })
  const receipts = new NodeReceipts(given.receipts, {
    database: opened.database,
    endpoints,
    credentials: ports.credentials,
    metrics,
    readRuns: runReader(lookups),
    now: steadyNow,
    write,
    report,
  })
  const dispatcher = (retryTime: number, govern: Govern) =>
    receipts.following(countingRefusals(dispatchTo(options(retryTime, govern)), metrics))
  const limiterOf = (queue: string) => rateLimiters.of(holderOf(queue), ownerOf(queue))
  const timers = queueTimers((queue) => void outbox.loop.step(queue))
  const ledger = new Ledger({
    database: opened.database,
    limits,
    keyIds: keys.map(({ id }) => id),
    now: steadyNow,
  })
  const accepted = new AcceptedCredentials(opened.database, { now: steadyNow, report })
  const outbox = new Outbox({
    ledger,
    accepted,
    keys,
    credentials: ports.credentials,
    send: dispatcher(0, rateLimiters.granted),
    pack: ports.packers?.at(-1) ?? PACK,
    age: limits.age,
    newId: ports.newDelivery,
    now: steadyNow,
    random: Math.random,
    wake: timers.set,
    isInDoubt: (queue) => limiterOf(queue).isInDoubt,
    turn: async (queue) => {
      await limiterOf(queue).turn()
      return { wait: 0, isGranted: true }
    },
    findRuns: runFinder(lookups),
    found: (dispatch) => receipts.accepted(dispatch),
    log,
    report,
  })
  const starting = startGate()
  const pending = new Set<Promise<void>>()
  const accept: AcceptPorts = {
    ask: dispatcher(responseTime, rateLimiters.live),
    store: outbox,
    accepted,
    seal: sealEventsFor(sealKey),
    nameQueue: queueNames(rateLimiters),
    responseTime,
    callTime: budget,
    now: steadyNow,
    random: Math.random,
    after: steadyClock.after,
    background: (work) => {
      pending.add(work)
      void work.finally(() => pending.delete(work))
    },
    log,
    report,
  }
  const dispatch = throughOutbox(accept)
  const collect = collectInto(accept)
  const check = async () => {
    const fault = await opened.fault()
    const { events } = await outbox.figures().catch(() => ({ events: { waiting: 0 } }))
    logDisk(fault, events.waiting)
    await outbox.check()
  }
  let checks: NodeJS.Timeout | undefined
  return {
    ports: {
      ...ports,
      endpoints,
      dispatch: starting.delay(dispatch),
      collect: async (event, period) => {
        await starting.ready()
        return collect(event, period)
      },
      report,
      readiness: new Readiness({
        now: steadyClock.now,
        servesOne: ports.repository !== undefined,
        isStarting: () => starting.isStarting(),
        shortage: async () => {
          if (await opened.fault()) return 'disk'
          return isFull(await ledger.usage(), limits) ? 'outbox_full' : undefined
        },
      }),
    },
    outbox,
    backup: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'hookline-backup-'))
      const remove = () => rm(folder, { recursive: true, force: true })
      try {
        const copy = join(folder, 'outbox.db')
        await opened.backup(copy)
        const bytes = (await open(copy)).createReadStream()
        bytes.once('close', () => void remove().catch(report))
        return bytes
      } finally {
        // An open file can be read without its name, so a process that is killed leaves no copy. Windows
        // keeps the folder until the file is closed.
        await remove().catch(() => {})
      }
    },
    database: opened.database,
    receipts: receipts.store,
    start: async () => {
      try {
        await outbox.start()
        await receipts.start()
      } catch (error) {
        throw openFailure(file, error)
      }
      starting.open()
      checks = setInterval(() => void check().catch(report), CHECK_INTERVAL).unref()
    },
    close: async (patience) => {
      clearInterval(checks)
      timers.clear()
      const end = performance.now() + patience
      // A call that is cut off is repeated after the next start, with the same delivery id.
      await within(
        patience,
        Promise.all([outbox.stop(), ...pending]).then(() => receipts.stop()),
      )
      // A disk that does not respond does not keep the process either.
      const left = Math.max(CLOSING_TIME, end - performance.now())
      await within(left, opened.close())
    },
  }
}

/** Holds events back until the outbox has read its file. */
function startGate() {
  let isOpen = false
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = () => {
      isOpen = true
      resolve()
    }
  })
  /** @throws RelayError 503 */
  const ready = async () => {
    if (!isOpen) await within(STARTING_TIME, opened)
    if (!isOpen) throw relayStarting()
  }
  return {
    open: () => open(),
    isStarting: () => !isOpen,
    ready,
    delay:
      (dispatch: DispatchPort): DispatchPort =>
      async (event) => {
        await ready()
        return dispatch(event)
      },
  }
}

/** Resolves when the work is done, or the time is over. */
async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}

/** Every request meets a fault of the disk, so the log says only when it begins, and when it is over. */
function diskLog(log: (line: OutboxLine) => void, write: (line: string) => void) {
  let logged: StorageFault | undefined
  const logDisk = (fault: StorageError | undefined, waiting?: number) => {
    if (fault?.reason === logged) return
    logged = fault?.reason
    const events = waiting !== undefined && { events: waiting }
    log({ outbox: 'disk', reason: logged ?? 'well', ...events })
  }
  const report = (error: unknown) => {
    if (error instanceof StorageError) logDisk(error)
    else write(JSON.stringify({ error: bugOf(error) }))
  }
  return { report, logDisk }
}

/** One timer a queue. */
function queueTimers(step: (queue: string) => void) {
  const timers = new Map<string, NodeJS.Timeout>()
  return {
    set: (queue: string, delay: number) => {
      clearTimeout(timers.get(queue))
      const wake = () => {
        timers.delete(queue)
        step(queue)
      }
      // Longer delays overflow; the queue then sets another timer.
      timers.set(queue, setTimeout(wake, Math.min(delay, LONGEST_TIMER)))
    },
    clear: () => {
      for (const timer of timers.values()) clearTimeout(timer)
    },
  }
}

const LONGEST_TIMER = 24 * 3_600_000

/** The time when the process started, plus the time that has passed since: it never jumps. */
function steadyNow(): number {
  return Math.round(performance.timeOrigin + performance.now())
}
