import { Encryption } from '../../src/relay/store/encryption.ts'
import { adminBearer, newRelayKey, readRelayKeys } from '../../src/relay/store/relay-key.ts'
import { Secret } from '../../src/wire/secret.ts'

/** The relay key of most relays under test. */
export const RELAY_KEY = Buffer.alloc(32, 7).toString('base64')

/** Its bearer of the admin API. */
export const ADMIN_BEARER = await bearerOf(RELAY_KEY)

/** The admin bearer of relay keys. */
export async function bearerOf(keys: string): Promise<string> {
  return (await adminBearer(new Secret(keys), 'relay key')).reveal()
}

/** Relay keys, newest first, for `HOOKLINE_RELAY_KEY`. */
export function relayKeys(...older: readonly string[]): string {
  return [newRelayKey().reveal(), ...older].join(',')
}

/** The keys and the encryption of a test. */
export async function relayKeyOf(keys: string = RELAY_KEY) {
  const read = await readRelayKeys(new Secret(keys), 'relay key')
  return { keys: read, encryption: new Encryption(read) }
}

export async function encryptionOf(keys: string = RELAY_KEY): Promise<Encryption> {
  return (await relayKeyOf(keys)).encryption
}
