import { existsSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { JWK } from 'jose'
import { generateSealingKey } from '../../relay/credentials/seal.ts'
import { UserError } from '../../wire/errors.ts'
import { systemProblem } from '../../wire/system-error.ts'
import { readText, writeText } from '../files.ts'
import type { ConnectTarget } from './connect-target.ts'

/** The data that `connect` stores, so that the path of a webhook URL is the same at its next start. */
export interface ConnectState {
  /** Database of the endpoint and of the outbox, for one trigger. */
  readonly database: string
  /** JWK set that seals the database, as `HOOKLINE_SEALING_KEYS` has it. */
  readonly sealingKeys: string
}

/**
 * Opens the state of a trigger in the user's state folder. Only the user can read it.
 *
 * @throws UserError if the folder cannot be written
 */
export async function openConnectState({
  repository,
  workflow,
  trigger,
}: ConnectTarget): Promise<ConnectState> {
  const folder = join(stateFolder(), 'hookline', 'connect', ...repository.toLowerCase().split('/'))
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (cause) {
    const problem = systemProblem(cause, folder)
    throw problem ? new UserError(problem, { cause }) : cause
  }
  const keys = join(folder, 'sealing-keys.json')
  if (!existsSync(keys)) writeText(keys, `${await newKeys()}\n`, { mode: 0o600 })
  return { database: join(folder, `${workflow}.${trigger}.db`), sealingKeys: readText(keys).trim() }
}

async function newKeys(): Promise<string> {
  const { privateJwk } = await generateSealingKey()
  const keys: readonly JWK[] = [privateJwk]
  return JSON.stringify({ keys })
}

/** https://specifications.freedesktop.org/basedir-spec/latest/; on Windows the local application data. */
function stateFolder(): string {
  const { XDG_STATE_HOME, LOCALAPPDATA } = process.env
  if (XDG_STATE_HOME) return XDG_STATE_HOME
  if (process.platform === 'win32' && LOCALAPPDATA) return LOCALAPPDATA
  return join(homedir(), '.local', 'state')
}

/** Whether this Node has SQLite, which the database needs: 22.13 and newer. */
export async function hasDatabase(): Promise<boolean> {
  return import('node:sqlite').then(
    () => true,
    () => false,
  )
}
