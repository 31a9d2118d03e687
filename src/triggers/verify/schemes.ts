import { SCHEME } from '../lists/scheme.ts'
import type { OwnScheme } from '../sender.ts'
import type { Scheme } from './scheme.ts'
import { ed25519, hmac, type SignedHeader, signedHeaderScheme } from './signed-header.ts'
import { basic, bearer, fieldToken, headerToken, token } from './token-schemes.ts'

const GENERAL = [hmac, ed25519, bearer, basic, token]

/** The name of every scheme of signature verification, as `scheme` takes it. */
export const SCHEME_NAMES: readonly string[] = [
  ...Object.keys(SCHEME),
  ...GENERAL.map(({ name }) => name),
]

function toScheme(name: string, own: OwnScheme): Scheme {
  if ('check' in own) return own
  if ('header' in own) return signedHeaderScheme(name, own.page, own)
  if (own.tokenHeader !== undefined) return headerToken(name, own.page, own.tokenHeader)
  return fieldToken(name, own.page, own.tokenField)
}

/** A scheme by its name; `_` is read as `-`, because the triggers of the same services have `_`. */
export function schemeNamed(name: string): Scheme | undefined {
  const written = name.replaceAll('_', '-')
  const own = Object.hasOwn(SCHEME, written) ? SCHEME[written] : undefined
  return own ? toScheme(written, own) : GENERAL.find((scheme) => scheme.name === written)
}

/** The signature of a sender as data; `undefined` for a scheme that is code. */
export function ruleOf(name: string): SignedHeader | undefined {
  const own = Object.hasOwn(SCHEME, name) ? SCHEME[name] : undefined
  return own && 'header' in own ? own : undefined
}
