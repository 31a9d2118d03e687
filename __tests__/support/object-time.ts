import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { sqlite } from './sqlite.ts'

const NANOSECONDS = 1_000_000

/**
 * Lets time pass for the stored bodies of a workerd that is not running: their times are earlier then, and so
 * are the alarms of its objects.
 */
export async function passTimeOfBodies(disk: string, milliseconds: number): Promise<void> {
  for (const file of await databasesIn(disk)) {
    const tables = await tablesIn(file)
    if (tables.includes('_cf_ALARM')) {
      const earlier = `scheduled_time = scheduled_time - ${milliseconds * NANOSECONDS}`
      await sqlite(file, `UPDATE _cf_ALARM SET ${earlier}`)
    }
    if (tables.includes('chunk')) {
      await sqlite(
        file,
        `UPDATE body SET created = created - ${milliseconds}, accepted = accepted - ${milliseconds};
         UPDATE _cf_METADATA SET value = value - ${milliseconds * NANOSECONDS} WHERE key = 1`,
      )
    }
  }
}

/** Rows of the table of bodies, also while workerd runs. */
export async function bodyRowsOfObjects(
  disk: string,
): Promise<readonly { accepted: number | null }[]> {
  const rows: { accepted: number | null }[] = []
  for (const file of await databasesIn(disk)) {
    if (!(await tablesIn(file)).includes('chunk')) continue
    // The column is the field.
    rows.push(...((await sqlite(file, 'SELECT accepted FROM body')) as typeof rows))
  }
  return rows
}

async function databasesIn(disk: string): Promise<string[]> {
  const names = await readdir(disk, { recursive: true })
  return names.filter((name) => name.endsWith('.sqlite')).map((name) => join(disk, name))
}

async function tablesIn(file: string): Promise<string[]> {
  const rows = await sqlite(file, "SELECT name FROM sqlite_master WHERE type = 'table'")
  return (rows as { name: string }[]).map(({ name }) => name)
}
