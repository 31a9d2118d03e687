import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { UserError } from '../wire/errors.ts'
import { systemProblem } from '../wire/system-error.ts'

/**
 * A folder in the user's state folder, created if it does not exist. Only the user can read it.
 *
 * @param names of the folder below `hookline`
 * @throws UserError if the folder cannot be written
 */
export function openUserFolder(...names: readonly string[]): string {
  const folder = join(stateFolder(), 'hookline', ...names)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (cause) {
    const problem = systemProblem(cause, folder)
    throw problem ? new UserError(problem, { cause }) : cause
  }
  return folder
}

/** https://specifications.freedesktop.org/basedir-spec/latest/; on Windows the local application data. */
function stateFolder(): string {
  const { XDG_STATE_HOME, LOCALAPPDATA } = process.env
  if (XDG_STATE_HOME) return XDG_STATE_HOME
  if (process.platform === 'win32' && LOCALAPPDATA) return LOCALAPPDATA
  return join(homedir(), '.local', 'state')
}
