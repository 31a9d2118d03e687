import { base64url } from 'jose'
import { UserError } from '../../wire/errors.ts'
import { splitList } from '../../wire/settings.ts'

/** A key that encrypts what the relay stores. */
export interface SealingKey {
  /** Names the key in the database; from its hash, so that it reveals nothing. */
  readonly id: string
  readonly bytes: Uint8Array
  /** The key as `HOOKLINE_SEALING_KEYS` contains it. */
  readonly text: string
}

const KEY_BYTES = 32

/** 256 random bits. */
export function generateSealingKey(): Promise<SealingKey> {
  return sealingKey(crypto.getRandomValues(new Uint8Array(KEY_BYTES)))
}

/**
 * The keys of `HOOKLINE_SEALING_KEYS`: base64 or base64url of 32 bytes each, separated by commas. The
 * first one seals, all of them open.
 *
 * @throws UserError if one is not a key
 */
export async function readSealingKeys(text: string): Promise<readonly SealingKey[]> {
  const keys = splitList(text).map(keyBytes)
  const bytes = keys.flatMap((key) => key ?? [])
  if (bytes.length > 0 && bytes.length === keys.length) return Promise.all(bytes.map(sealingKey))
  throw new UserError({
    message: `HOOKLINE_SEALING_KEYS is not the base64 of ${KEY_BYTES} bytes`,
    hint: `Create a key: openssl rand -base64 ${KEY_BYTES}`,
  })
}

function keyBytes(text: string): Uint8Array | undefined {
  if (!/^[\w+/-]{43}=?$/.test(text)) return undefined
  const bytes = base64url.decode(text.replaceAll('+', '-').replaceAll('/', '_').replace('=', ''))
  return bytes.length === KEY_BYTES ? bytes : undefined
}

async function sealingKey(bytes: Uint8Array): Promise<SealingKey> {
  const hash = await crypto.subtle.digest('SHA-256', new Uint8Array(bytes))
  const id = base64url.encode(new Uint8Array(hash)).slice(0, 16)
  return { id, bytes, text: base64url.encode(bytes) }
}
