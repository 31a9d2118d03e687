import { byteString, percentDecode } from './bytes.ts'
import { UserError } from './errors.ts'

const HIDDEN = '***'

/** Shorter tokens are not searched for in other strings, because they could be part of any word. */
const SHORTEST_SCRUBBED = 20

/** A value that must not be printed. It prints as `***` in strings, JSON and the console. */
export class Secret {
  readonly #value: string
  #forms: readonly string[] | undefined

  constructor(value: string) {
    this.#value = value
  }

  /** The value itself, for the one call that needs it. */
  reveal(): string {
    return this.#value
  }

  /**
   * True if the string contains the value as it is, percent-encoded (any of its characters) or as
   * base64. Values of fewer than 20 characters are not searched for.
   */
  isIn(text: string): boolean {
    return this.#plainForms().some((form) => text.includes(form)) || this.#isPercentEncodedIn(text)
  }

  /** The string with every form of the value replaced by `***`. */
  scrub(text: string): string {
    const scrubbed = this.#plainForms().reduce((rest, form) => rest.replaceAll(form, HIDDEN), text)
    return this.#isPercentEncodedIn(scrubbed) ? withoutEncoded(scrubbed, this.#value) : scrubbed
  }

  /** The string with the value replaced where it is not encoded. */
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

  /**
   * Forms for a plain search. Compiling a pattern for the token of each request would be the main
   * cost of a search.
   */
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

/** True if the token can be in an `Authorization` header without changing other headers. */
export function isHeaderSafe(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token)
}

/**
 * The token in an environment variable.
 *
 * @throws UserError if no header can contain it, for example because of a line end from a file
 */
export function readToken(variable: string, text: string): Secret {
  if (isHeaderSafe(text)) return new Secret(text)
  throw new UserError({
    message: `${variable} holds a character that no token has`,
    hint: 'look for a line end or a space around it',
  })
}

/** Characters that are never escaped; most tokens contain no others. RFC 3986, section 2.3. */
const UNRESERVED = /^[\w.~-]+$/

/**
 * Percent escapes of such characters. A string without them cannot contain such a token in an
 * escaped form.
 */
const ESCAPED_UNRESERVED = /%(?:2[de]|3\d|[46][1-9a-f]|5[\daf]|7[\dae])/i

const CHARACTERS = new TextDecoder('latin1')

/**
 * Decodes percent escapes, to one character for each byte.
 *
 * @param escapes false if the string has none and only needs the same form
 */
function unescaped(text: string, escapes = true): string {
  const bytes = new TextEncoder().encode(text)
  return CHARACTERS.decode(escapes ? bytes.subarray(0, percentDecode(bytes)) : bytes)
}

/** The string with `***` for each part that equals the value after percent-decoding. */
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

/** Base64 of the value in both alphabets, at each of its three offsets within a longer string. */
export function base64Forms(value: string): readonly string[] {
  const binary = byteString(value)
  const standard = [0, 1, 2].map((shift) => {
    const encoded = btoa('\0'.repeat(shift) + binary)
    // Only these characters do not depend on the neighbors of the value.
    const whole = Math.floor(((shift + binary.length) * 8) / 6)
    return encoded.slice(Math.ceil((shift * 8) / 6), whole)
  })
  if (!standard.some((form) => /[+/]/.test(form))) return standard
  const urlSafe = standard.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))
  return [...standard, ...urlSafe]
}

const LONGEST_PLAIN = 32

/**
 * The value of a setting for an error. A long string, or an address with a user, may be a secret in
 * the wrong place, so only its length is shown.
 */
export function shownSetting(text: string): string {
  const isPlain = text.length <= LONGEST_PLAIN && !text.includes('@')
  return isPlain ? JSON.stringify(text) : `a text of ${text.length} characters`
}

/**
 * Compares a secret in constant time: both values become a MAC under a random key, and
 * `crypto.subtle.verify` compares those.
 */
export async function sameText(a: string, b: string): Promise<boolean> {
  const key = await crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, [
    'sign',
    'verify',
  ])
  const mac = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(a))
  return crypto.subtle.verify('HMAC', key, mac, new TextEncoder().encode(b))
}
