import { UserError } from './errors.ts'
import { shownSetting } from './secret.ts'

/** Addresses of this machine that people write without `http://`. */
const WITHOUT_SCHEME = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+(?:[/?#]|$)|\/)/i

/**
 * Parses an HTTP address as people write it: `localhost:3000` needs no scheme. `undefined` for
 * anything else, and for an address with a user, a password or a fragment.
 */
export function parseAddress(text: string): URL | undefined {
  const whole = WITHOUT_SCHEME.test(text) ? `http://${text}` : text
  const url = URL.canParse(whole) ? new URL(whole) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) return undefined
  return url.username || url.password || url.hash ? undefined : url
}

export interface AddressWords {
  /** Flag, variable or argument: `--relay`. */
  readonly name: string
  /** The kind of address: `a relay`. */
  readonly of: string
  readonly example: string
}

/**
 * Reads a base address. It has no query, because paths are appended to it.
 *
 * @throws UserError that names the setting; it shows the value only if that cannot be a secret
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

/** The base address in an input of an action. @throws UserError if it is no address */
export function addressInput(
  input: (name: string) => string,
  name: string,
  otherwise: string,
  example = otherwise,
): string {
  const words = { name: `input "${name}"`, of: 'an API', example }
  return baseAddress(readAddress(input(name).trim() || otherwise, words))
}

/** The address without trailing slashes, so that a path can follow. */
export function baseAddress(url: URL): string {
  return url.href.replace(/\/+$/, '')
}

/** Whether a host name, as `URL` returns it, is this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

/**
 * Refuses to send a secret in plain text: a relay key's bearer and a GitHub token travel over https, or
 * over http to this machine.
 *
 * @throws UserError
 */
export function refuseInsecureAddress({ protocol, hostname, host }: URL): void {
  if (protocol === 'https:' || isLoopback(hostname)) return
  throw new UserError({
    message: `--relay is neither an https address nor on this machine: ${shownSetting(host)}`,
    hint: 'Use https://, because anyone on the way can read a key or a token that is sent over http.',
  })
}
