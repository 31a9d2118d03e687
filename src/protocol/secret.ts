const HIDDEN = '***'

/** Shorter tokens are not looked for in other text: they could be part of any word. */
const SHORTEST_SCRUBBED = 20

/** A value that must not be printed. It shows as `***` in text, JSON and the console. */
export class Secret {
  readonly #value: string
  #forms: readonly RegExp[] | undefined

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
    return this.#patterns().some((pattern) => text.search(pattern) >= 0)
  }

  /** The text with every form of the value replaced by `***`. */
  scrub(text: string): string {
    return this.#patterns().reduce((scrubbed, form) => scrubbed.replace(form, HIDDEN), text)
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

  #patterns(): readonly RegExp[] {
    if (this.#value.length < SHORTEST_SCRUBBED) return []
    this.#forms ??= [percentPattern(this.#value), base64Pattern(this.#value)]
    return this.#forms
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

/** Base64 of the value in either alphabet. */
function base64Pattern(value: string): RegExp {
  const forms = base64Forms(value).map((form) => form.replace(/\+/g, '[+-]').replace(/\//g, '[/_]'))
  return new RegExp(forms.join('|'), 'g')
}

/** How a value looks in the base64 of a longer text: one form for each of the three alignments. */
export function base64Forms(value: string): string[] {
  const binary = String.fromCharCode(...new TextEncoder().encode(value))
  return [0, 1, 2].map((shift) => {
    const encoded = btoa('\0'.repeat(shift) + binary).replace(/.?=+$/, '')
    return encoded.slice(Math.ceil((shift * 8) / 6))
  })
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
