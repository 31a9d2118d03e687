import { readFileSync } from 'node:fs'
import type { PlatformEvent } from '../../engine/event.ts'
import { UserError } from '../../wire/errors.ts'
import { parseJson } from '../../wire/json.ts'

/** @throws UserError when the file that the runner names is not there, or no JSON */
export function readEvent(): PlatformEvent {
  const path = process.env.GITHUB_EVENT_PATH ?? ''
  const name = process.env.GITHUB_EVENT_NAME ?? ''
  try {
    return { name, payload: parseJson(readFileSync(path, 'utf8')) }
  } catch (cause) {
    const why = cause instanceof SyntaxError ? cause.message : 'the file cannot be read'
    throw new UserError({ message: `GITHUB_EVENT_PATH: ${why}` }, { cause })
  }
}
