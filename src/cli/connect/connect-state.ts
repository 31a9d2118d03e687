import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { JWK } from 'jose'
import { generateSealingKey } from '../../relay/credentials/seal.ts'
import { readText, writeText } from '../files.ts'
import { openUserFolder } from '../user-folder.ts'
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
  const folder = openUserFolder('connect', ...repository.toLowerCase().split('/'))
  const keys = join(folder, 'sealing-keys.json')
  if (!existsSync(keys)) writeText(keys, `${await newKeys()}\n`, { mode: 0o600 })
  return { database: join(folder, `${workflow}.${trigger}.db`), sealingKeys: readText(keys).trim() }
}

async function newKeys(): Promise<string> {
  const { privateJwk } = await generateSealingKey()
  const keys: readonly JWK[] = [privateJwk]
  return JSON.stringify({ keys })
}
