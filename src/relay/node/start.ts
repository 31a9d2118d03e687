import { write as writeTo } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip, gzipSync } from 'node:zlib'
import type { Problem } from '../../wire/errors.ts'
import type { Environment } from '../../wire/settings.ts'
import { readRelayConfig, sharedGitHub, statelessRelay } from '../config.ts'
import type { Figures } from '../figures.ts'
import { githubConnectionPool } from '../github/connection-pool.ts'
import type { Packer } from '../github/payload.ts'
import {
  createDataFolder,
  type DataFolder,
  openRelayKey,
  removeAddress,
  volumeWarning,
  writeAddress,
} from './data-folder.ts'
import { openNodeDatabase } from './database.ts'
import { type ClientLimits, type RunningServer, serveRelay } from './server.ts'
import { requireSqlite } from './sqlite.ts'

interface RelayOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly env: Environment
  /** `owner/name`, for the self-hosted form; `HOOKLINE_REPOSITORY` of the environment when absent. */
  readonly repository?: string | undefined
  /** The folder of the database; a stateless relay has none. */
  readonly folder?: DataFolder | undefined
  /** Takes the lines of the log; standard output when absent. */
  readonly write?: (line: string) => void
  /** Figures that replace the usual ones, in tests. */
  readonly figures?: Partial<Figures>
  /** The limits of a client that replace the usual ones. */
  readonly limits?: Partial<ClientLimits> | undefined
}

const pack = promisify(gzip)

/** Bytes for what is packed: one piece holds all that an event can carry. */
const PACKED_BYTES = 64 * 1024

/**
 * Level 1 takes a millisecond for the largest body. Another thread would add half of that, mostly to wake up.
 * Level 6 takes five times as long, and packs a tenth more.
 */
const PACKERS: readonly Packer[] = [
  async (bytes) => gzipSync(bytes, { level: 1, chunkSize: PACKED_BYTES }).toString('base64'),
  async (bytes) => {
    const packed = await pack(bytes, { level: 6, chunkSize: PACKED_BYTES })
    return packed.toString('base64')
  },
]

export interface RunningRelay extends RunningServer {
  /** True if this start created the relay key. */
  readonly hasNewKey: boolean
  readonly warnings: readonly Problem[]
}

/**
 * The relay towards GitHub, set up from the environment.
 *
 * @throws UserError for a setting that is wrong, or a data folder that cannot be used; UsageError for a Node
 *   without a database
 */
export async function startRelay(options: RelayOptions): Promise<RunningRelay> {
  const { host, port, env, repository, limits, folder } = options
  const config = await readRelayConfig(env, repository, options.figures)
  const pool = githubConnectionPool(config.apiUrl)
  const log = options.write ? undefined : standardLog()
  const write = options.write ?? log ?? (() => {})
  const access = sharedGitHub(config, pool.call)
  const stateless = statelessRelay(config, access, write, {
    packers: PACKERS,
    loadChecks: () => import('../webhook/verification.ts'),
    isStateless: folder === undefined,
  })
  const stored = folder && (await openStored(folder, env))
  const data =
    stored &&
    (await openNodeDatabase(env, config, {
      ...stored,
      warnings: stored.warnings.map(({ message }) => message),
      stateless,
      access,
      write,
    }))
  const relay = data?.relay ?? stateless
  const server = await serveRelay({ host, port, relay, limits }).catch(async (error) => {
    await data?.close(0)
    throw error
  })
  if (folder) {
    const address = writeAddress(folder, host, Number(new URL(server.url).port || 80))
    await address.catch(async (error: unknown) => {
      await server.close()
      await data?.close(0)
      throw error
    })
  }
  const close = async () => {
    const started = performance.now()
    if (folder) await removeAddress(folder)
    relay.readiness.stop()
    await server.close()
    await data?.close(STOP_TIME - (performance.now() - started))
    await Promise.all([pool.close(), log?.close()])
  }
  return {
    url: server.url,
    close,
    hasNewKey: stored?.relayKey.isNew ?? false,
    warnings: stored?.warnings ?? [],
  }
}

/** @throws UserError, or UsageError for a Node without a database */
async function openStored(folder: DataFolder, env: Environment) {
  requireSqlite()
  await createDataFolder(folder)
  const relayKey = await openRelayKey(folder, env)
  const warning = await volumeWarning(folder, { env })
  return { folder, relayKey, warnings: warning ? [warning] : [] }
}

/** Milliseconds for the whole of a stop, with some left to those who stop the relay at ten seconds. */
const STOP_TIME = 9500

function standardLog() {
  // stderr may be closed too; ignore its errors.
  process.stderr.on('error', () => {})
  // Only once its stream is there does a full pipe say EAGAIN: a write that waits outlives a stop.
  process.stdout.on('error', () => {})
  return logWriter(1, (text) => process.stderr.write(`hookline relay: ${text}\n`))
}

/** Milliseconds that a line may wait for others: a system call for each would be felt. */
const DELAY = 20

/** Milliseconds until what could not be written is tried again. */
const AGAIN = 1000

/** Characters that wait for a reader who is slow, or gone; what comes beyond is dropped. */
const MOST_WAITING = 1024 * 1024

interface LogWriter {
  (line: string): void
  /** Resolves when all is written, or was not within a second. */
  close(): Promise<void>
}

/**
 * Writes lines to an open file, some at a time, and never blocks: while nobody reads, or the disk is full,
 * lines are dropped and counted. `report` is told when that begins and ends. A stream of Node is closed for
 * good after one failed write, and waits for a pipe.
 *
 * @param file its descriptor: 1 is standard output
 */
export function logWriter(file: number, report: (text: string) => void): LogWriter {
  let waiting = ''
  let dropped = 0
  let fault: string | undefined
  let writing: Promise<void> | undefined

  const drop = (lines: number, code: string) => {
    dropped += lines
    if (fault === undefined) report(`the log cannot be written (${code}): its lines are dropped`)
    fault = code
  }

  async function writeWaiting(): Promise<void> {
    for (;;) {
      // A log that cannot be written does not keep the process.
      const isWritable = fault === undefined
      await sleep(isWritable ? DELAY : AGAIN, undefined, { ref: isWritable })
      const taken = waiting
      if (taken === '') break
      waiting = ''
      const failure = await writeAll(file, Buffer.from(taken))
      if (failure !== undefined) {
        drop(taken.split('\n').length - 1, failure)
        continue
      }
      if (dropped > 0) report(`the log is written again: ${dropped} lines were dropped`)
      dropped = 0
      fault = undefined
    }
    writing = undefined
  }

  const write = (line: string) => {
    if (waiting.length > MOST_WAITING) {
      drop(1, 'its reader is slow')
      return
    }
    waiting += `${line}\n`
    writing ??= writeWaiting()
  }
  const close = async () => {
    if (fault === undefined) await Promise.race([writing, sleep(AGAIN, undefined, { ref: false })])
    waiting = ''
  }
  return Object.assign(write, { close })
}

/** @returns why it could not be written; `undefined` when it was */
function writeAll(file: number, bytes: Buffer): Promise<string | undefined> {
  return new Promise((resolve) => {
    writeTo(file, bytes, (error, written) => {
      if (!error) {
        const rest = bytes.subarray(written)
        if (rest.length === 0) return resolve(undefined)
        return resolve(writeAll(file, rest))
      }
      // A pipe that does not wait says so while its reader is behind.
      if (error.code !== 'EAGAIN') return resolve(error.code ?? 'unknown')
      setTimeout(() => resolve(writeAll(file, bytes)), DELAY)
    })
  })
}
