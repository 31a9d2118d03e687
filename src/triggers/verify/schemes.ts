import * as schemes from '../lists/scheme.ts'
import { bySenderName, type OwnScheme } from '../sender.ts'
import type { Scheme } from './scheme.ts'
import { ed25519, hmac, type SignedHeader, signedHeaderScheme } from './signed-header.ts'
import { basic, bearer, placedToken, token } from './token-schemes.ts'

const SENDER_SCHEMES: Readonly<Record<string, OwnScheme>> = bySenderName<OwnScheme>(schemes)

const GENERAL = [hmac, ed25519, bearer, basic, token]

/** The name of every scheme of signature verification, as `scheme` takes it. */
export const SCHEME_NAMES: readonly string[] = [
  ...Object.keys(SENDER_SCHEMES),
  ...GENERAL.map(({ name }) => name),
]

function toScheme(name: string, own: OwnScheme): Scheme {
  if ('check' in own) return own
  if ('header' in own) return signedHeaderScheme(name, own.page, own)
  return placedToken(name, own.page, own)
}

/** A scheme by its name; `_` is read as `-`, because the triggers of the same services have `_`. */
export function schemeNamed(name: string): Scheme | undefined {
  const written = name.replaceAll('_', '-')
  const own = ownScheme(written)
  return own ? toScheme(written, own) : GENERAL.find((scheme) => scheme.name === written)
}

/** The signature of a sender as data; `undefined` for a scheme that is code. */
export function ruleOf(name: string): SignedHeader | undefined {
  const own = ownScheme(name)
  return own && 'header' in own ? own : undefined
}

function ownScheme(name: string): OwnScheme | undefined {
  return Object.hasOwn(SENDER_SCHEMES, name) ? SENDER_SCHEMES[name] : undefined
}
