import { longestUpload } from '../figures.ts'
import { type BodyRegistry, type NewBody, type PieceStore, piecesOf } from './body-store.ts'
import type { Database } from './database.ts'

/** `finished` is 1 for a published body. */
const CREATE = `CREATE TABLE IF NOT EXISTS stored_body (hash TEXT PRIMARY KEY, delivery TEXT NOT NULL,
  created INTEGER NOT NULL, bytes INTEGER NOT NULL, finished INTEGER NOT NULL, accepted INTEGER)`

/** The bodies as a table. Every method throws StorageError if the disk fails. */
export class BodyTable implements BodyRegistry {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async create(): Promise<void> {
    await this.#database.write([[CREATE]])
  }

  async add({ hash, delivery, created }: NewBody): Promise<void> {
    const text = 'INSERT INTO stored_body VALUES (?, ?, ?, 0, 0, NULL)'
    await this.#database.write([[text, hash, delivery, created]])
  }

  async reserve(hash: string, bytes: number, quota: number): Promise<boolean> {
    const text = `UPDATE stored_body SET bytes = bytes + ? WHERE hash = ? AND finished = 0
      AND (SELECT sum(bytes) FROM stored_body) + ? <= ? RETURNING hash`
    const rows = await this.#database.write([[text, bytes, hash, bytes, quota]])
    return rows.length > 0
  }

  async publish(hash: string): Promise<void> {
    await this.#database.write([['UPDATE stored_body SET finished = 1 WHERE hash = ?', hash]])
  }

  async find(hash: string): Promise<number | null> {
    const text = 'SELECT bytes FROM stored_body WHERE hash = ? AND finished = 1'
    const [row] = await this.#database.read(text, hash)
    return row ? Number(row.bytes) : null
  }

  async delete(hash: string): Promise<void> {
    await this.#database.write([['DELETE FROM stored_body WHERE hash = ?', hash]])
  }

  /** The bytes of each body, also of uploads, by hash. */
  async sizes(): Promise<ReadonlyMap<string, number>> {
    return sizesIn(await this.#database.read('SELECT hash, bytes FROM stored_body'))
  }

  /** Deliveries of published bodies that are not known to be accepted, created before that time. */
  async undecided(before: number): Promise<readonly string[]> {
    const text = `SELECT delivery FROM stored_body WHERE finished = 1 AND accepted IS NULL AND created < ?`
    const rows = await this.#database.read(text, before)
    return rows.map(({ delivery }) => String(delivery))
  }

  async accept(deliveries: readonly string[], now: number): Promise<void> {
    const text = `UPDATE stored_body SET accepted = ? WHERE finished = 1 AND accepted IS NULL
      AND delivery IN (SELECT value FROM json_each(?))`
    await this.#database.write([[text, now, JSON.stringify(deliveries)]])
  }

  /** The bytes of uploads that began, and of bodies that were accepted, before these times; by hash. */
  async ended(begun: number, accepted: number): Promise<ReadonlyMap<string, number>> {
    const text =
      'SELECT hash, bytes FROM stored_body WHERE (finished = 0 AND created < ?) OR accepted < ?'
    return sizesIn(await this.#database.read(text, begun, accepted))
  }
}

function sizesIn(rows: readonly Readonly<Record<string, unknown>>[]): Map<string, number> {
  return new Map(rows.map(({ hash, bytes }) => [String(hash), Number(bytes)]))
}

/** Those of the deliveries that the outbox in this database has: they wait, or are dead letters. */
export async function deliveriesIn(
  database: Database,
  deliveries: readonly string[],
): Promise<readonly string[]> {
  const text =
    'SELECT DISTINCT delivery FROM event WHERE delivery IN (SELECT value FROM json_each(?))'
  const rows = await database.read(text, JSON.stringify(deliveries))
  return rows.map(({ delivery }) => String(delivery))
}

/** Milliseconds after GitHub accepted an event in which its run can fetch the body. */
const KEPT = 7 * 86_400_000

/** Milliseconds after the upload in which the request of a body ends, with or without an event. */
const HANDLED = 5 * 60_000

export interface Sweep {
  readonly table: BodyTable
  readonly pieces: PieceStore
  /** The most bytes of one body. */
  readonly most: number
  /** Milliseconds since 1970. */
  readonly now: number
  /** True if no upload can be in progress. */
  readonly isStart?: boolean
  /** Those of the deliveries that the outbox has. */
  held(deliveries: readonly string[]): Promise<readonly string[]>
}

/**
 * Deletes the bodies that no run can need any more: uploads that a relay left when it ended, and bodies whose
 * event left the outbox 7 days ago, because GitHub accepted it or an admin deleted it.
 */
export async function sweepBodies(sweep: Sweep): Promise<void> {
  const { table, pieces, most, now, isStart = false, held } = sweep
  const settled = now - longestUpload(most) - HANDLED
  const undecided = await table.undecided(settled)
  const waiting = new Set(undecided.length > 0 ? await held(undecided) : [])
  const accepted = undecided.filter((delivery) => !waiting.has(delivery))
  if (accepted.length > 0) await table.accept(accepted, now)
  const begun = isStart ? Number.MAX_SAFE_INTEGER : settled
  for (const [hash, bytes] of await table.ended(begun, now - KEPT)) {
    // Pieces that cannot be deleted keep their row, so that the next sweep tries again.
    await pieces.delete(hash, piecesOf(bytes))
    await table.delete(hash)
  }
}
