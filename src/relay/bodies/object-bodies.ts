import { isObject } from '../../wire/json.ts'
import { type ObjectStorage, objectDatabase } from '../database/durable-object.ts'
import { StorageError } from '../database/storage-error.ts'
import type { BodyBucket } from '../http/bindings.ts'
import type { ObjectNamespace } from '../outbox/durable.ts'
import type { BodyRegistry, PieceStore } from './body-store.ts'
import { BodyTable, type Sweep, sweepBodies } from './body-table.ts'

/** Name of the one object with the table of bodies; no queue has it, since a queue names a repository. */
const OBJECT = 'bodies'

/** Path of the calls to the object of the bodies. */
export const BODIES_OBJECT_PATH = '/bodies'

/** Milliseconds between two looks for bodies that are to be deleted. */
const SWEEP_INTERVAL = 15 * 60_000

const METHODS = [
  'add',
  'reserve',
  'publish',
  'find',
  'delete',
] as const satisfies readonly (keyof BodyRegistry)[]

type RegistryMethod = (typeof METHODS)[number]

/** The table of bodies in its Durable Object, as the relay reads and changes it. */
export function registryInObject(namespace: ObjectNamespace): BodyRegistry {
  const call =
    <Name extends RegistryMethod>(method: Name) =>
    async (...given: Parameters<BodyRegistry[Name]>): Promise<never> => {
      const response = await callBodies(namespace, '', 'POST', JSON.stringify({ method, given }))
      const { result } = (await response.json()) as { result?: unknown }
      // The result of the method with this name.
      return result as never
    }
  return {
    add: call('add'),
    reserve: call('reserve'),
    publish: call('publish'),
    find: call('find'),
    delete: call('delete'),
  }
}

/** Pieces in the Durable Object of the bodies. */
export function piecesInObject(namespace: ObjectNamespace): PieceStore {
  return {
    put: async (hash, number, piece) => {
      // A copy, because a request takes no shared memory.
      await callBodies(namespace, `/${hash}/${number}`, 'PUT', new Uint8Array(piece))
    },
    get: async (hash, number) => {
      const response = await callBodies(namespace, `/${hash}/${number}`, 'GET')
      return new Uint8Array(await response.arrayBuffer())
    },
    sync: async () => {},
    delete: async (hash) => {
      await callBodies(namespace, `/${hash}/0`, 'DELETE')
    },
  }
}

/** @throws StorageError if the object cannot be reached, or failed */
async function callBodies(
  namespace: ObjectNamespace,
  path: string,
  method: string,
  body?: string | Uint8Array<ArrayBuffer>,
): Promise<Response> {
  const stub = namespace.get(namespace.idFromName(OBJECT))
  const response = await stub
    .fetch(`https://outbox${BODIES_OBJECT_PATH}${path}`, { method, ...(body && { body }) })
    .catch((cause: unknown) => {
      throw new StorageError('disk fails', { cause })
    })
  if (!response.ok) throw new StorageError('disk fails')
  return response
}

/** The most keys that R2 deletes in one call. */
const MOST_KEYS = 1000

/**
 * Pieces in an R2 bucket.
 *
 * @param others has the pieces of bodies that were stored before the bucket was bound
 */
export function piecesInBucket(bucket: BodyBucket, others: PieceStore): PieceStore {
  const keyOf = (hash: string, number: number) => `bodies/${hash}/${number}`
  return {
    put: async (hash, number, piece) => void (await bucket.put(keyOf(hash, number), piece)),
    get: async (hash, number) => {
      const found = await bucket.get(keyOf(hash, number))
      return found ? new Uint8Array(await found.arrayBuffer()) : others.get(hash, number)
    },
    sync: async () => {},
    delete: async (hash, count) => {
      const keys = Array.from({ length: count }, (_, number) => keyOf(hash, number))
      while (keys.length > 0) await bucket.delete(keys.splice(0, MOST_KEYS))
      await others.delete(hash, count)
    },
  }
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
  if (request.method === 'POST') {
    return Response.json({ result: (await answerCall(storage, await request.json(), now)) ?? null })
  }
  const pieces = piecesInStorage(storage)
  const [, hash = '', number = ''] = /\/([0-9a-f]{64})\/(\d+)$/.exec(request.url) ?? []
  if (request.method === 'GET') return new Response(await pieces.get(hash, Number(number)))
  if (request.method === 'DELETE') await pieces.delete(hash, 0)
  else await pieces.put(hash, Number(number), new Uint8Array(await request.arrayBuffer()))
  return new Response(null, { status: 204 })
}

async function answerCall(
  storage: ObjectStorage,
  question: unknown,
  now: number,
): Promise<unknown> {
  const { method, given } = isObject(question) ? question : {}
  const name = METHODS.find((known) => known === method)
  if (!name || !Array.isArray(given)) throw new TypeError('no call of the table of bodies')
  // A client without a credential can ask for a body, and must not make the object take up storage.
  if (name !== 'add' && !hasBodies(storage)) return null
  const table = await tableIn(storage)
  if ((await storage.getAlarm()) === null) await storage.setAlarm(now + SWEEP_INTERVAL)
  // `registryInObject` gave the method its arguments.
  const run = table[name].bind(table) as (...given: unknown[]) => Promise<unknown>
  return run(...given)
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
  bucket: BodyBucket | undefined,
  { most, now, held }: Pick<Sweep, 'most' | 'now' | 'held'>,
): Promise<boolean> {
  if (!hasBodies(storage)) return false
  const table = new BodyTable(objectDatabase(storage))
  const own = piecesInStorage(storage)
  const pieces = bucket ? piecesInBucket(bucket, own) : own
  try {
    await sweepBodies({ table, pieces, most, now, held })
  } finally {
    if ((await table.sizes()).size > 0) await storage.setAlarm(now + SWEEP_INTERVAL)
  }
  return true
}
