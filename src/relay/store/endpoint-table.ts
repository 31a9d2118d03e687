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
  /** Milliseconds without an event after which its alarm begins; `null` if it expects none. */
  readonly expect: number | null
  /** Keyed hash of the stored GitHub token; `null` without one. */
  readonly tokenHash: string | null
}

export type EndpointVersion = Pick<EndpointRow, 'hash' | 'changed'>

/** Selects the endpoints that store a token with one of these hashes; without it, all. */
type TokenHashes = readonly string[] | undefined

/** The endpoints of one owner. Every method throws StorageError if the disk fails. */
export type EndpointStore = ReturnType<EndpointTable['of']>

export interface EndpointStores {
  of(owner: string): EndpointStore
  /** Present on Node, where one table has them all. On Workers, each owner has an object. */
  readonly all?: Pick<EndpointStore, 'versions' | 'list'>
}

const COLUMNS = 'hash, owner, name, created, changed, firstEvent, expect, tokenHash, key, content'

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
    versions: () => this.#select<EndpointVersion>('hash, changed', '1'),
    /** Ordered by owner and name. */
    list: (tokens?: TokenHashes) => this.#list('1', [], tokens),
  }

  of(owner: string) {
    return {
      versions: () => this.#select<EndpointVersion>('hash, changed', 'owner = ?', owner),
      find: async (hash: string) =>
        (await this.#select<EndpointRow>(COLUMNS, 'owner = ? AND hash = ?', owner, hash))[0],
      /** Ordered by name. */
      list: (tokens?: TokenHashes) => this.#list('owner = ?', [owner], tokens),
      named: async (name: string) =>
        (await this.#select<EndpointRow>(COLUMNS, 'owner = ? AND name = ?', owner, name))[0],
      /** @returns false if the name is taken */
      create: (row: EndpointRow) => this.#create({ ...row, owner }),
      /**
       * Replaces the row with this name.
       *
       * @param before the version that was read
       * @returns false if the endpoint has another version by now, or is gone
       */
      replace: async (
        { hash, name, changed, expect, tokenHash, key, content }: EndpointRow,
        before: EndpointVersion,
      ) => {
        const text = `UPDATE endpoint SET hash = ?, changed = ?, expect = ?, tokenHash = ?, key = ?,
          content = ?
          WHERE owner = ? AND name = ? AND hash = ? AND changed = ? RETURNING name`
        const values = [hash, changed, expect, tokenHash, key, content]
        const found = [owner, name, before.hash, before.changed]
        return this.#change(text, ...values, ...found)
      },
      /** @returns false if there is none */
      delete: (name: string) =>
        this.#change(
          'DELETE FROM endpoint WHERE owner = ? AND name = ? RETURNING name',
          owner,
          name,
        ),
      /** Records the first event of an endpoint; a later one changes nothing. */
      noteFirstEvent: async (hash: string, at: number) => {
        const text = `UPDATE endpoint SET firstEvent = ?
          WHERE owner = ? AND hash = ? AND firstEvent IS NULL`
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
    const { hash, owner, name, created, changed, expect, tokenHash, key, content } = row
    const values = [hash, owner, name, created, changed, expect, tokenHash, key, content]
    const text = `INSERT INTO endpoint (hash, owner, name, created, changed, expect, tokenHash, key,
      content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING name`
    return this.#change(text, ...values)
  }

  async #list(condition: string, values: readonly SqlValue[], tokens: TokenHashes) {
    // The call of an object is JSON, which turns `undefined` into `null`.
    const hashes = tokens ?? []
    const own = tokens ? `AND tokenHash IN (${hashes.map(() => '?').join(', ')})` : ''
    const where = `${condition} ${own} ORDER BY owner, name`
    return this.#select<EndpointRow>(COLUMNS, where, ...values, ...hashes)
  }

  async #select<Row>(columns: string, where: string, ...values: SqlValue[]) {
    const text = `SELECT ${columns} FROM endpoint WHERE ${where}`
    // The columns are the fields.
    return (await this.#database.read(text, ...values)) as unknown as readonly Row[]
  }

  #write(text: string, ...values: SqlValue[]): Promise<readonly SqlRow[]> {
    return this.#database.write([[text, ...values]])
  }
}
