import { byteString } from './bytes.ts'
import { UserError } from './errors.ts'

const HIDDEN = '***'

/** Shorter tokens are not looked for in other text: they could be part of any word. */
const SHORTEST_SCRUBBED = 20

/** A value that must not be printed. It shows as `***` in text, JSON and the console. */
export class Secret {
  readonly #value: string
  #forms: readonly string[] | undefined

  constructor(value: string) {
    this.#value = value
  }

  /** The value itself: for the one call that needs it. */
  reveal(): string {
    return this.#value
  }

  /**
   * True when the text holds the value raw, percent-encoded (any of its characters) or as base64.
   * Values of fewer than 20 characters are not looked for.
   */
  isIn(text: string): boolean {
    return this.#plainForms().some((form) => text.includes(form)) || this.#isPercentEncodedIn(text)
  }

  /** The text with every form of the value replaced by `***`. */
  scrub(text: string): string {
    const scrubbed = this.#plainForms().reduce((rest, form) => rest.replaceAll(form, HIDDEN), text)
    return this.#isPercentEncodedIn(scrubbed) ? withoutEncoded(scrubbed, this.#value) : scrubbed
  }

  /** The text with the value replaced where it stands as it is, in no encoding. */
  scrubRaw(text: string): string {
    return this.#value.length < SHORTEST_SCRUBBED ? text : text.replaceAll(this.#value, HIDDEN)
  }

  toString(): string {
    return HIDDEN
  }

  toJSON(): string {
    return HIDDEN
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return HIDDEN
  }

  /** Found by plain search: compiling patterns for every request's own token would be its main cost. */
  #plainForms(): readonly string[] {
    if (this.#value.length < SHORTEST_SCRUBBED) return []
    this.#forms ??= [this.#value, ...base64Forms(this.#value)]
    return this.#forms
  }

  #isPercentEncodedIn(text: string): boolean {
    if (this.#value.length < SHORTEST_SCRUBBED || !text.includes('%')) return false
    if (UNRESERVED.test(this.#value) && !ESCAPED_UNRESERVED.test(text)) return false
    return unescaped(text).includes(unescaped(this.#value, false))
  }
}

/** True for what can stand in an `Authorization` header without breaking out of it. */
export function isHeaderSafe(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token)
}

/**
 * A token as a variable of the environment holds it.
 *
 * @throws UserError for one that no header can carry, as a file with foreign line ends leaves it
 */
export function readToken(variable: string, text: string): Secret {
  if (isHeaderSafe(text)) return new Secret(text)
  throw new UserError({
    message: `${variable} holds a character that no token has`,
    hint: 'look for a line end or a space around it',
  })
}

/** What no form needs to escape, and of what most tokens are made: RFC 3986, section 2.3. */
const UNRESERVED = /^[\w.~-]+$/

/** Escapes of such characters: in a text without any, no such token is hidden by escapes. */
const ESCAPED_UNRESERVED = /%(?:2[de]|3\d|[46][1-9a-f]|5[\daf]|7[\dae])/i

const CHARACTERS = new TextDecoder('latin1')

/** Values of the hexadecimal digits by their character code; 0xff for any other character. */
const HEX = Uint8Array.from({ length: 256 }, (_, code) => {
  const digit = Number.parseInt(String.fromCharCode(code), 16)
  return Number.isNaN(digit) ? 0xff : digit
})

const PERCENT = 0x25

/**
 * Percent escapes undone, a character for each byte, in one pass over the bytes: text and value may
 * both be a stranger's, and a pattern would keep the process busy for as long as either is.
 *
 * @param escapes false where there are none: only the form is wanted in which a text is searched
 */
function unescaped(text: string, escapes = true): string {
  const bytes = new TextEncoder().encode(text)
  let length = 0
  for (let at = 0; at < bytes.length; at++, length++) {
    // Within the bounds of the loop; an escape that is cut off has no digits.
    const byte = bytes[at] as number
    const high = byte === PERCENT && escapes ? (HEX[bytes[at + 1] ?? 0] as number) : 0xff
    const low = high === 0xff ? high : (HEX[bytes[at + 2] ?? 0] as number)
    if (low === 0xff) bytes[length] = byte
    else {
      bytes[length] = high * 16 + low
      at += 2
    }
  }
  return CHARACTERS.decode(bytes.subarray(0, length))
}

/** The text with `***` for each stretch that reads as the value once its percent escapes are undone. */
function withoutEncoded(text: string, value: string): string {
  const units = text.match(/%[0-9a-f]{2}|./gisu) ?? []
  const bytes = units.map((unit) => unescaped(unit))
  const unitOf = bytes.flatMap((all, unit) => [...all].map(() => unit))
  const [wanted, decoded] = [unescaped(value, false), bytes.join('')]
  const kept: string[] = []
  let next = 0
  for (
    let at = decoded.indexOf(wanted);
    at >= 0;
    at = decoded.indexOf(wanted, at + wanted.length)
  ) {
    kept.push(...units.slice(next, unitOf[at]), HIDDEN)
    next = (unitOf[at + wanted.length - 1] ?? units.length) + 1
  }
  return [...kept, ...units.slice(next)].join('')
}

/** Base64 of the value in both alphabets, at each of its three alignments within a longer text. */
export function base64Forms(value: string): readonly string[] {
  const binary = byteString(value)
  const standard = [0, 1, 2].map((shift) => base64At(shift, binary))
  if (!standard.some((form) => /[+/]/.test(form))) return standard
  const urlSafe = standard.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))
  return [...standard, ...urlSafe]
}

/** Those characters of its base64 that depend on the value alone, not on what stands around it. */
function base64At(shift: number, binary: string): string {
  const encoded = btoa('\0'.repeat(shift) + binary)
  const whole = Math.floor(((shift + binary.length) * 8) / 6)
  return encoded.slice(Math.ceil((shift * 8) / 6), whole)
}

const LONGEST_PLAIN = 32

/**
 * What a setting holds, as an error shows it. A long text, or an address with a user, may be a secret
 * in the wrong place: of such a one only its length is told.
 */
export function shownSetting(text: string): string {
  const isPlain = text.length <= LONGEST_PLAIN && !text.includes('@')
  return isPlain ? JSON.stringify(text) : `a text of ${text.length} characters`
}

/**
 * Compares a secret with what someone presents, without telling by its duration how much of it was
 * right: both become a MAC under a key of one call, and those are compared by the platform.
 */
export async function sameText(a: string, b: string): Promise<boolean> {
  const key = await crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ])
  const mac = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(a))
  return crypto.subtle.verify('HMAC', key, mac, new TextEncoder().encode(b))
}
