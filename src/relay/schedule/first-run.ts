import type { ObjectStorage } from '../database/durable-object.ts'
import { type Bindings, namespaceOf } from '../http/bindings.ts'

/** Path of the question whether a scheduled run is new. */
export const FIRST_RUN_PATH = '/first-run'

/** Name of the object that knows the scheduled runs; no queue has it, since a queue names a repository. */
const SCHEDULER = 'scheduler'

/** Milliseconds for which a scheduled run is remembered. */
const REMEMBERED = 24 * 3_600_000

/**
 * Asks whether a scheduled run arrives for the first time: Cloudflare may start a worker twice. Without
 * the binding this is unknown, and each run counts as new.
 */
export function firstRunIn(env: Bindings): (run: string) => Promise<boolean> {
  const namespace = namespaceOf(env)
  if (!namespace) return async () => true
  return async (run) => {
    const object = namespace.get(namespace.idFromName(SCHEDULER))
    const url = `http://scheduler${FIRST_RUN_PATH}`
    const response = await object.fetch(url, { method: 'POST', body: run })
    return (await response.json()) === true
  }
}

/** Remembers a scheduled run. @returns true if it is new */
export function noteRun({ sql }: ObjectStorage, run: string, now: number): boolean {
  sql.exec('CREATE TABLE IF NOT EXISTS run (name TEXT PRIMARY KEY, at INTEGER)')
  sql.exec('DELETE FROM run WHERE at < ?', now - REMEMBERED)
  const added = sql.exec('INSERT OR IGNORE INTO run VALUES (?, ?) RETURNING name', run, now)
  return added.toArray().length > 0
}
