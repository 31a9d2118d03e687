import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { InvalidArgumentError, Option } from 'commander'
import { parse } from 'yaml'
import { type ActionLock, LOCK_FILE, readActionLock } from '../compiler/action-lock.ts'
import {
  COMPILER_SETTINGS,
  type CompilerSettings,
  NO_SETTINGS,
  readSettingsFile,
  SETTINGS_FILE,
  type WrittenSettings,
} from '../compiler/compiler-settings.ts'
import { type Source, UserError } from '../wire/errors.ts'
import { readSource } from './files.ts'
import { ownAction } from './own-action.ts'

/** The settings of a repository for the compilation of its sources. */
export interface RepositorySettings {
  readonly repository: WrittenSettings
  readonly lock: ActionLock | undefined
  /** The action of this package. */
  readonly action: string
}

/** @throws UserError with all mistakes of the settings, because they concern every source */
export function repositorySettings(root: string): RepositorySettings {
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

/** Explains in `--help` where settings without a flag come from. */
export const SETTINGS_HELP = `
Settings without a flag come from "hookline:" in the workflow file, then from
${SETTINGS_FILE}.
`

/**
 * The flag of a compiler setting: `--<key>`, with the parser of its entry in `COMPILER_SETTINGS`.
 *
 * @param description replaces the help of the entry
 */
export function settingOption(name: keyof CompilerSettings, description?: string): Option {
  const setting = COMPILER_SETTINGS.find((one) => one.name === name)
  if (!setting) throw new RangeError(`no setting ${name}`)
  const { key, argument, help, parse: parseValue, mistake } = setting
  const text = description ?? `${help} (default: ${setting.default})`
  return new Option(`--${key} ${argument}`, text).argParser((written) => {
    const value = parseValue(written) ?? parseValue(fromYaml(written))
    if (value !== undefined) return value
    throw new InvalidArgumentError(`"${key}" ${mistake}.`)
  })
}

/** Reads a flag as a file would be read, so that `--runs-on '[self-hosted, linux]'` is a list. */
function fromYaml(written: string): unknown {
  try {
    return parse(written)
  } catch {
    return undefined
  }
}
