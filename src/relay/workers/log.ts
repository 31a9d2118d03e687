import { bugOf } from '../../wire/errors.ts'
import type { ChangeLine } from '../delivery/log-lines.ts'

/** Writes a line of the log that is not about a request. */
export function logChange(line: ChangeLine): void {
  console.log(JSON.stringify({ time: new Date().toISOString(), ...line }))
}

export function logBug(error: unknown): void {
  console.log(JSON.stringify({ error: bugOf(error) }))
}
