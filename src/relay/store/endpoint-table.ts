import type { Database, SqlRow, SqlValue } from './database.ts'
import type { EncryptedRecord } from './encryption.ts'

/** One row of the database. All else of an endpoint is encrypted. */
export interface EndpointRow extends EncryptedRecord {
  /** SHA-256 of the id, in hexadecimal. */
  readonly hash: string
  /** Owner of the repository, in lower case. */
  readonly owner: string
  readonly name: string
  /** Milliseconds since 1970. */
  readonly created: number
  /** When the settings or the id changed. */
  readonly changed: number
  /** When GitHub or the relay's database accepted its first event; `null` before that. */
  readonly firstEvent: number | null
  /** Keyed hash of the stored GitHub token; `null` without one. */
  readonly tokenHash: string | null
}

/** An endpoint's hash, with the time of its last change. */
export type EndpointVersion = Pick<EndpointRow, 'hash' | 'changed'>

/** Selects the endpoints that store a token with one of these hashes; without it, all. */
export type TokenHashes = readonly string[] | undefined

/** The endpoints of one owner. Every method throws StorageError if the disk fails. */
export interface EndpointStore {
  versions(): Promise<readonly EndpointVersion[]>
  find(hash: string): Promise<EndpointRow | undefined>
  /** Ordered by name. */
  list(tokens?: TokenHashes): Promise<readonly EndpointRow[]>
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
  /**
   * @param version only this one, if it is given
   * @returns false if there is none
   */
  delete(name: string, version?: EndpointVersion): Promise<boolean>
  /** Records the first event of an endpoint; a later one changes nothing. */
  noteFirstEvent(hash: string, at: number): Promise<void>
}

/** The endpoints of all owners. */
export interface EndpointStores {
  of(owner: string): EndpointStore
  /** Present on Node, where one table has them all. On Workers, each owner has an object. */
  readonly all?: Pick<EndpointStore, 'versions' | 'list'>
}

const COLUMNS = 'hash, owner, name, created, changed, first_event, token_hash, key, content'

/** The endpoints in one database: of all owners on Node, of one owner in a Durable Object. */
export class EndpointTable implements EndpointStores {
  readonly #database: Database
  readonly #listeners: (() => void)[] = []

  constructor(database: Database) {
    this.#database = database
  }

  /** Calls back after an endpoint was created, changed or deleted through this table. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }

  readonly all = {
    versions: async () => versionsOf(await this.#read('SELECT hash, changed FROM endpoint')),
    list: async (tokens?: TokenHashes) => {
      const [condition, values] = withToken(tokens)
      const where = condition && `WHERE ${condition}`
      const text = `SELECT ${COLUMNS} FROM endpoint ${where} ORDER BY owner, name`
      return (await this.#read(text, ...values)).map(endpointRow)
    },
  }

  of(owner: string): EndpointStore {
    const select = async (condition: string, ...values: SqlValue[]) => {
      const text = `SELECT ${COLUMNS} FROM endpoint WHERE owner = ? ${condition}`
      return (await this.#read(text, owner, ...values)).map(endpointRow)
    }
    return {
      versions: async () =>
        versionsOf(await this.#read('SELECT hash, changed FROM endpoint WHERE owner = ?', owner)),
      find: async (hash) => (await select('AND hash = ?', hash))[0],
      list: async (tokens) => {
        const [condition, values] = withToken(tokens)
        return select(`${condition && `AND ${condition}`} ORDER BY name`, ...values)
      },
      named: async (name) => (await select('AND name = ?', name))[0],
      create: (row) => this.#create({ ...row, owner }),
      replace: async ({ hash, name, changed, tokenHash, key, content }, before) => {
        const text = `UPDATE endpoint SET hash = ?, changed = ?, token_hash = ?, key = ?, content = ?
          WHERE owner = ? AND name = ? AND hash = ? AND changed = ? RETURNING name`
        const values = [hash, changed, tokenHash, key, content]
        const found = [owner, name, before.hash, before.changed]
        return this.#change(text, ...values, ...found)
      },
      delete: async (name, version) => {
        const exact = version ? 'AND hash = ? AND changed = ?' : ''
        const text = `DELETE FROM endpoint WHERE owner = ? AND name = ? ${exact} RETURNING name`
        const values = version ? [version.hash, version.changed] : []
        return this.#change(text, owner, name, ...values)
      },
      noteFirstEvent: async (hash, at) => {
        const text = `UPDATE endpoint SET first_event = ?
          WHERE owner = ? AND hash = ? AND first_event IS NULL`
        await this.#write(text, at, owner, hash)
      },
    }
  }

  /** @returns whether the statement changed a row */
  async #change(text: string, ...values: SqlValue[]): Promise<boolean> {
    const isChanged = (await this.#write(text, ...values)).length > 0
    if (isChanged) for (const listener of this.#listeners) listener()
    return isChanged
  }

  async #create(row: EndpointRow): Promise<boolean> {
    const { hash, owner, name, created, changed, tokenHash, key, content } = row
    const values = [hash, owner, name, created, changed, tokenHash, key, content]
    const text = `INSERT INTO endpoint (hash, owner, name, created, changed, token_hash, key, content)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING name`
    return this.#change(text, ...values)
  }

  #read(text: string, ...values: SqlValue[]): Promise<readonly SqlRow[]> {
    return this.#database.read(text, ...values)
  }

  #write(text: string, ...values: SqlValue[]): Promise<readonly SqlRow[]> {
    return this.#database.write([[text, ...values]])
  }
}

function withToken(hashes: TokenHashes): readonly [condition: string, values: readonly string[]] {
  // The call of an object is JSON, which turns `undefined` into `null`.
  if (!hashes) return ['', []]
  return [`token_hash IN (${hashes.map(() => '?').join(', ')})`, hashes]
}

function versionsOf(rows: readonly SqlRow[]): readonly EndpointVersion[] {
  return rows.map(({ hash, changed }) => ({ hash: String(hash), changed: Number(changed) }))
}

function endpointRow(row: SqlRow): EndpointRow {
  return {
    hash: String(row.hash),
    owner: String(row.owner),
    name: String(row.name),
    created: Number(row.created),
    changed: Number(row.changed),
    firstEvent: row.first_event === null ? null : Number(row.first_event),
    tokenHash: row.token_hash === null ? null : String(row.token_hash),
    key: String(row.key),
    content: String(row.content),
  }
}
