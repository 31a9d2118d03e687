import { byteString } from './bytes.ts'

const HIDDEN = '***'

/** Shorter tokens are not looked for in other text: they could be part of any word. */
const SHORTEST_SCRUBBED = 20

/** A value that must not be printed. It shows as `***` in text, JSON and the console. */
export class Secret {
  readonly #value: string
  #forms: readonly string[] | undefined
  #percentEncoded: RegExp | undefined

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
    if (!this.#isPercentEncodedIn(scrubbed)) return scrubbed
    return scrubbed.replace(this.#percentPattern(), HIDDEN)
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
    return text.search(this.#percentPattern()) >= 0
  }

  #percentPattern(): RegExp {
    this.#percentEncoded ??= percentPattern(this.#value)
    return this.#percentEncoded
  }
}

/** Each character of the value as itself or as its percent escapes. */
function percentPattern(value: string): RegExp {
  const characters = [...value].map((char) => {
    const escapes = [...new TextEncoder().encode(char)].map(percentEscape).join('')
    return `(?:${escapeRegExp(char)}|${escapes})`
  })
  return new RegExp(characters.join(''), 'gu')
}

function percentEscape(byte: number): string {
  const digits = byte.toString(16).padStart(2, '0')
  return `%${digits.replace(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)}`
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

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/**
 * A text with asterisks for whatever looks like a bot's token, as many as it has characters, so that
 * columns stay. For texts that quote what a person wrote, who may have put a token in the wrong place.
 */
export function withoutBotTokens(text: string): string {
  return text.replace(/\d{5,}:[\w-]{20,}/g, (token) => '*'.repeat(token.length))
}
