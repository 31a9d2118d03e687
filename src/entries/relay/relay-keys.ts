import type { JWK } from 'jose'
import { readSealKey, type SealKey } from '../../relay/seal.ts'
import { type Problem, UserError } from '../../wire/errors.ts'
import { isObject } from '../../wire/json.ts'
import { Secret } from '../../wire/secret.ts'

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

/** Shorter keys can be found by trying, since nothing slows a caller down. */
const SHORTEST_SAFE_KEY = 20

/**
 * Keys separated by commas or white space.
 *
 * @throws UserError when there is none
 */
export function readAccessKeys(text: string | undefined): readonly Secret[] {
  const keys = split(text)
  if (keys.length > 0) return keys.map((key) => new Secret(key))
  throw new UserError({
    message: 'HOOKLINE_KEYS is missing',
    hint: 'make a key with: hookline keys access',
  })
}

/** What to tell about keys that work, but could be guessed. */
export function weakKeyProblems(text: string | undefined): readonly Problem[] {
  if (split(text).every((key) => key.length >= SHORTEST_SAFE_KEY)) return []
  return [
    {
      message: `HOOKLINE_KEYS holds a key of fewer than ${SHORTEST_SAFE_KEY} characters, which can be guessed`,
      hint: 'make one with: hookline keys access',
    },
  ]
}

function split(text = ''): string[] {
  return text.split(/[\s,]+/).filter(Boolean)
}
