// The database of a relay on Node: its file, what runs over it, and the store that requests ask.

import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { bugOf, UserError } from '../../wire/errors.ts'
import type { Environment } from '../../wire/settings.ts'
import {
  credentialsOf,
  type ForgeAccess,
  type RelayConfig,
  steadyClock,
  systemClock,
} from '../config.ts'
import type { ChangeLine, DeliveryLine } from '../delivery/log-lines.ts'
import { Recorder } from '../delivery/recorder.ts'
import { relayStarting } from '../errors.ts'
import { Readiness } from '../readiness.ts'
import type { Relay } from '../relay.ts'
import { readStorageSettings } from '../storage-settings.ts'
import { Encryption } from '../store/encryption.ts'
import { EndpointLookup } from '../store/endpoint-lookup.ts'
import { EndpointTable } from '../store/endpoint-table.ts'
import { StorageError, type StorageFault } from '../store/storage-error.ts'
import { openDeliveries, openStore, reencryptAll, rowsOfKeys } from '../stored-relay.ts'
import type { DataFolder, RelayKeyFile } from './data-folder.ts'
import { newHash } from './hash.ts'
import { type DatabaseFile, openDatabaseFile, openFailure } from './sqlite.ts'
import { ScheduleTimer } from './timer.ts'

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
