import { Scalar } from 'yaml'

/** A stretch of a source text, in UTF-16 units. */
export interface Stretch {
  readonly start: number
  readonly end: number
}

/**
 * Finds the characters of a scalar's value in the text it was written as: quotes, escapes,
 * indentation and folded lines make the two differ.
 */
export class ScalarText {
  readonly #places: readonly Stretch[]
  readonly value: string

  /** @param scalar a parsed scalar whose value is a string */
  constructor(text: string, scalar: Scalar) {
    this.value = String(scalar.value)
    this.#places = align(this.value, writtenUnits(text, scalar))
  }

  /** Where the characters from `start` up to `end` of the value stand. */
  stretch(start: number, end: number): Stretch {
    const first = this.#places[start]
    const last = this.#places[end - 1]
    if (!first || !last) throw new RangeError('no such characters in the scalar')
    return { start: first.start, end: last.end }
  }
}

/** One character of a value as it was written: `a`, or an escape such as `''` and `\n`. */
interface Unit extends Stretch {
  /** True when it is white space, or becomes some, or nothing at all. */
  readonly isWhite: boolean
}

function writtenUnits(text: string, { range, type }: Scalar): Unit[] {
  const [start, end] = range ?? [0, 0]
  const units: Unit[] = []
  for (let at = contentStart(text, start, type); at < end; at = units.at(-1)?.end ?? end) {
    units.push(...unitsAt(text, at, type))
  }
  return units
}

function contentStart(text: string, start: number, type: Scalar['type']): number {
  if (type === Scalar.QUOTE_SINGLE || type === Scalar.QUOTE_DOUBLE) return start + 1
  const isBlock = type === Scalar.BLOCK_LITERAL || type === Scalar.BLOCK_FOLDED
  return isBlock ? text.indexOf('\n', start) + 1 : start
}

function unitsAt(text: string, start: number, type: Scalar['type']): Unit[] {
  if (type === Scalar.QUOTE_DOUBLE && text[start] === '\\') return escapeUnits(text, start)
  const end = start + (type === Scalar.QUOTE_SINGLE && text.startsWith("''", start) ? 2 : 1)
  return [{ start, end, isWhite: WHITE.test(text[start] ?? '') }]
}

const WHITE = /[\s\u0085]/
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }

/** An escaped character beyond the basic plane is two characters of the value. */
function escapeUnits(text: string, start: number): Unit[] {
  const digits = HEX_DIGITS[text[start + 1] ?? ''] ?? 0
  const end = start + 2 + digits
  const code = Number.parseInt(text.slice(start + 2, end), 16)
  const isWhite = digits
    ? WHITE.test(String.fromCodePoint(code))
    : /[ \t\r\nnrtvfNLP_]/.test(text[start + 1] ?? '')
  const unit = { start, end, isWhite }
  return code > 0xffff ? [unit, unit] : [unit]
}

/**
 * Folding changes white space only: so every other character of the value is the next written one,
 * and within a run of white space it does not matter which stands for which.
 */
function align(value: string, units: readonly Unit[]): Stretch[] {
  const places: Stretch[] = []
  let next = 0
  for (let at = 0; at < value.length; at++) {
    const white = WHITE.test(value[at] ?? '')
    while (!white && units[next]?.isWhite) next++
    const unit = units[next] ?? units.at(-1)
    if (!unit) break
    places.push(unit)
    if (!white || unit.isWhite) next++
  }
  return places
}
