import { isFence, isFenceEnd } from './markdown.ts'

/** What of a text is measured, and where a cut may be. */
export interface Measure {
  readonly longest: number
  /** The length of a line, or of some, in the form in which they are sent. */
  length(text: string): number
  /** Whether lines of ``` open and close blocks of code, which are closed and opened again at a cut. */
  readonly hasFences: boolean
  /** Whether `<` and `&` begin tags and entities, which no cut may go through. */
  readonly hasTags?: boolean
}

const END = '```'

/**
 * Cuts a text into parts that fit: at lines, a line that is too long at a space, and a word that is too
 * long anywhere but within a character. Nothing is left out.
 *
 * @param most how many parts; all that is left is the last one, however long
 */
export function splitText(text: string, measure: Measure, most = Infinity): string[] {
  if (measure.length(text) <= measure.longest) return [text]
  const parts: string[] = []
  // A line of code counts as it does within a block.
  const frame = measure.length(`${END}\n\n${END}`)
  const inCode = (line: string) => measure.length(`${END}\n${line}\n${END}`) - frame
  let lines: string[] = []
  let [used, fence]: [number, string | undefined] = [0, undefined]
  const room = (open: string | undefined) =>
    measure.longest - used - (open === undefined ? 0 : END.length + 1)
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
    if (length > room(open)) cut()
    while (!isMark && length > room(open) && parts.length + 1 < most) {
      const kept = fittingStart(rest, (start) => size(start) <= room(open), measure)
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

/** How much of a line fits: up to a space where there is one in its second half. At least a character. */
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
  // Half of a surrogate pair is no character.
  return at > 1 && /[\ud800-\udbff]/.test(line[at - 1] ?? '') ? at - 1 : at
}

/** What of a text fits, with a note behind it. */
export function cutShort(text: string, note: string, measure: Measure): string {
  const longest = measure.longest - measure.length(note)
  return `${splitText(text, { ...measure, longest }, 2)[0] ?? ''}${note}`
}
