import { type Bindings, namespaceOf } from '../http/bindings.ts'
import type { ObjectStorage } from './sql.ts'

/** The path by which the object of the clock is asked. */
export const TICK = '/tick'

/** The name of that object; no lane has it, since each names a repository. */
const CLOCK = 'clock'

/** Milliseconds for which a tick is known to have been. */
const KNOWN_FOR = 24 * 3600 * 1000

/**
 * Asks whether a tick comes for the first time. Without the binding there is nobody to ask, and every
 * one counts as new: at least once, then.
 */
export function firstTickIn(env: Bindings): (tick: string) => Promise<boolean> {
  const namespace = namespaceOf(env)
  if (!namespace) return async () => true
  return async (tick) => {
    const object = namespace.get(namespace.idFromName(CLOCK))
    const answer = await object.fetch(`http://clock${TICK}`, { method: 'POST', body: tick })
    return (await answer.json()) === true
  }
}

/** Notes a tick, and says whether it is new. The runtime runs one such call at a time. */
export function noteTick({ sql }: ObjectStorage, tick: string, now: number): boolean {
  sql.exec('CREATE TABLE IF NOT EXISTS tick (name TEXT PRIMARY KEY, at INTEGER)')
  sql.exec('DELETE FROM tick WHERE at < ?', now - KNOWN_FOR)
  const added = sql.exec('INSERT OR IGNORE INTO tick VALUES (?, ?) RETURNING name', tick, now)
  return added.toArray().length > 0
}
