import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { generateSealingKey } from '../../relay/credentials/sealing-key.ts'
import { readText, writeText } from '../files.ts'
import type { ForgeHere } from '../forge.ts'
import { openUserFolder } from '../user-folder.ts'
import type { ConnectTarget } from './connect-target.ts'

/** The data that `connect` stores, so that the path of a webhook URL is the same at its next start. */
export interface ConnectState {
  /** Database of the endpoint and of the outbox, for one trigger. */
  readonly database: string
  /** Key that seals the database, as `HOOKLINE_SEALING_KEYS` has it. */
  readonly sealingKeys: string
}

/**
 * Opens the state of a trigger in the user's state folder. Only the user can read it.
 *
 * @throws UserError if the folder cannot be written
 */
export async function openConnectState(
  { repository, workflow, trigger }: Pick<ConnectTarget, 'repository' | 'workflow' | 'trigger'>,
  { apiUrl }: Pick<ForgeHere, 'apiUrl'>,
): Promise<ConnectState> {
  const place = [...forgeFolder(apiUrl), ...repository.toLowerCase().split('/')]
  const folder = openUserFolder('connect', ...place)
  const keys = join(folder, 'sealing-key')
  if (!existsSync(keys)) writeText(keys, `${await newKeys()}\n`, { mode: 0o600 })
  return { database: join(folder, `${workflow}.${trigger}.db`), sealingKeys: readText(keys).trim() }
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

async function newKeys(): Promise<string> {
  return (await generateSealingKey()).text
}
