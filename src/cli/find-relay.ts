import type { Command } from 'commander'
import { findLocalRelay, type LocalRelay } from '../relay/node/data-folder.ts'
import { adminBearer } from '../relay/store/relay-key.ts'
import { isLoopback, RELAY_ADDRESS, readAddress, refuseInsecureAddress } from '../wire/address.ts'
import { UserError } from '../wire/errors.ts'
import { type Environment, readSetting } from '../wire/settings.ts'
import { type RelayAccess, RelayClient, SET_RELAY_KEY } from './relay-client.ts'

/** The flags that say which relay is called. */
interface RelayOptions {
  readonly relay?: string | undefined
  readonly data?: string | undefined
}

/** The flags that all subcommands of a command share. */
export interface SharedOptions extends RelayOptions {
  readonly repository?: string
  readonly json?: boolean
}

/** The variables of these commands, for `--help`. */
export const RELAY_VARIABLES = [
  ['HOOKLINE_RELAY_KEY', 'relay key, for a relay that is not on this machine'],
  ['HOOKLINE_GITHUB_TOKEN', 'GitHub token, for a relay that was started with --allow-tokens'],
  ['HOOKLINE_DATA', 'folder of the relay on this machine, like --data'],
] as const

/**
 * Adds the flags that all subcommands share, which `optsWithGlobals` returns.
 *
 * @param repository the meaning of --repository
 */
export function withRelayOptions(command: Command, repository: string): Command {
  return command
    .option('--repository <owner/name>', repository)
    .option('--relay <url>', 'address of the relay (default: the relay on this machine)')
    .option('--data <folder>', 'folder of the relay on this machine, with its address and key')
    .option('--json', 'print JSON')
}

/**
 * The relay that a command talks to: `--relay`, or the one on this machine. Its key is in the data folder
 * if the relay is on this machine; otherwise it is HOOKLINE_RELAY_KEY, or HOOKLINE_GITHUB_TOKEN.
 *
 * @throws UserError if there is no relay or no key, or if the key would travel in plain text
 */
export async function findRelay(
  { relay, data }: RelayOptions,
  env: Environment = process.env,
): Promise<RelayClient> {
  if (relay === undefined) {
    const found = await findLocalRelay({ data, env })
    return new RelayClient(found.address, await accessOf(found))
  }
  const address = readAddress(relay, RELAY_ADDRESS)
  refuseInsecureAddress(address)
  const found = await localRelayAt(address, data, env)
  const access = found ? await accessOf(found) : await accessFrom(env, address)
  return new RelayClient(address, access)
}

async function accessOf({ key, keyName }: LocalRelay): Promise<RelayAccess> {
  return { bearer: await adminBearer(key, keyName), source: keyName, isToken: false }
}

/**
 * The relay of the data folder, if an address is its own. A relay elsewhere that is reached through a port
 * of this machine must not get its key.
 */
async function localRelayAt(
  address: URL,
  data: string | undefined,
  env: Environment,
): Promise<LocalRelay | undefined> {
  if (!isLoopback(address.hostname)) return undefined
  try {
    const found = await findLocalRelay({ data, env })
    return found.address.port === address.port ? found : undefined
  } catch (error) {
    if (error instanceof UserError && data === undefined) return undefined
    throw error
  }
}

/** @throws UserError if no variable has a key */
async function accessFrom(env: Environment, { host }: URL): Promise<RelayAccess> {
  const key = readSetting(env, 'HOOKLINE_RELAY_KEY')
  if (key) {
    const source = 'HOOKLINE_RELAY_KEY'
    return { bearer: await adminBearer(key, source), source, isToken: false }
  }
  const token = readSetting(env, 'HOOKLINE_GITHUB_TOKEN')
  if (token) return { bearer: token, source: 'HOOKLINE_GITHUB_TOKEN', isToken: true }
  throw new UserError({
    message: `there is no key for the relay at ${host}`,
    hint: SET_RELAY_KEY,
    notes: ['or set HOOKLINE_GITHUB_TOKEN, if the relay was started with --allow-tokens'],
  })
}
