// The database of a relay on Node: its file, what runs over it, and the store that requests ask.

import { createCipheriv, createHash, KeyObject, randomBytes } from 'node:crypto'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { bugOf, UserError } from '../../wire/errors.ts'
import type { Environment } from '../../wire/settings.ts'
import { type ForgeAccess, type RelayConfig, readStorageSettings, steadyClock } from '../config.ts'
import type { ChangeLine } from '../delivery/log-lines.ts'
import { DeliveryRecorder } from '../delivery/recorder.ts'
import type { Schedule, Task } from '../delivery/schedule.ts'
import { PACK } from '../github/payload.ts'
import { Readiness } from '../readiness.ts'
import type { Relay } from '../relay.ts'
import type { StreamedHash } from '../store/bodies.ts'
import { StorageError, type StorageFault } from '../store/database.ts'
import { Encryption, type EncryptJwe, reencrypt, rowsByKey } from '../store/encryption.ts'
import { openDeliveries, relayStoreOf } from '../stored-relay.ts'
import type { DataFolder, RelayKeyFile } from './data-folder.ts'
import { type DatabaseFile, openDatabaseFile, openFailure } from './sqlite.ts'

interface NodeDatabaseParts {
  readonly folder: DataFolder
  readonly relayKey: RelayKeyFile
  /** The same relay without a database. */
  readonly stateless: Relay
  readonly access: ForgeAccess
  /** Warnings about the folder. */
  readonly warnings: readonly string[]
  write(line: string): void
}

const MINUTE = 60_000

/** Milliseconds that a disk has to close the file, at least. */
const CLOSING_TIME = 1000

/** Longer delays overflow a timer. */
const LONGEST_TIMER = 24 * 60 * MINUTE

/**
 * Opens the database of a relay on Node, and continues to deliver its events.
 *
 * @returns the relay whose requests use the database; `close` lets open calls end, for so many milliseconds
 * @throws UserError for an invalid setting, a file that cannot be used, or a key that does not decrypt it
 */
export async function openNodeDatabase(
  env: Environment,
  config: RelayConfig,
  { folder, relayKey, stateless, access, warnings, write }: NodeDatabaseParts,
): Promise<{ readonly relay: Relay; close(patience: number): Promise<void> }> {
  const settings = readStorageSettings(env, config.figures)
  const encryption = new Encryption(relayKey.keys, encryptJwe)
  const file = await openChecked(folder.database, encryption, relayKey.source)
  const { database } = file
  const disk = new DiskLog(write)
  const { log, report } = disk
  const shared = { config, access, settings, encryption, now: steadyNow, log, report }
  const { deliveries, bodies, ...found } = openDeliveries({
    ...shared,
    database,
    pack: stateless.packers.at(-1) ?? PACK,
    tasks: [everyMinute(async () => disk.noteFault(await file.fault()))],
    changed: () => timer.set(),
  })
  const timer = scheduleTimer(deliveries.schedule, report)
  const recorder = new DeliveryRecorder({
    record: (rows) => deliveries.record(rows),
    ...{ after: steadyClock.after, now: steadyNow, log, report },
  })
  /** Work that goes on after responses. */
  const pending = new Set<Promise<void>>()
  const started = performance.now()
  /** Rows that no relay key decrypts. */
  let unreadable = 0
  const storeOf = relayStoreOf({
    ...shared,
    ...found,
    keys: relayKey.keys,
    loadChecks: stateless.loadChecks,
    deliveries,
    bodies: { storeOf: () => bodies, newHash },
    relay: () => relay,
    admin: {
      deliveriesOf: () => deliveries,
      uptime: () => (performance.now() - started) / 1000,
      backup: () => backupOf(file, report),
      warnings: async () => [...warnings, ...warningsOf(await file.fault(), unreadable)],
    },
  })
  const relay: Relay = {
    ...stateless,
    credentials: found.credentials,
    report,
    store: storeOf({
      recorder,
      background: (work) => {
        pending.add(work)
        void work.finally(() => pending.delete(work))
      },
    }),
    readiness: new Readiness({
      now: steadyClock.now,
      servesOne: stateless.repository !== undefined,
      shortage: async () => {
        if (await file.fault()) return 'disk'
        return deliveries.table.room.isFull ? 'storage_full' : undefined
      },
      fault: async () => (await file.fault())?.reason,
    }),
  }
  try {
    const reencrypted = await reencrypt(database, encryption)
    unreadable = reencrypted.unreadable
    if (reencrypted.rows > 0) log({ change: 'reencrypted', events: reencrypted.rows })
    await bodies.deleteOld({ isStart: true })
    await deliveries.start()
  } catch (error) {
    timer.stop()
    await file.close()
    throw openFailure(folder.database, error)
  }
  return {
    relay,
    close: async (patience) => {
      const end = performance.now() + patience
      timer.stop()
      // A call that is cut off is repeated after the next start, with the same delivery id.
      const ended = Promise.all([deliveries.stop(), ...pending]).then(() => recorder.flush())
      await within(patience, ended)
      // A disk that does not respond does not keep the process either.
      await within(Math.max(CLOSING_TIME, end - performance.now()), file.close())
    },
  }
}

/** @throws UserError for a file that cannot be used, or a key that does not decrypt it */
async function openChecked(
  path: string,
  encryption: Encryption,
  source: string,
): Promise<DatabaseFile> {
  const file = await openDatabaseFile(path)
  try {
    const keys = Object.keys(await rowsByKey(file.database))
    if (keys.length === 0 || keys.some((key) => encryption.keyIds.includes(key))) return file
    throw new UserError({
      message: `the relay key in ${source} does not decrypt ${path}`,
      hint: `Restore the key of this database. If you replaced it, add the old one behind the new one, separated by a comma. To start with an empty database, move ${path} away.`,
    })
  } catch (error) {
    await file.close()
    throw openFailure(path, error)
  }
}

function newHash(): StreamedHash {
  const hash = createHash('sha256')
  return {
    update: async (bytes) => void hash.update(bytes),
    digest: async () => hash.digest('hex'),
  }
}

/** The same as jose in a quarter of its time, because WebCrypto passes each record to another thread. */
export const encryptJwe: EncryptJwe = async (key, header, text) => {
  const iv = randomBytes(12)
  const encodedHeader = Buffer.from(JSON.stringify(header)).toString('base64url')
  const cipher = createCipheriv('aes-256-gcm', KeyObject.from(key), iv)
  cipher.setAAD(Buffer.from(encodedHeader))
  const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  const parts = [iv, encrypted, cipher.getAuthTag()].map((bytes) => bytes.toString('base64url'))
  return [encodedHeader, '', ...parts].join('.')
}

/** What an admin has to know about the database. */
function warningsOf(fault: StorageError | undefined, unreadable: number): readonly string[] {
  const missing = `${unreadable} rows of the database were encrypted by a relay key that is missing`
  return [
    ...(fault ? [`the database cannot be written: ${fault.reason}`] : []),
    ...(unreadable > 0 ? [missing] : []),
  ]
}

/** A copy of the database. The caller reads or destroys the stream. */
async function backupOf(
  file: Pick<DatabaseFile, 'backup'>,
  report: (error: unknown) => void,
): Promise<Readable> {
  const folder = await mkdtemp(join(tmpdir(), 'hookline-backup-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const copy = join(folder, 'relay.db')
    await file.backup(copy)
    const bytes = (await open(copy)).createReadStream()
    bytes.once('close', () => void remove().catch(report))
    return bytes
  } finally {
    // An open file can be read without its name, so a process that is killed leaves no copy. Windows
    // keeps the folder until the file is closed.
    await remove().catch(() => {})
  }
}

/** The one timer of everything that recurs. */
function scheduleTimer(schedule: Schedule, report: (error: unknown) => void) {
  let timer: NodeJS.Timeout | undefined
  let at: number | undefined
  let isStopped = false
  const set = () => {
    const next = schedule.next()
    if (isStopped || next === at) return
    clearTimeout(timer)
    at = next
    if (next === undefined) return
    const delay = Math.min(Math.max(0, next - steadyNow()), LONGEST_TIMER)
    timer = setTimeout(() => {
      at = undefined
      schedule.run().catch(report)
      set()
    }, delay)
  }
  const stop = () => {
    isStopped = true
    clearTimeout(timer)
  }
  return { set, stop }
}

function everyMinute(work: () => Promise<void>): Task {
  let at = steadyNow() + MINUTE
  return {
    next: () => at,
    run: async () => {
      at = steadyNow() + MINUTE
      await work()
    },
  }
}

/** Every request meets a fault of the disk, so the log says only when it begins, and when it is over. */
class DiskLog {
  readonly #write: (line: string) => void
  #logged: StorageFault | undefined

  constructor(write: (line: string) => void) {
    this.#write = write
  }

  readonly log = (line: ChangeLine): void => {
    this.#write(JSON.stringify({ time: new Date(steadyNow()).toISOString(), ...line }))
  }

  readonly report = (error: unknown): void => {
    if (error instanceof StorageError) this.noteFault(error)
    else this.#write(JSON.stringify({ error: bugOf(error) }))
  }

  noteFault(fault: StorageError | undefined): void {
    if (fault?.reason === this.#logged) return
    this.#logged = fault?.reason
    this.log({ change: 'disk', reason: this.#logged ?? 'well' })
  }
}

/** Resolves when the work is done, or the time is over. */
async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const late = new AbortController()
  await Promise.race([
    work,
    sleep(milliseconds, undefined, { signal: late.signal }).catch(() => {}),
  ])
  late.abort()
}

/** The time when the process started, plus the time that has passed since: it never jumps. */
function steadyNow(): number {
  return Math.round(performance.timeOrigin + performance.now())
}
