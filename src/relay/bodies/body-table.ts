import type { Database } from '../database/database.ts'

/** A stored body, without its content. */
export interface BodyRow {
  /** SHA-256 of the random part of its address; the name of its file, too. */
  readonly hash: string
  readonly delivery: string
  /** Milliseconds since 1970. */
  readonly created: number
  readonly bytes: number
}

const CREATE = `CREATE TABLE IF NOT EXISTS body (hash TEXT PRIMARY KEY, delivery TEXT NOT NULL,
  created INTEGER NOT NULL, accepted INTEGER, bytes INTEGER NOT NULL)`

/** Bodies of deliveries that the outbox has no longer: GitHub accepted them, or an admin deleted them. */
const GONE = `accepted IS NULL AND created < ? AND delivery NOT IN (SELECT delivery FROM event)`

/** A table in the database of the outbox. Every method throws StorageError if the disk fails. */
export class BodyTable {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async open(): Promise<readonly BodyRow[]> {
    await this.#database.write([[CREATE]])
    const rows = await this.#database.read('SELECT hash, delivery, created, bytes FROM body')
    return rows.map(({ hash, delivery, created, bytes }) => ({
      hash: String(hash),
      delivery: String(delivery),
      created: Number(created),
      bytes: Number(bytes),
    }))
  }

  async add({ hash, delivery, created, bytes }: BodyRow): Promise<void> {
    const text = 'INSERT INTO body (hash, delivery, created, bytes) VALUES (?, ?, ?, ?)'
    await this.#database.write([[text, hash, delivery, created, bytes]])
  }

  /** @returns its bytes, or `undefined` if there is none */
  async find(hash: string): Promise<number | undefined> {
    const [row] = await this.#database.read('SELECT bytes FROM body WHERE hash = ?', hash)
    return row && Number(row.bytes)
  }

  async delete(hash: string): Promise<void> {
    await this.#database.write([['DELETE FROM body WHERE hash = ?', hash]])
  }

  /**
   * Deletes the bodies that GitHub accepted so long ago.
   *
   * @param settled milliseconds since 1970; the requests of bodies created before have ended
   * @param expired milliseconds since 1970
   * @returns what was deleted
   */
  async sweep(
    now: number,
    settled: number,
    expired: number,
  ): Promise<readonly Pick<BodyRow, 'hash' | 'bytes'>[]> {
    const rows = await this.#database.write([
      [`UPDATE body SET accepted = ? WHERE ${GONE}`, now, settled],
      ['DELETE FROM body WHERE accepted < ? RETURNING hash, bytes', expired],
    ])
    return rows.map(({ hash, bytes }) => ({ hash: String(hash), bytes: Number(bytes) }))
  }
}
