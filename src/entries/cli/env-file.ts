import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { UserError } from '../../wire/errors.ts'
import { type JsonObject, record } from '../../wire/json.ts'

const DEFAULT_FILE = '.env'

/** Editors on Windows write one; it would become part of the first name. */
const BYTE_ORDER_MARK = /^\ufeff/

/**
 * Names and values of a file in the form of `.env`; none when the default file is not there.
 *
 * @throws UserError when a file that was asked for cannot be read
 */
export function readEnvFile(file: string | undefined): JsonObject {
  try {
    const text = readFileSync(file ?? DEFAULT_FILE, 'utf8').replace(BYTE_ORDER_MARK, '')
    const values = parseEnv(text)
    return record(Object.entries(values).map(([name, value]) => [name, value ?? ''] as const))
  } catch (cause) {
    if (file === undefined) return {}
    throw new UserError({ message: `--env-file: ${file} cannot be read` }, { cause })
  }
}
