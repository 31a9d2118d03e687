import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { LOCK_FILE, readActionLock } from '../compiler/action-lock.ts'
import type { CompileOptions } from '../compiler/compile.ts'
import { NO_SETTINGS, readSettingsFile, SETTINGS_FILE } from '../compiler/compiler-settings.ts'
import { type Source, UserError } from '../wire/errors.ts'
import { readSource } from './files.ts'
import { ownAction } from './own-action.ts'

/**
 * The settings of a repository for the compilation of its sources.
 *
 * @throws UserError with all mistakes of the settings, because they concern every source
 */
export function repositorySettings(root: string): CompileOptions {
  const written = readIfExists(root, SETTINGS_FILE)
  const repository = written ? readSettingsFile(written) : NO_SETTINGS
  if (repository.problems.length > 0) throw new UserError(repository.problems)
  const misnamed = ['.github/hookline.yaml', 'hookline.yml', 'hookline.yaml', '.hookline.yml'].find(
    (file) => existsSync(join(root, file)),
  )
  if (!written && misnamed !== undefined) {
    throw new UserError({
      code: 'no-file',
      message: `${misnamed} is not the settings file`,
      hint: `rename it to ${SETTINGS_FILE}`,
    })
  }
  const lock = readIfExists(root, LOCK_FILE)
  return { repository, lock: lock && readActionLock(lock), action: ownAction() }
}

function readIfExists(root: string, file: string): Source | undefined {
  return existsSync(join(root, file)) ? readSource(root, file) : undefined
}
