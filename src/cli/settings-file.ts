import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { InvalidArgumentError, Option } from 'commander'
import { parse } from 'yaml'
import { type ActionLock, LOCK_FILE, readActionLock } from '../compiler/action-lock.ts'
import {
  NOTHING_WRITTEN,
  PLATFORMS,
  readRunsOn,
  readSettingsFile,
  readState,
  readUses,
  SETTINGS_FILE,
  type WrittenSettings,
} from '../compiler/settings.ts'
import { STATE_FORMS, STATE_FORMS_IN_WORDS } from '../state/index.ts'
import { type Source, UserError } from '../wire/errors.ts'
import type { Json } from '../wire/json.ts'
import { DISPATCH_MODES } from '../wire/payload.ts'
import { readSource } from './files.ts'
import { ownAction } from './version.ts'

/** What a repository says of how its sources are compiled. */
export interface RepositorySettings {
  readonly repository: WrittenSettings
  readonly lock: ActionLock | undefined
  /** The action of this package. */
  readonly action: string
}

/** @throws UserError with all mistakes of the settings, which would count for every source */
export function repositorySettings(root: string): RepositorySettings {
  const written = readIfThere(root, SETTINGS_FILE)
  const repository = written ? readSettingsFile(written) : NOTHING_WRITTEN
  if (repository.problems.length > 0) throw new UserError(repository.problems)
  const misnamed = ['.github/hookline.yaml', 'hookline.yml', 'hookline.yaml', '.hookline.yml'].find(
    (file) => existsSync(join(root, file)),
  )
  if (!written && misnamed !== undefined) {
    throw new UserError({
      code: 'no-file',
      message: `${misnamed} is not read`,
      hint: `settings stand in ${SETTINGS_FILE}: move it there`,
    })
  }
  const lock = readIfThere(root, LOCK_FILE)
  return { repository, lock: lock && readActionLock(lock), action: ownAction() }
}

function readIfThere(root: string, file: string): Source | undefined {
  return existsSync(join(root, file)) ? readSource(root, file) : undefined
}

const UNSAID = 'by default what is written down'

/** Where the action remembers, which decides what a workflow may ask for. */
export function stateOption(): Option {
  return new Option('--state <store>', `${STATE_FORMS_IN_WORDS}; ${UNSAID}`).argParser((text) => {
    const state = readState(text)
    if (state !== undefined) return state
    throw new InvalidArgumentError(`write one of: ${STATE_FORMS}.`)
  })
}

export function eventOption(): Option {
  return new Option(
    '--dispatch <mode>',
    `what a webhook starts the workflows by; ${UNSAID}`,
  ).choices(DISPATCH_MODES)
}

export function platformOption(): Option {
  return new Option('--platform <platform>', `whose runners they are for; ${UNSAID}`).choices(
    PLATFORMS,
  )
}

export function runsOnOption(): Option {
  return new Option('--runs-on <label or YAML>', `what the job "on" runs on; ${UNSAID}`).argParser(
    (text): Json => {
      try {
        const value = readRunsOn(parse(text))
        if (value !== undefined) return value
      } catch {
        // Said below, as for YAML that is not a label.
      }
      throw new InvalidArgumentError('write a label, or YAML: [self-hosted, linux].')
    },
  )
}

export function usesOption(
  description = 'action that they run; by default the one that they run already',
): Option {
  return new Option('--uses <action>', description).argParser((text) => {
    const uses = readUses(text)
    if (uses !== undefined) return uses
    throw new InvalidArgumentError('write owner/name@ref, with a tag or a full commit SHA.')
  })
}
