// The database of a relay on Node: its file, what runs over it, and the store that requests ask.

import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { bugOf, UserError } from '../../wire/errors.ts'
import type { Environment } from '../../wire/settings.ts'
import {
  credentialsOf,
  type ForgeAccess,
  type RelayConfig,
  steadyClock,
  systemClock,
} from '../config.ts'
import type { RelayStore } from '../delivery/accept.ts'
import type { DeliveryLine } from '../delivery/log-lines.ts'
import { Recorder } from '../delivery/recorder.ts'
import { relayStarting } from '../errors.ts'
import { PACK } from '../github/payload-limit.ts'
import { Readiness } from '../readiness.ts'
import type { Relay } from '../relay.ts'
import { readStorageSettings } from '../storage-settings.ts'
import { type OpenDeliveries, openDeliveries, openStore } from '../stored-relay.ts'
import { LargeBodies } from '../store/bodies.ts'
import { Encryption } from '../store/encryption.ts'
import { EndpointLookup } from '../store/endpoint-lookup.ts'
import { EndpointTable } from '../store/endpoint-table.ts'
import { reencryptAll, rowsByKeys } from '../store/reencryption.ts'
import { StorageError, type StorageFault } from '../store/storage-error.ts'
import type { DataFolder, RelayKeyFile } from './data-folder.ts'
import { newHash } from './streamed-hash.ts'
import { type DatabaseFile, openDatabaseFile, openFailure } from './sqlite.ts'

export interface NodeDatabase {
  /** The relay, whose requests use the database. */
  readonly relay: Relay
  /** Reads the file, and continues to deliver its events. Until then events wait, and then get 503. */
  start(): Promise<void>
  /** Lets open calls end, for so many milliseconds, and closes the file. */
  close(patience: number): Promise<void>
}

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

/** Milliseconds that a disk has to close the file, at least. */
const CLOSING_TIME = 1000

/** Milliseconds that a webhook waits for the start of the database. */
const STARTING_TIME = 2000

/**
 * Opens the database of a relay on Node.
 *
 * @throws UserError for an invalid setting, a file that cannot be used, or a key that does not decrypt it
 */
export async function openNodeDatabase(
  env: Environment,
  config: RelayConfig,
  parts: NodeDatabaseParts,
): Promise<NodeDatabase> {
  const settings = readStorageSettings(env)
  const { folder, relayKey, access, stateless, write } = parts
  const encryption = new Encryption(relayKey.keys)
  const file = await openChecked(folder.database, encryption, relayKey.source)
  const { database } = file
  const { log, report, logDisk } = loggers(write)
  const table = new EndpointTable(database)
  const endpoints = new EndpointLookup({
    stores: table,
    encryption,
    // Every change of the endpoints passes this process, so its list of them is always current.
    holds: { known: Number.POSITIVE_INFINITY, unknown: Number.POSITIVE_INFINITY },
    now: steadyClock.now,
    date: systemClock.now,
    report,
  })
  const credentials = credentialsOf(config, access.call, (key) => endpoints.current(key))
  const shared = { config, access, settings, encryption, credentials, now: steadyNow, log, report }
  const timer = new ScheduleTimer(() => opened.deliveries.schedule, report)
  const opened: OpenDeliveries = openDeliveries({
    ...shared,
    database,
    endpoints: table.all,
    pack: stateless.packers.at(-1) ?? PACK,
    changed: () => timer.set(),
    check: async () => {
      const { states } = await opened.deliveries.figures()
      logDisk(await file.fault(), states.waiting)
    },
  })
  const { deliveries } = opened
  const { record } = deliveries
  const recorder = new Recorder({
    record: (rows) => record.call(deliveries, rows),
    after: steadyClock.after,
    now: steadyNow,
    log,
    report,
  })
  const pending = new PendingWork()
  const gate = new StartGate()
  const started = performance.now()
  let unreadable = 0
  const store = openStore({
    ...shared,
    keys: relayKey.keys,
    endpoints,
    loadChecks: stateless.loadChecks,
    deliveries,
    recorder,
    largeBodies: largeBodiesIn(opened, config, { most: settings.mostBodyBytes, report }),
    background: (work) => pending.add(work),
    relay: () => relay,
    admin: {
      deliveriesOf: () => deliveries,
      uptime: () => (performance.now() - started) / 1000,
      backup: () => backupOf(file, report),
      warnings: async () => [
        ...parts.warnings,
        ...databaseWarnings(await file.fault(), unreadable),
      ],
    },
  })
  const relay: Relay = {
    ...stateless,
    credentials,
    report,
    store: behind(gate, store),
    readiness: new Readiness({
      now: steadyClock.now,
      servesOne: stateless.repository !== undefined,
      isStarting: () => !gate.isOpen,
      shortage: async () => {
        if (await file.fault()) return 'disk'
        return opened.table.isFull ? 'storage_full' : undefined
      },
      fault: async () => (await file.fault())?.reason,
    }),
  }
  return {
    relay,
    start: async () => {
      try {
        const reencrypted = await reencryptAll(database, encryption)
        unreadable = reencrypted.unreadable
        if (reencrypted.rows > 0) log({ change: 'reencrypted', events: reencrypted.rows })
        await opened.bodies.deleteOld({ isStart: true })
        await deliveries.start()
      } catch (error) {
        throw openFailure(folder.database, error)
      }
      gate.open()
      timer.set()
    },
    close: async (patience) => {
      const end = performance.now() + patience
      timer.clear()
      // A call that is cut off is repeated after the next start, with the same delivery id.
      const ended = Promise.all([deliveries.stop(), pending.ended(), recorder.flush()])
      await Promise.race([ended, sleep(patience, undefined, { ref: false })])
      // A disk that does not respond does not keep the process either.
      const left = Math.max(CLOSING_TIME, end - performance.now())
      await Promise.race([file.close(), sleep(left, undefined, { ref: false })])
    },
  }
}
