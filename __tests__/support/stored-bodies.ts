import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ADMIN_BEARER } from './relay-keys.ts'
import { sqlite } from './sqlite.ts'

/** The columns of a row of `body` that tests look at. */
export interface BodyRow {
  readonly bytes: number
  readonly finished: number
  readonly accepted: number | null
  /** Its rows in `chunk`. */
  readonly chunks: number
}

const ROWS = `SELECT bytes, finished, accepted,
  (SELECT count(*) FROM chunk WHERE chunk.hash = body.hash) AS chunks FROM body ORDER BY created`

/** The stored bodies in a database file that no process has open. */
export async function bodyRowsIn(file: string): Promise<readonly BodyRow[]> {
  const tables = await sqlite(file, "SELECT name FROM sqlite_master WHERE name = 'chunk'")
  // The columns are the fields.
  return tables.length === 0 ? [] : ((await sqlite(file, ROWS)) as readonly BodyRow[])
}

/** The stored bodies of a running relay on Node, by its backup. */
export async function bodyRows(relay: { readonly url: string }): Promise<readonly BodyRow[]> {
  const headers = { authorization: `Bearer ${ADMIN_BEARER}` }
  const response = await fetch(`${relay.url}/-admin/backup`, { headers })
  const folder = await mkdtemp(join(tmpdir(), 'hookline-backup-'))
  try {
    const file = join(folder, 'relay.db')
    await writeFile(file, new Uint8Array(await response.arrayBuffer()))
    return await bodyRowsIn(file)
  } finally {
    await rm(folder, { recursive: true })
  }
}
