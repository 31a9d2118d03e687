import type { JWK } from 'jose'
import { UserError } from '../protocol/errors.ts'
import { isObject } from '../protocol/json.ts'
import { Secret } from '../protocol/secret.ts'
import { readSealKey, type SealKey } from '../relay/seal.ts'

/**
 * A JWK, an array of them, or a JWK set: as `hookline keys new` prints it.
 *
 * @throws UserError when it is none of them
 */
export async function readSealKeys(text: string): Promise<readonly SealKey[]> {
  try {
    return await Promise.all(jwksIn(JSON.parse(text)).map(readSealKey))
  } catch (cause) {
    throw new UserError(
      {
        message: 'HOOKLINE_SEAL_KEYS holds no sealing keys',
        hint: 'make them with: hookline keys new',
      },
      { cause },
    )
  }
}

function jwksIn(value: unknown): readonly JWK[] {
  const all = isObject(value) && Array.isArray(value.keys) ? value.keys : [value].flat()
  // `readSealKey` refuses what is no key.
  return all as readonly JWK[]
}

const SHORTEST_KEY = 20

/**
 * Keys separated by commas or white space.
 *
 * @throws UserError for one that could be guessed
 */
export function readAccessKeys(text: string): readonly Secret[] {
  const keys = text.split(/[\s,]+/).filter(Boolean)
  if (keys.length > 0 && keys.every((key) => key.length >= SHORTEST_KEY)) {
    return keys.map((key) => new Secret(key))
  }
  throw new UserError({
    message: `HOOKLINE_KEYS holds a key of fewer than ${SHORTEST_KEY} characters`,
    hint: 'make one with: hookline keys access',
  })
}
