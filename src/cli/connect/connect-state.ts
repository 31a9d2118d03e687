import { existsSync } from 'node:fs'
import { type DataFolder, dataFolder } from '../../relay/node/data-folder.ts'
import { newRelayKey } from '../../relay/store/relay-key.ts'
import { UserError } from '../../wire/errors.ts'
import { Secret } from '../../wire/secret.ts'
import { readText, writeText } from '../files.ts'
import type { ForgeHere } from '../forge.ts'
import { openUserFolder } from '../user-folder.ts'
import type { ConnectTarget } from './connect-target.ts'

/** The data that `connect` stores, so that the path of a webhook URL is the same at its next start. */
export interface ConnectState {
  /** Of the relay's database, for one trigger. */
  readonly folder: DataFolder
  readonly relayKey: Secret
}

/**
 * Opens the state of a trigger in the user's state folder. Only the user can read it.
 *
 * @throws UserError if the folder cannot be written, or has a database without its key
 */
export async function openConnectState(
  { repository, workflow, trigger }: Pick<ConnectTarget, 'repository' | 'workflow' | 'trigger'>,
  { apiUrl }: Pick<ForgeHere, 'apiUrl'>,
): Promise<ConnectState> {
  const place = [...forgeFolder(apiUrl), ...repository.toLowerCase().split('/')]
  const path = openUserFolder('connect', ...place, `${workflow}.${trigger}`)
  const folder = dataFolder({ data: path, env: {} })
  if (!existsSync(folder.key)) {
    if (existsSync(folder.database)) throw missingKey(folder)
    writeText(folder.key, `${newRelayKey().reveal()}\n`, { mode: 0o600 })
  }
  return { folder, relayKey: new Secret(readText(folder.key).trim()) }
}

/** A new key could not decrypt the database. */
function missingKey({ key, database }: DataFolder): UserError {
  return new UserError({
    message: `${key} is missing, and ${database} cannot be read without it`,
    hint: `Restore the file. To start with a new webhook URL, move ${database} away.`,
  })
}

/**
 * A folder for each forge except github.com, because a mirror often has the same owner and name, and the
 * events that wait in the database are of one forge.
 */
function forgeFolder({ host, pathname }: URL): readonly string[] {
  if (host === 'api.github.com') return []
  const address = host + pathname.replace(/(?:\/api\/v[13])?\/*$/, '')
  return [address.replace(/[^\w.-]+/g, '_')]
}
