import type { Database, SqlRow } from '../database/database.ts'
import type { EndpointRow } from './endpoint.ts'

/** An endpoint's hash, with the time of its last change. */
export type EndpointVersion = Pick<EndpointRow, 'hash' | 'changed'>

/** The storage of endpoints. Every method throws StorageError if the disk fails. */
export interface EndpointStore {
  versions(): Promise<readonly EndpointVersion[]>
  find(hash: string): Promise<EndpointRow | undefined>
  /** Ordered by name. */
  list(): Promise<readonly EndpointRow[]>
  named(name: string): Promise<EndpointRow | undefined>
  /** @returns false if the name is taken */
  create(row: EndpointRow): Promise<boolean>
  /**
   * Replaces the row with this name.
   *
   * @param before the version that was read
   * @returns false if the endpoint has another version by now, or is gone
   */
  replace(row: EndpointRow, before: EndpointVersion): Promise<boolean>
  /** @returns false if there is none */
  delete(name: string): Promise<boolean>
  /** Records the first event of an endpoint; a later one changes nothing. */
  noteFirstEvent(hash: string, at: number): Promise<void>
}

const COLUMNS = 'hash, name, created, changed, first_event, key, sealed'

const CREATE = `CREATE TABLE IF NOT EXISTS endpoint (hash TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE,
  created INTEGER NOT NULL, changed INTEGER NOT NULL, first_event INTEGER, key TEXT NOT NULL,
  sealed TEXT NOT NULL)`

/**
 * A table of its own in the relay's database. The first endpoint creates it, so that a database without
 * endpoints stays as it is.
 */
export class EndpointTable implements EndpointStore {
  readonly #database: Database
  #exists = false

  constructor(database: Database) {
    this.#database = database
  }

  async versions(): Promise<readonly EndpointVersion[]> {
    const rows = await this.#read('SELECT hash, changed FROM endpoint')
    return rows.map(({ hash, changed }) => ({ hash: String(hash), changed: Number(changed) }))
  }

  async find(hash: string): Promise<EndpointRow | undefined> {
    const [row] = await this.#read(`SELECT ${COLUMNS} FROM endpoint WHERE hash = ?`, hash)
    return row && endpointRow(row)
  }

  async list(): Promise<readonly EndpointRow[]> {
    const rows = await this.#read(`SELECT ${COLUMNS} FROM endpoint ORDER BY name`)
    return rows.map(endpointRow)
  }

  async named(name: string): Promise<EndpointRow | undefined> {
    const [row] = await this.#read(`SELECT ${COLUMNS} FROM endpoint WHERE name = ?`, name)
    return row && endpointRow(row)
  }

  async create({ hash, name, created, changed, key, sealed }: EndpointRow): Promise<boolean> {
    const values = [hash, name, created, changed, key, sealed]
    const rows = await this.#database.write([
      [CREATE],
      [
        `INSERT INTO endpoint (hash, name, created, changed, key, sealed) VALUES (?, ?, ?, ?, ?, ?)
          ON CONFLICT DO NOTHING RETURNING name`,
        ...values,
      ],
    ])
    this.#exists = true
    return rows.length > 0
  }

  async replace(row: EndpointRow, before: EndpointVersion): Promise<boolean> {
    const { hash, name, changed, key, sealed } = row
    const text = `UPDATE endpoint SET hash = ?, changed = ?, key = ?, sealed = ?
      WHERE name = ? AND hash = ? AND changed = ? RETURNING name`
    const values = [hash, changed, key, sealed, name, before.hash, before.changed]
    return (await this.#write(text, ...values)).length > 0
  }

  async delete(name: string): Promise<boolean> {
    return (
      (await this.#write('DELETE FROM endpoint WHERE name = ? RETURNING name', name)).length > 0
    )
  }

  async noteFirstEvent(hash: string, at: number): Promise<void> {
    const text = 'UPDATE endpoint SET first_event = ? WHERE hash = ? AND first_event IS NULL'
    await this.#write(text, at, hash)
  }

  async #read(text: string, ...values: (string | number)[]): Promise<readonly SqlRow[]> {
    return (await this.#hasTable()) ? this.#database.read(text, ...values) : []
  }

  async #write(text: string, ...values: (string | number)[]): Promise<readonly SqlRow[]> {
    return (await this.#hasTable()) ? this.#database.write([[text, ...values]]) : []
  }

  async #hasTable(): Promise<boolean> {
    if (this.#exists) return true
    const text = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'endpoint'"
    this.#exists = (await this.#database.read(text)).length > 0
    return this.#exists
  }
}

function endpointRow(row: SqlRow): EndpointRow {
  return {
    hash: String(row.hash),
    name: String(row.name),
    created: Number(row.created),
    changed: Number(row.changed),
    firstEvent: row.first_event === null ? null : Number(row.first_event),
    key: String(row.key),
    sealed: String(row.sealed),
  }
}
