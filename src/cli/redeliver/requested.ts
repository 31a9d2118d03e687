import { existsSync } from 'node:fs'
import { isObject, parsePlainJson } from '../../wire/json.ts'
import { readText, writeText } from '../files.ts'
import type { DeliveryAttempt } from './deliveries.ts'

/**
 * The failed attempts for which a redelivery was requested. The file keeps them over a restart, because
 * GitHub lists the new attempt only after a while.
 */
export interface RequestedAttempts {
  has(attempt: DeliveryAttempt): boolean
  /** Stores it before the request is sent. @throws UserError if the file cannot be written */
  add(attempt: DeliveryAttempt): void
  /** After GitHub refused the request. */
  remove(attempt: DeliveryAttempt): void
  /** Forgets attempts before that time, in milliseconds since 1970. */
  forget(before: number): void
}

export function openRequested(file: string): RequestedAttempts {
  const requested = new Map<string, number>(existsSync(file) ? readRequested(file) : [])
  const save = () => writeText(file, JSON.stringify(Object.fromEntries(requested)), { mode: 0o600 })
  return {
    has: ({ id }) => requested.has(id),
    add: ({ id, at }) => {
      requested.set(id, at)
      save()
    },
    remove: ({ id }) => {
      requested.delete(id)
      save()
    },
    forget: (before) => {
      for (const [id, at] of requested) if (at < before) requested.delete(id)
    },
  }
}

/** Nothing for a damaged file: then an attempt may get a second redelivery, which has the same guid. */
function readRequested(file: string): [string, number][] {
  try {
    const stored = parsePlainJson(readText(file))
    if (!isObject(stored)) return []
    return Object.entries(stored).flatMap(([id, at]) => (typeof at === 'number' ? [[id, at]] : []))
  } catch (error) {
    if (error instanceof SyntaxError) return []
    throw error
  }
}
