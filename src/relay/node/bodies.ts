import { createHash } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type Environment, readSetting } from '../../wire/settings.ts'
import { figure } from '../figures.ts'
import { TAG_BYTES } from '../store/body-cipher.ts'
import { PIECE_BYTES, type PieceStore } from '../store/body-store.ts'
import { BodyTable, deliveriesIn, sweepBodies } from '../store/body-table.ts'
import type { Database } from '../store/database.ts'
import type { LargeBodies } from '../store/large-bodies.ts'
import { type StreamedHash, storedBodies } from '../webhook/stored-bodies.ts'

const MB = 1024 * 1024

/** Milliseconds between two looks for bodies that are to be deleted. */
const SWEEP_INTERVAL = 60_000

interface NodeBodiesOptions {
  /** Folder of the files, beside the database. */
  readonly folder: string
  readonly database: Database
  readonly env: Environment
  /** Address of the relay as the action reaches it. */
  readonly publicUrl: string
  /** Milliseconds since 1970. */
  now(): number
  report(error: unknown): void
}

export interface NodeBodies extends LargeBodies {
  /** Deletes the bodies that no run can need any more. To be called once a minute. */
  sweep(): Promise<void>
  close(): void
}

/**
 * Large bodies as encrypted files beside the database of the outbox.
 *
 * @throws UserError for an invalid setting
 * @throws StorageError if the disk fails
 */
export async function openNodeBodies(options: NodeBodiesOptions): Promise<NodeBodies> {
  const { folder, database, env, publicUrl, now, report } = options
  const most = readSetting(env, 'HOOKLINE_MAX_BODY_MB') * MB
  const quota = figure(env, 'BODIES_MAX_MB') * MB
  const table = new BodyTable(database)
  const pieces = filesIn(folder)
  const held = (deliveries: readonly string[]) => deliveriesIn(database, deliveries)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await table.create()
  // No upload is in progress yet, so each that is not published was left by a killed relay.
  await sweepBodies({ table, pieces, most, now: now(), isStart: true, held })
  await removeUnknown(folder, await table.sizes())
  const sweep = () => sweepBodies({ table, pieces, most, now: now(), held })
  const timer = setInterval(() => void sweep().catch(report), SWEEP_INTERVAL).unref()
  const bodies = storedBodies({
    ...{ registry: table, pieces, most, quota, publicUrl },
    ...{ now, sleep: setTimeout, newHash, report },
  })
  return { ...bodies, sweep, close: () => clearInterval(timer) }
}

function newHash(): StreamedHash {
  const hash = createHash('sha256')
  return {
    update: async (bytes) => void hash.update(bytes),
    digest: async () => hash.digest('hex'),
  }
}

/** Removes files without a row: nobody knows their address. */
async function removeUnknown(folder: string, known: ReadonlyMap<string, number>): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!known.has(name)) await rm(join(folder, name), { force: true })
  }
}

const SEALED_BYTES = PIECE_BYTES + TAG_BYTES

/** A file for each body; all its pieces but the last have the same size. */
function filesIn(folder: string): PieceStore {
  const within = async <Result>(
    hash: string,
    flags: string,
    use: (file: FileHandle) => Promise<Result>,
  ): Promise<Result> => {
    const file = await open(join(folder, hash), flags, 0o600)
    try {
      return await use(file)
    } finally {
      await file.close()
    }
  }
  return {
    put: (hash, number, piece) =>
      within(hash, number === 0 ? 'wx' : 'a', (file) => file.writeFile(piece)),
    get: (hash, number) =>
      within(hash, 'r', async (file) => {
        const piece = new Uint8Array(SEALED_BYTES)
        let size = 0
        for (let isEnd = false; !isEnd; ) {
          const position = number * SEALED_BYTES + size
          const { bytesRead } = await file.read(piece, size, SEALED_BYTES - size, position)
          size += bytesRead
          isEnd = bytesRead === 0 || size === SEALED_BYTES
        }
        return piece.subarray(0, size)
      }),
    sync: (hash) => within(hash, 'r+', (file) => file.sync()),
    delete: (hash) => rm(join(folder, hash), { force: true }),
  }
}
