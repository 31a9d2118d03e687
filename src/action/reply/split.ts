import { isFence, isFenceEnd } from './markdown.ts'

/** How a text is measured, and where it may be cut. */
export interface Measure {
  readonly maxLength: number
  /** The length of one or more lines after formatting. */
  length(text: string): number
  /** Whether ``` lines delimit blocks of code; a cut closes the block and opens it again. */
  readonly hasFences: boolean
  /** Whether `<` and `&` begin tags and entities, which must not be cut. */
  readonly hasTags?: boolean
}

const END = '```'

/**
 * Splits a text into parts that fit, without losing any of it: at line breaks; a line that is too long
 * at a space; a word that is too long between characters.
 *
 * @param most the number of parts; the last part holds the rest, of any length
 */
export function splitText(text: string, measure: Measure, most = Infinity): string[] {
  if (measure.length(text) <= measure.maxLength) return [text]
  const parts: string[] = []
  // A line of code is measured within a block.
  const frame = measure.length(`${END}\n\n${END}`)
  const inCode = (line: string) => measure.length(`${END}\n${line}\n${END}`) - frame
  let lines: string[] = []
  let [used, fence]: [number, string | undefined] = [0, undefined]
  const remaining = (open: string | undefined) =>
    measure.maxLength - used - (open === undefined ? 0 : END.length + 1)
  const cut = () => {
    if (lines.some((line) => line.trim() !== '' && line !== fence)) {
      parts.push([...lines, ...(fence === undefined ? [] : [END])].join('\n'))
    }
    lines = fence === undefined ? [] : [fence]
    used = fence === undefined ? 0 : fence.length + 1
  }
  const all = text.split('\n')
  for (const [at, line] of all.entries()) {
    const isMark: boolean =
      measure.hasFences && (fence === undefined ? isFence(line) : isFenceEnd(line))
    const open: string | undefined = isMark ? (fence === undefined ? line : undefined) : fence
    const size = (piece: string) => {
      if (isMark) return piece.length
      return fence === undefined ? measure.length(piece) : inCode(piece)
    }
    let [rest, length] = [line, size(line)]
    if (length > remaining(open)) cut()
    while (!isMark && length > remaining(open) && parts.length + 1 < most) {
      const kept = fittingStart(rest, (start) => size(start) <= remaining(open), measure)
      lines.push(rest.slice(0, kept))
      cut()
      rest = rest.slice(kept).replace(/^ /, '')
      length = size(rest)
    }
    lines.push(rest)
    used += length + 1
    fence = open
    if (parts.length + 1 < most) continue
    lines = [...lines, ...all.slice(at + 1)]
    break
  }
  fence = undefined
  cut()
  return parts
}

/** The length of the start that fits, at least one character; prefers a space in the second half. */
function fittingStart(
  line: string,
  fits: (start: string) => boolean,
  { hasTags }: Measure,
): number {
  // Not the whole line is measured, of which a part is asked for.
  let [low, high] = [1, 64]
  while (high < line.length && fits(line.slice(0, high))) [low, high] = [high, high * 2]
  high = Math.min(high, line.length)
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits(line.slice(0, middle))) low = middle
    else high = middle - 1
  }
  const space = line.lastIndexOf(' ', low)
  const at = space > low / 2 ? space : low
  const begun = hasTags ? /(?:<[^>]*|&\w*)$/.exec(line.slice(Math.max(0, at - 2_000), at)) : null
  if (begun && begun[0].length < at) return at - begun[0].length
  // Do not cut a surrogate pair.
  return at > 1 && /[\ud800-\udbff]/.test(line[at - 1] ?? '') ? at - 1 : at
}

/** The start of a text that fits, followed by a note. */
export function cutShort(text: string, note: string, measure: Measure): string {
  const maxLength = measure.maxLength - measure.length(note)
  return `${splitText(text, { ...measure, maxLength }, 2)[0] ?? ''}${note}`
}
