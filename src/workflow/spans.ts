import { Scalar } from 'yaml'

/** A part of a string, in UTF-16 units. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A part of a string, and its replacement. */
export interface Edit extends Span {
  readonly text: string
}

/**
 * Applies edits that do not overlap; every other character remains unchanged. Insertions at the
 * same offset keep their order, and come before a replacement at that offset.
 */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const parts: string[] = []
  let at = 0
  for (const edit of inOrder(edits)) {
    if (edit.start < at) throw new RangeError('edits overlap')
    parts.push(text.slice(at, edit.start), edit.text)
    at = edit.end
  }
  return parts.join('') + text.slice(at)
}

/**
 * The original offset of an offset in the edited string; within an inserted part, the start of that
 * edit.
 */
export function placeBefore(edits: readonly Edit[], place: number): number {
  let shift = 0
  for (const { start, end, text } of inOrder(edits)) {
    if (place < start + shift) break
    if (place < start + shift + text.length) return start
    shift += text.length - (end - start)
  }
  return place - shift
}

function inOrder(edits: readonly Edit[]): Edit[] {
  // The sort is stable, so insertions at the same offset keep their order.
  return edits.toSorted((one, other) => one.start - other.start || one.end - other.end)
}

/** The whole lines of a part, including the last line break. */
export function linesOf(text: string, start: number, end: number): Span {
  const last = trimmedEnd(text, start, Math.max(start + 1, end))
  const lineEnd = text.indexOf('\n', Math.max(start, last - 1))
  return {
    start: text.lastIndexOf('\n', start - 1) + 1,
    end: lineEnd < 0 ? text.length : lineEnd + 1,
  }
}

/** The end of a part without trailing white space. */
export function trimmedEnd(text: string, start: number, end: number): number {
  return start + text.slice(start, end).trimEnd().length
}

/** The column of an offset, from 0. */
export function columnOf(text: string, place: number): number {
  return place - (text.lastIndexOf('\n', place - 1) + 1)
}

/**
 * Maps characters of a scalar's value to its written form. The two differ by quotes, escapes,
 * indentation and folded lines.
 */
export class ScalarText {
  readonly value: string
  readonly #text: string
  readonly #scalar: Scalar
  /** Aligned when a position is asked for the first time, because most values are never shown. */
  #places: readonly Span[] | undefined

  /** @param scalar a parsed scalar whose value is a string */
  constructor(text: string, scalar: Scalar) {
    this.value = String(scalar.value)
    this.#text = text
    this.#scalar = scalar
  }

  /** The written position of the characters from `start` up to `end` of the value. */
  span(start: number, end: number): Span {
    this.#places ??= align(this.value, writtenUnits(this.#text, this.#scalar))
    const first = this.#places[start]
    const last = this.#places[end - 1]
    if (!first || !last) throw new RangeError('no such characters in the scalar')
    return { start: first.start, end: last.end }
  }
}

/**
 * One written character of a value: `a`, or an escape such as `''` and `
 * `.
 */
interface Unit extends Span {
  /** True if it is white space, or becomes white space or nothing. */
  readonly isWhite: boolean
}

function writtenUnits(text: string, { range, type }: Scalar): Unit[] {
  const [start, end] = range ?? [0, 0]
  const isSingle = type === Scalar.QUOTE_SINGLE
  const isDouble = type === Scalar.QUOTE_DOUBLE
  const isBlock = type === Scalar.BLOCK_LITERAL || type === Scalar.BLOCK_FOLDED
  const units: Unit[] = []
  let at = isBlock ? text.indexOf('\n', start) + 1 : isSingle || isDouble ? start + 1 : start
  while (at < end) {
    const length = isSingle && text.startsWith("''", at) ? 2 : 1
    const plain = { start: at, end: at + length, isWhite: WHITE.test(text[at] ?? '') }
    units.push(...(isDouble && text[at] === '\\' ? escapeUnits(text, at) : [plain]))
    at = units.at(-1)?.end ?? end
  }
  return units
}

const WHITE = /[\s\u0085]/
const HEX_DIGITS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 }

/** An escaped character beyond the basic plane is two UTF-16 units of the value. */
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
 * Aligns the value with its written form. Folding only changes white space, so every other
 * character of the value is the next written one; within white space the exact mapping does not
 * matter.
 */
function align(value: string, units: readonly Unit[]): Span[] {
  const places: Span[] = []
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

/** Lines of YAML, without line breaks. */
export type Lines = readonly string[]

/** Indents lines; empty lines remain empty. */
export function indent(lines: Lines, by: number): string[] {
  return lines.map((line) => (line.trim() === '' ? '' : ' '.repeat(by) + line))
}

/** Removes up to this many columns of indentation. */
export function dedent(lines: Lines, by: number): string[] {
  return lines.map((line) => {
    const own = line.length - line.trimStart().length
    return line.slice(Math.min(by, own))
  })
}

/** Quotes a string for YAML or for an expression, which have the same rule. */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
