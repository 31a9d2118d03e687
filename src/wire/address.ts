import { UserError } from './errors.ts'
import { shownSetting } from './secret.ts'

/** This machine, as a person writes it. */
const WITHOUT_SCHEME = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+(?:[/?#]|$)|\/)/i

/**
 * An address of HTTP as a person writes it: `localhost:3000` needs no scheme. `undefined` for anything
 * else, and for one with a user, a password or a fragment.
 */
export function parseAddress(text: string): URL | undefined {
  const whole = WITHOUT_SCHEME.test(text) ? `http://${text}` : text
  const url = URL.canParse(whole) ? new URL(whole) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) return undefined
  return url.username || url.password || url.hash ? undefined : url
}

/** How an address is called where it is wrong. */
export interface AddressWords {
  /** Flag, variable or argument: `--relay`. */
  readonly name: string
  /** What stands there: `a relay`. */
  readonly of: string
  readonly example: string
}

/**
 * The address that others are made of, so it has no query.
 *
 * @throws UserError naming where it stands; what it holds is shown only where it can be no secret
 */
export function readAddress(text: string, words: AddressWords): URL {
  const url = parseAddress(text)
  if (url && !url.search) return url
  throw notAnAddress(text, words)
}

export function notAnAddress(text: string, { name, of, example }: AddressWords): UserError {
  return new UserError({
    message: `${name} is not the address of ${of}: ${shownSetting(text)}`,
    hint: `it looks like ${example}`,
  })
}

export const RELAY_ADDRESS: AddressWords = {
  name: '--relay',
  of: 'a relay',
  example: 'https://relay.example.com',
}

/** Without the slashes at its end, so that a path can follow. */
export function baseOf(url: URL): string {
  return url.href.replace(/\/+$/, '')
}

/** Whether a host name, as a URL has it, is this machine's own. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}
