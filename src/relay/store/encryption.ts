import { CompactEncrypt, type CryptoKey, compactDecrypt } from 'jose'
import { Secret } from '../../wire/secret.ts'
import type { Database, SqlStatement, SqlValue } from './database.ts'
import { hashToken, type RelayKeys } from './relay-key.ts'

// RFC 7518, sections 4.5 and 5.3.
const ALGORITHM = 'dir'
const ENCRYPTION = 'A256GCM'

/** A record as the database stores it. */
export interface EncryptedRecord {
  /** Id of the relay key that encrypted it. */
  readonly key: string
  /** Compact JWE. */
  readonly content: string
}

type JweHeader = Readonly<Record<'alg' | 'enc' | 'typ' | 'kid', string>>

export type EncryptJwe = (key: CryptoKey, header: JweHeader, text: string) => Promise<string>

const encryptByWebCrypto: EncryptJwe = (key, header, text) =>
  new CompactEncrypt(new TextEncoder().encode(text)).setProtectedHeader(header).encrypt(key)

/** Encrypts the records of the database by the first relay key, and decrypts them by any. */
export class Encryption {
  readonly #keys: RelayKeys
  readonly #encryptJwe: EncryptJwe

  constructor(keys: RelayKeys, encryptJwe = encryptByWebCrypto) {
    this.#keys = keys
    this.#encryptJwe = encryptJwe
  }

  /** Id of the key that encrypts. */
  get key(): string {
    return this.#keys[0].id
  }

  /** Ids of all keys, the one that encrypts first. */
  get keyIds(): readonly string[] {
    return this.#keys.map(({ id }) => id)
  }

  /** @param type header `typ`, so that a record of one kind cannot serve as another */
  async encrypt(type: string, content: object): Promise<EncryptedRecord> {
    const [{ id, storage }] = this.#keys
    const header = { alg: ALGORITHM, enc: ENCRYPTION, typ: type, kid: id }
    return { key: id, content: await this.#encryptJwe(storage, header, JSON.stringify(content)) }
  }

  /** @throws Error of any kind if the key is missing, or the record has another type or is damaged */
  async decrypt(type: string, { content }: EncryptedRecord): Promise<unknown> {
    const keyOf = ({ kid }: { kid?: string }) => {
      const key = this.#keys.find(({ id }) => id === kid)
      if (!key) throw new TypeError('encrypted by another relay key')
      return key.storage
    }
    const { plaintext, protectedHeader } = await compactDecrypt(content, keyOf, {
      keyManagementAlgorithms: [ALGORITHM],
      contentEncryptionAlgorithms: [ENCRYPTION],
    })
    if (protectedHeader.typ !== type) throw new TypeError(`not a record of the type ${type}`)
    return JSON.parse(new TextDecoder().decode(plaintext))
  }

  async tokenHash(token: Secret): Promise<string> {
    return hashToken(this.#keys[0], token)
  }

  /** The hashes by which a token is found: also in rows that an older key encrypted. */
  async tokenHashes(token: Secret): Promise<readonly string[]> {
    return Promise.all(this.#keys.map((key) => hashToken(key, token)))
  }
}

/** The `typ` of a delivery's content, and of an endpoint's. */
export const EVENT = 'hookline-event'
export const ENDPOINT = 'hookline-endpoint'

/** A table with the columns `key` and `content`. */
interface EncryptedTable {
  readonly name: string
  /** Column of the primary key. */
  readonly id: string
  readonly type: string
  /** Further columns that depend on the relay key, computed from the decrypted content. */
  readonly columns?: (
    content: object,
    encryption: Encryption,
  ) => Promise<Readonly<Record<string, SqlValue>>>
}

const TABLES: readonly EncryptedTable[] = [
  { name: 'delivery', id: 'seq', type: EVENT },
  {
    name: 'endpoint',
    id: 'hash',
    type: ENDPOINT,
    columns: async (content, encryption) => {
      // `encryptEndpoint` wrote it.
      const { token } = content as { readonly token?: string }
      return { tokenHash: token ? await encryption.tokenHash(new Secret(token)) : null }
    },
  },
]

/** Rows of one transaction: others use the database in between. */
const STEP = 100

/**
 * Encrypts the rows of older relay keys by the first one. A call with the keys of the last call costs one read a
 * table. A row that changes meanwhile is left alone, because its change encrypted it.
 *
 * @returns the encrypted rows, and those that no key decrypts, which stay as they are
 * @throws StorageError if the disk fails; a later call goes on
 */
export async function reencrypt(
  database: Database,
  encryption: Encryption,
): Promise<{ readonly rows: number; readonly unreadable: number }> {
  const keys = encryption.keyIds.join()
  let [rows, unreadable] = [0, 0]
  for (const table of TABLES) {
    // To look for older rows would read the whole table.
    const [done] = await database.read('SELECT keys FROM reencrypted WHERE name = ?', table.name)
    if (done?.keys === keys) continue
    for (let after: SqlValue | undefined; ; ) {
      const step = await olderRows(database, table, encryption.key, after)
      const changes = await Promise.all(step.map((row) => newRow(row, table, encryption)))
      const changed = changes.filter((change) => change !== undefined)
      if (changed.length > 0) await database.write(changed)
      rows += changed.length
      unreadable += step.length - changed.length
      after = step.at(-1)?.id
      if (step.length < STEP) break
    }
    const text = 'INSERT OR REPLACE INTO reencrypted VALUES (?, ?)'
    await database.write([[text, table.name, keys]])
  }
  return { rows, unreadable }
}

/** Rows that one query counts: others use the database in between. */
const COUNTED = 20_000

/** How many rows each relay key encrypted, by its id. The count reads whole tables. @throws StorageError */
export async function rowsByKey(database: Database): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {}
  for (const { name, id } of TABLES) {
    const page = (where: string) => `SELECT key, count(*) AS count, max(id) AS last
      FROM (SELECT ${id} AS id, key FROM ${name} ${where} ORDER BY ${id} LIMIT ${COUNTED}) GROUP BY key`
    for (let rows = await database.read(page('')); rows.length > 0; ) {
      for (const { key, count } of rows) {
        // A row without content has no key.
        if (key !== null) counts[String(key)] = (counts[String(key)] ?? 0) + Number(count)
      }
      const ids = rows.map(({ last }) => (typeof last === 'number' ? last : String(last)))
      const last = ids.reduce((a, b) => (a > b ? a : b))
      rows = await database.read(page(`WHERE ${id} > ?`), last)
    }
  }
  return counts
}

interface OlderRow extends EncryptedRecord {
  readonly id: SqlValue
}

async function olderRows(
  database: Database,
  { name, id }: EncryptedTable,
  key: string,
  after: SqlValue | undefined,
): Promise<readonly OlderRow[]> {
  const next = after === undefined ? '' : `AND ${id} > ?`
  const text = `SELECT ${id} AS id, key, content FROM ${name} WHERE key <> ? ${next}
    ORDER BY ${id} LIMIT ${STEP}`
  const rows = await database.read(text, key, ...(after === undefined ? [] : [after]))
  // The columns are the fields.
  return rows as unknown as readonly OlderRow[]
}

/** @returns `undefined` if no key decrypts the row */
async function newRow(
  row: OlderRow,
  { name, id, type, columns }: EncryptedTable,
  encryption: Encryption,
): Promise<SqlStatement | undefined> {
  let content: object
  try {
    // The content of every record is an object.
    content = (await encryption.decrypt(type, row)) as object
  } catch {
    return undefined
  }
  const record = await encryption.encrypt(type, content)
  const all = Object.entries({ ...record, ...(await columns?.(content, encryption)) })
  const set = all.map(([column]) => `${column} = ?`).join(', ')
  const values = all.map(([, value]) => value)
  const text = `UPDATE ${name} SET ${set} WHERE ${id} = ? AND content = ?`
  return [text, ...values, row.id, row.content]
}
