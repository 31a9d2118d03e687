import { longestUpload } from '../figures.ts'
import type { Runtime } from '../runtime.ts'
import { type Database, type SqlRow, StorageError } from './database.ts'
import type { Room } from './room.ts'

/** An upload as it begins. */
export interface NewBody {
  /** SHA-256 of the random part of its address, in hexadecimal digits. */
  readonly hash: string
  readonly request: string
  /** Owner of the repository, in lower case. */
  readonly owner: string
  /** Name of the endpoint; `null` for a token URL. */
  readonly endpoint: string | null
  /** True if its credential is not the relay's own. */
  readonly hasToken: boolean
  /** Milliseconds since 1970. */
  readonly created: number
}

/** The stored bodies, as uploads and readers use them. Every method rejects with StorageError if the disk fails. */
export type BodyStore = Pick<BodyTable, 'begin' | 'put' | 'publish' | 'find' | 'chunk' | 'delete'>

/** Bytes of each chunk of a body but the last. An upload has one chunk in memory. */
export const CHUNK_BYTES = 1024 * 1024

/** Bytes that encryption adds to a chunk. */
const TAG_BYTES = 16

/** Milliseconds after GitHub accepted an event in which its run can fetch the body. */
const RETENTION = 7 * 86_400_000

/** Milliseconds after the upload in which the request of a body ends, with or without an event. */
const HANDLED = 5 * 60_000

interface BodyTableParts extends Pick<Runtime, 'now' | 'report'> {
  readonly database: Database
  readonly room: Pick<Room, 'within' | 'give'>
  /** The most bytes of one body. */
  readonly most: number
}

/** Milliseconds between two looks for bodies that are to be deleted. */
const SWEEP_INTERVAL = 15 * 60_000

/** Large bodies in the tables `body` and `chunk`. */
export class BodyTable {
  readonly #parts: BodyTableParts
  /** When old bodies are deleted next; `undefined` without bodies. */
  #next: number | undefined

  constructor(parts: BodyTableParts) {
    this.#parts = parts
    this.#next = parts.now()
  }

  /** Begins an upload: it has no bytes, and cannot be found. */
  async begin({ hash, request, owner, endpoint, hasToken, created }: NewBody): Promise<void> {
    const text = 'INSERT INTO body VALUES (?, ?, ?, ?, ?, ?, 0, 0, NULL)'
    const values = [hash, request, owner, endpoint, hasToken ? 1 : 0, created]
    await this.#parts.database.write([[text, ...values]])
    this.#next ??= this.#parts.now() + SWEEP_INTERVAL
  }

  /**
   * Stores the next chunk of an upload.
   *
   * @param number 0 for the first one
   * @returns false if there is no room, or no such upload
   */
  async put(hash: string, number: number, chunk: Uint8Array<ArrayBuffer>): Promise<boolean> {
    const { database, room } = this.#parts
    const [row] = await database.read('SELECT * FROM body WHERE hash = ? AND finished = 0', hash)
    if (!row) return false
    // The upload may have been deleted meanwhile.
    const store = `INSERT INTO chunk SELECT hash, ?, ? FROM body WHERE hash = ? AND finished = 0`
    const count = 'UPDATE body SET bytes = bytes + ? WHERE hash = ? AND finished = 0 RETURNING hash'
    const taken = { ...ownerOf(row), events: 0, bytes: chunk.length }
    return room.within(taken, undefined, async () => {
      const rows = await database.write([
        [store, number, chunk, hash],
        [count, chunk.length - TAG_BYTES, hash],
      ])
      return rows.length > 0
    })
  }

  /** Ends an upload: from now on it can be found. */
  async publish(hash: string): Promise<void> {
    await this.#parts.database.write([['UPDATE body SET finished = 1 WHERE hash = ?', hash]])
  }

  /** @returns the bytes of a published body; `null` if there is none */
  async find(hash: string): Promise<number | null> {
    const [row] = await this.#parts.database.read(
      'SELECT bytes FROM body WHERE hash = ? AND finished = 1',
      hash,
    )
    return row ? Number(row.bytes) : null
  }

  async chunk(hash: string, number: number): Promise<Uint8Array<ArrayBuffer>> {
    const text = 'SELECT content FROM chunk WHERE hash = ? AND number = ?'
    const [row] = await this.#parts.database.read(text, hash, number)
    return bytesOf(row?.content)
  }

  async delete(hash: string): Promise<void> {
    const { database, room } = this.#parts
    const [row] = await database.read(
      `SELECT *, (SELECT max(number) FROM chunk WHERE chunk.hash = body.hash) AS last
        FROM body WHERE hash = ?`,
      hash,
    )
    if (!row) return
    // Each chunk by itself, because others use the database in between. The row goes last, so that an
    // interrupted deletion is continued.
    const last = Number(row.last ?? -1)
    for (let number = last; number >= 0; number--) {
      await database.write([['DELETE FROM chunk WHERE hash = ? AND number = ?', hash, number]])
    }
    await database.write([['DELETE FROM body WHERE hash = ?', hash]])
    const bytes = Number(row.bytes) + (last + 1) * TAG_BYTES
    room.give({ ...ownerOf(row), events: 0, bytes })
  }

  /**
   * Deletes the bodies that no run can need any more: uploads that a relay left when it ended, and bodies whose
   * event GitHub accepted 7 days ago, or an admin deleted.
   *
   * @param isStart true if no upload can be in progress
   */
  async deleteOld({ isStart = false }: { isStart?: boolean } = {}): Promise<void> {
    const { database, now, most } = this.#parts
    const settled = now() - longestUpload(most) - HANDLED
    await database.write([[NOTE_ACCEPTED, now(), settled]])
    const begun = isStart ? Number.MAX_SAFE_INTEGER : settled
    const old = 'SELECT hash FROM body WHERE (finished = 0 AND created < ?) OR accepted < ?'
    for (const { hash } of await database.read(old, begun, now() - RETENTION)) {
      await this.delete(String(hash))
    }
  }

  /** When old bodies are to be deleted; `undefined` if there are none. */
  next(): number | undefined {
    return this.#next
  }

  /** Deletes old bodies. Never rejects. */
  async run(): Promise<void> {
    const { database, now, report } = this.#parts
    this.#next = undefined
    try {
      await this.deleteOld()
      if ((await database.read('SELECT 1 FROM body LIMIT 1')).length === 0) return
    } catch (error) {
      report(error)
    }
    this.#next ??= now() + SWEEP_INTERVAL
  }
}

/** A request with several targets has several deliveries, so the index by endpoint finds them. */
const NOTE_ACCEPTED = `UPDATE body SET accepted = ? WHERE finished = 1 AND accepted IS NULL
  AND created < ? AND NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.owner = body.owner
    AND delivery.endpoint IS body.endpoint AND delivery.state IN ('waiting', 'uncertain', 'dead')
    AND delivery.request = body.request)`

function ownerOf({ owner, endpoint, token }: SqlRow) {
  return {
    owner: String(owner),
    endpoint: endpoint === null ? null : String(endpoint),
    hasToken: token === 1,
  }
}

/** Each runtime has its own type for bytes. @throws StorageError if there are none */
function bytesOf(value: unknown): Uint8Array<ArrayBuffer> {
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  if (value instanceof Uint8Array && value.buffer instanceof ArrayBuffer) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
  }
  throw new StorageError('disk fails')
}
