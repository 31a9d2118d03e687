import type { BodyRegistry, PieceStore } from '../store/body-store.ts'
import { BodyTable, type Sweep, sweepBodies } from '../store/body-table.ts'
import { diskFails, StorageError } from '../store/storage-error.ts'
import {
  answerObjectCall,
  askObject,
  type ObjectNamespace,
  type ObjectRequest,
  readObjectCall,
  storeInObject,
} from './object-call.ts'
import { type ObjectStorage, objectDatabase } from './object-database.ts'

/** Name of the one object with the table of bodies; no queue has it, since a queue names a repository. */
const OBJECT = 'bodies'

/** Path of the calls to the object of the bodies. */
export const BODIES_OBJECT_PATH = '/bodies'

/** Milliseconds between two looks for bodies that are to be deleted. */
const SWEEP_INTERVAL = 15 * 60_000

/** The table of bodies in its Durable Object, as the relay reads and changes it. */
export function registryInObject(namespace: ObjectNamespace): BodyRegistry {
  return storeInObject((body) => askBodies(namespace, '', { method: 'POST', body }))
}

/** Pieces in the Durable Object of the bodies. */
export function piecesInObject(namespace: ObjectNamespace): PieceStore {
  return {
    put: async (hash, number, piece) => {
      // A copy, because a request takes no shared memory.
      const body = new Uint8Array(piece)
      await askBodies(namespace, `/${hash}/${number}`, { method: 'PUT', body })
    },
    get: async (hash, number) => {
      const response = await askBodies(namespace, `/${hash}/${number}`, { method: 'GET' })
      return new Uint8Array(await response.arrayBuffer())
    },
    sync: async () => {},
    delete: async (hash) => {
      await askBodies(namespace, `/${hash}/0`, { method: 'DELETE' })
    },
  }
}

/** @throws StorageError if the object cannot be reached, or failed */
function askBodies(
  namespace: ObjectNamespace,
  path: string,
  request: ObjectRequest,
): Promise<Response> {
  return askObject(namespace, OBJECT, `${BODIES_OBJECT_PATH}${path}`, request).catch(diskFails)
}

/** Pieces in the storage of the object itself. */
function piecesInStorage({ sql }: ObjectStorage): PieceStore {
  return {
    put: async (hash, number, piece) => {
      sql.exec('INSERT INTO body_piece VALUES (?, ?, ?)', hash, number, piece)
    },
    get: async (hash, number) => {
      const text = 'SELECT bytes FROM body_piece WHERE hash = ? AND number = ?'
      const [row] = sql.exec(text, hash, number).toArray()
      if (!(row?.bytes instanceof ArrayBuffer)) throw new StorageError('disk fails')
      return new Uint8Array(row.bytes)
    },
    sync: async () => {},
    delete: async (hash) => {
      sql.exec('DELETE FROM body_piece WHERE hash = ?', hash)
    },
  }
}

/** True in the object of the bodies, once it has a body. */
function hasBodies({ sql }: ObjectStorage): boolean {
  const text = "SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'body_piece'"
  return sql.exec(text).toArray().length > 0
}

/** Runs in the object: answers one call of `registryInObject` or `piecesInObject`. */
export async function answerBodyCall(
  storage: ObjectStorage,
  request: Request,
  now: number,
): Promise<Response> {
  if (request.method === 'POST') return answerCall(storage, await request.json(), now)
  const pieces = piecesInStorage(storage)
  const [, hash = '', number = ''] = /\/([0-9a-f]{64})\/(\d+)$/.exec(request.url) ?? []
  if (request.method === 'GET') return new Response(await pieces.get(hash, Number(number)))
  if (request.method === 'DELETE') await pieces.delete(hash, 0)
  else await pieces.put(hash, Number(number), new Uint8Array(await request.arrayBuffer()))
  return new Response(null, { status: 204 })
}

async function answerCall(storage: ObjectStorage, body: unknown, now: number): Promise<Response> {
  const call = readObjectCall(body)
  // A client without a credential can ask for a body, and must not make the object take up storage.
  if (call.method !== 'add' && !hasBodies(storage)) return Response.json({ result: null })
  const table = await tableIn(storage)
  if ((await storage.getAlarm()) === null) await storage.setAlarm(now + SWEEP_INTERVAL)
  return answerObjectCall<BodyRegistry>(table, call)
}

async function tableIn(storage: ObjectStorage): Promise<BodyTable> {
  const table = new BodyTable(objectDatabase(storage))
  if (hasBodies(storage)) return table
  await table.create()
  storage.sql.exec(`CREATE TABLE body_piece (hash TEXT NOT NULL, number INTEGER NOT NULL,
    bytes BLOB NOT NULL, PRIMARY KEY (hash, number))`)
  return table
}

/**
 * Runs in an object at its alarm: deletes the bodies that no run can need any more.
 *
 * @returns false in an object without bodies
 */
export async function sweepObject(
  storage: ObjectStorage,
  { most, now, held }: Pick<Sweep, 'most' | 'now' | 'held'>,
): Promise<boolean> {
  if (!hasBodies(storage)) return false
  const table = new BodyTable(objectDatabase(storage))
  const pieces = piecesInStorage(storage)
  try {
    await sweepBodies({ table, pieces, most, now, held })
  } finally {
    if ((await table.sizes()).size > 0) await storage.setAlarm(now + SWEEP_INTERVAL)
  }
  return true
}
