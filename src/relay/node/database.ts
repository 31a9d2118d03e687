import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { bugOf, UserError } from '../../wire/errors.ts'
import type { Environment } from '../../wire/settings.ts'
import { adminApi } from '../admin/admin.ts'
import { accessCheck } from '../admin/check-access.ts'
import {
  credentialKind,
  credentialsOf,
  type ForgeAccess,
  ownToken,
  type RelayConfig,
  steadyClock,
  systemClock,
} from '../config.ts'
import type { RelayStore } from '../delivery/accept.ts'
import { type AcceptPorts, deliverThrough } from '../delivery/accept-old.ts'
import { countFollowed, type DeliveryView, listDeliveries } from '../delivery/delivery-list.ts'
import { isFull } from '../delivery/event.ts'
import { ENCRYPTED_EVENTS, reencryptEvents } from '../delivery/event-record.ts'
import { Ledger } from '../delivery/ledger.ts'
import { Outbox } from '../delivery/outbox.ts'
import { holderOf, ownerOf, queueNames } from '../delivery/queue-name.ts'
import { isReceiptId } from '../delivery/receipt.ts'
import { relayStarting } from '../errors.ts'
import { runFinder, runReader } from '../github/find-run.ts'
import { PACK } from '../github/payload-limit.ts'
import { countingRefusals, dispatchTo, type Govern } from '../github/send.ts'
import type { OutboxLine } from '../log-lines.ts'
import { Readiness } from '../readiness.ts'
import type { Relay } from '../relay.ts'
import { readStorageSettings } from '../storage-settings.ts'
import { AcceptedCredentials } from '../store/accepted-credentials.ts'
import type { Database } from '../store/database.ts'
import { Encryption, rowsByKey } from '../store/encryption.ts'
import { EndpointLookup } from '../store/endpoint-lookup.ts'
import { ENCRYPTED_ENDPOINTS, reencryptEndpoints } from '../store/endpoint-records.ts'
import { EndpointTable } from '../store/endpoint-table.ts'
import { StorageError, type StorageFault } from '../store/storage-error.ts'
import { addCounts } from '../workers/object-deliveries.ts'
import type { DataFolder, RelayKeyFile } from './data-folder.ts'
import { NodeReceipts, type NotifySettings } from './receipts.ts'
import { type DatabaseFile, openDatabaseFile, openFailure } from './sqlite.ts'

export interface NodeDatabase {
  /** The relay, with the database between its events and GitHub. */
  readonly relay: Relay
  /** Its store, without large bodies. */
  readonly store: RelayStore
  /** The tables of the file. */
  readonly database: Database
  /** Reads the file, and continues to deliver its events. Until then events wait, and then get 503. */
  start(): Promise<void>
  /** Lets open calls end, for so many milliseconds, and closes the file. */
  close(patience: number): Promise<void>
}

interface NodeDatabaseParts {
  readonly folder: DataFolder
  readonly relayKey: RelayKeyFile
  /** A stateless relay. */
  readonly relay: Relay
  readonly access: ForgeAccess
  readonly notify: NotifySettings | undefined
  /** Warnings about the folder. */
  readonly warnings: readonly string[]
  write(line: string): void
}

const CHECK_INTERVAL = 60_000

/** Milliseconds that a disk has to close the file, at least. */
const CLOSING_TIME = 1000

/** Milliseconds that a webhook waits for the start of the database. */
const STARTING_TIME = 2000

/**
 * The database of a relay on Node.
 *
 * @throws UserError for an invalid setting, a file that cannot be used, or a key that does not decrypt it
 */
export async function openNodeDatabase(
  env: Environment,
  config: RelayConfig,
  given: NodeDatabaseParts,
): Promise<NodeDatabase> {
  const { limits, responseTime } = readStorageSettings(env)
  const { folder, relayKey, access, write } = given
  const { rateLimiters, metrics, call } = access
  const { apiUrl, budget, forge } = config
  const encryption = new Encryption(relayKey.keys)
  const file = folder.database
  const opened = await openDatabaseFile(file)
  const { database } = opened
  try {
    await checkKey(database, encryption, { file, source: relayKey.source })
  } catch (error) {
    await opened.close()
    throw openFailure(file, error)
  }
  const started = performance.now()
  const log = (line: object) =>
    write(JSON.stringify({ time: new Date(steadyNow()).toISOString(), ...line }))
  const logOutbox = (line: OutboxLine) => log(line)
  const { report, logDisk } = diskLog(logOutbox, write)
  const options = (retryTime: number, govern: Govern) => {
    return { call, apiUrl, budget, forge, clock: systemClock, retryTime, govern }
  }
  const lookups = options(0, rateLimiters.lookup)
  const table = new EndpointTable(database)
  const endpoints: EndpointLookup = new EndpointLookup({
    stores: table,
    encryption,
    // Every change of the endpoints passes this process, so its list of them is always current.
    holds: { known: Number.POSITIVE_INFINITY, unknown: Number.POSITIVE_INFINITY },
    now: steadyClock.now,
    date: systemClock.now,
    used: (endpoint) => receipts.noteEvent(endpoint),
    report,
  })
  const credentials = credentialsOf(config, call, (endpoint) => endpoints.current(endpoint))
  const receipts = new NodeReceipts({
    database,
    endpoints: table.all,
    encryption,
    credentials,
    metrics,
    isFollowing: config.githubCredential !== undefined,
    notify: given.notify,
    readRuns: runReader(lookups),
    now: steadyNow,
    write,
    report,
  })
  const dispatcher = (retryTime: number, govern: Govern) =>
    receipts.following(countingRefusals(dispatchTo(options(retryTime, govern)), metrics))
  const limiterOf = (queue: string) => rateLimiters.of(holderOf(queue), ownerOf(queue))
  const timers = queueTimers((queue) => void outbox.loop.step(queue))
  const ledger = new Ledger({ database, limits, keyIds: encryption.keyIds, now: steadyNow })
  const accepted = new AcceptedCredentials(database, { now: steadyNow, report })
  const outbox = new Outbox({
    ledger,
    accepted,
    encryption,
    credentials,
    send: dispatcher(0, rateLimiters.granted),
    pack: given.relay.packers.at(-1) ?? PACK,
    age: limits.age,
    newId: given.relay.newDelivery,
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
    log: logOutbox,
    report,
  })
  const starting = startGate()
  const pending = new Set<Promise<void>>()
  const accept: AcceptPorts = {
    ask: dispatcher(responseTime, rateLimiters.live),
    store: outbox,
    accepted,
    encryption,
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
    log: logOutbox,
    report,
  }
  const deliver = deliverThrough(accept, endpoints)
  const check = async () => {
    const fault = await opened.fault()
    const { events } = await outbox.figures().catch(() => ({ events: { waiting: 0 } }))
    logDisk(fault, events.waiting)
    await outbox.check()
  }
  /** Rows that no relay key decrypts. */
  let unreadable = 0
  const allRowsByKey = () => rowsOfKeys(database, encryption)
  const admin = adminApi({
    relayKey: { keys: relayKey.keys, encryption },
    allowsTokens: config.allowsTokens,
    report,
    ports: {
      endpoints,
      hasCredential: config.githubCredential !== undefined,
      publicUrl: config.publicUrl,
      loadChecks: given.relay.loadChecks,
      now: systemClock.now,
      checkAccess: accessCheck(
        options(responseTime, rateLimiters.live),
        ownToken(config, credentials),
      ),
      deliveries: deliveriesIn(database, outbox, allRowsByKey),
      metrics,
      credentialKind: credentialKind(config),
      storageLimit: limits.bytes,
      uptime: () => (performance.now() - started) / 1000,
      rowsByKey: allRowsByKey,
      alarms: () => receipts.store.alarms(),
      warnings: async () => {
        const fault = await opened.fault()
        const missing = `${unreadable} rows of the database were encrypted by a relay key that is missing`
        return [
          ...given.warnings,
          ...(fault ? [`the database cannot be written: ${fault.reason}`] : []),
          ...(unreadable > 0 ? [missing] : []),
        ]
      },
      backup: () => backupOf(opened, report),
      log,
    },
  })
  let checks: NodeJS.Timeout | undefined
  return {
    store: {
      endpoints,
      admin,
      deliver: async (events, endpoint) => {
        await starting.ready()
        return deliver(events, endpoint)
      },
      record: () => {},
      clientGone: () => {},
      isNotification: async ({ headers }) => isReceiptId(headers.get('webhook-id')),
      largeBodies: undefined,
    },
    relay: {
      ...given.relay,
      credentials,
      report,
      readiness: new Readiness({
        now: steadyClock.now,
        servesOne: given.relay.repository !== undefined,
        isStarting: () => starting.isStarting(),
        shortage: async () => {
          if (await opened.fault()) return 'disk'
          return isFull(await ledger.usage(), limits) ? 'storage_full' : undefined
        },
        fault: async () => (await opened.fault())?.reason,
      }),
    },
    database,
    start: async () => {
      try {
        for (const reencrypted of [
          await reencryptEndpoints(database, encryption),
          await reencryptEvents(database, encryption),
        ]) {
          unreadable += reencrypted.unreadable
          if (reencrypted.rows > 0) log({ outbox: 'reencrypted', events: reencrypted.rows })
        }
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

function deliveriesIn(
  database: Database,
  outbox: Outbox,
  rowsByKey: DeliveryView['rowsByKey'],
): DeliveryView {
  return {
    list: (query) => listDeliveries(database, query),
    find: (id) => outbox.find(id),
    replay: (id, filter) => outbox.replay(id, filter),
    replayAll: (filter) => outbox.replayAll(filter),
    delete: (id, filter) => outbox.delete(id, filter),
    deleteAll: (filter) => outbox.deleteAll(filter),
    endDeleted: (credential) => outbox.endDeleted(credential),
    figures: async () => {
      const figures = await outbox.figures()
      const delivered = figures.events.delivered + (await countFollowed(database))
      return { ...figures, events: { ...figures.events, delivered } }
    },
    rowsByKey,
  }
}

/** @throws UserError if the database has rows, and the relay keys decrypt none of them */
async function checkKey(
  database: Database,
  encryption: Encryption,
  { file, source }: { readonly file: string; readonly source: string },
): Promise<void> {
  const keys = Object.keys(await rowsOfKeys(database, encryption, false))
  if (keys.length === 0 || keys.some((key) => encryption.keyIds.includes(key))) return
  throw new UserError({
    message: `the relay key in ${source} does not decrypt ${file}`,
    hint: `Restore the key of this database. If you replaced it, add the old one behind the new one, separated by a comma. To start with an empty database, move ${file} away.`,
  })
}

/** Rows by relay key. @param isAll with keys that have no rows */
async function rowsOfKeys(
  database: Database,
  { keyIds }: Encryption,
  isAll = true,
): Promise<Readonly<Record<string, number>>> {
  const hasEndpoints = await new EndpointTable(database).exists()
  return addCounts([
    isAll ? Object.fromEntries(keyIds.map((id) => [id, 0])) : {},
    await rowsByKey(database, ENCRYPTED_EVENTS),
    hasEndpoints ? await rowsByKey(database, ENCRYPTED_ENDPOINTS) : {},
  ])
}

/** A copy of the database. The caller reads or destroys the stream. */
async function backupOf(
  opened: Pick<DatabaseFile, 'backup'>,
  report: (error: unknown) => void,
): Promise<Readable> {
  const folder = await mkdtemp(join(tmpdir(), 'hookline-backup-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const copy = join(folder, 'relay.db')
    await opened.backup(copy)
    const bytes = (await open(copy)).createReadStream()
    bytes.once('close', () => void remove().catch(report))
    return bytes
  } finally {
    // An open file can be read without its name, so a process that is killed leaves no copy. Windows
    // keeps the folder until the file is closed.
    await remove().catch(() => {})
  }
}

/** Holds events back until the relay has read its database. */
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
