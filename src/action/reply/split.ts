import type { Content } from './chat.ts'
import { beforePair, mostThat, splitMarkdown } from './markdown/split.ts'
import { textSpans } from './markdown/tree.ts'

/** How a content is measured, and where it may be cut. */
export interface Measure {
  readonly maxLength: number
  /** The length after formatting. */
  length(content: Content): number
  /** Whether lines of three or more backticks or tildes delimit blocks of code in a text. */
  readonly hasFences: boolean
  /** Whether `<` and `&` begin tags and entities, which must not be cut. */
  readonly hasTags?: boolean
}

/**
 * Splits a content into parts that fit, without losing any of it: a tree between its blocks; a text at line
 * breaks, a line that is too long at a space, a word that is too long between characters.
 *
 * @param most the number of parts; the last part holds the rest, of any length
 */
export function splitContent(content: Content, measure: Measure, most = Infinity): Content[] {
  if (measure.length(content) <= measure.maxLength) return [content]
  return typeof content === 'string'
    ? splitText(content, measure, most)
    : splitMarkdown(content, measure, most)
}

/** A line that opens a block of code, or may close it: https://spec.commonmark.org/0.31.2/#fenced-code-blocks */
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})(.*)$/

/** The fence after a line: the line that opened it, or `undefined` outside of code. */
function fenceAfter(line: string, fence: string | undefined): string | undefined {
  const [, marks = '', rest = ''] = FENCE.exec(line) ?? []
  if (marks === '') return fence
  if (fence === undefined) return line
  const end = endOf(fence)
  const closes = marks.startsWith(end) && rest.trim() === ''
  return closes ? undefined : fence
}

function endOf(fence: string): string {
  return FENCE.exec(fence)?.[1] ?? ''
}

function splitText(text: string, measure: Measure, most: number): string[] {
  const parts: string[] = []
  let lines: string[] = []
  let [used, fence]: [number, string | undefined] = [0, undefined]
  const remaining = (open: string | undefined) =>
    measure.maxLength - used - (open === undefined ? 0 : endOf(open).length + 1)
  const cut = () => {
    if (lines.some((line) => line.trim() !== '' && line !== fence)) {
      parts.push([...lines, ...(fence === undefined ? [] : [endOf(fence)])].join('\n'))
    }
    lines = fence === undefined ? [] : [fence]
    used = fence === undefined ? 0 : fence.length + 1
  }
  const all = text.split('\n')
  for (const [at, line] of all.entries()) {
    const open: string | undefined = measure.hasFences ? fenceAfter(line, fence) : undefined
    const isMark = open !== fence
    let [rest, length] = [line, measure.length(line)]
    if (length > remaining(open)) {
      cut()
      // The part before this line is closed already; another one would be an empty block.
      if (isMark && open === undefined) {
        lines = []
        used = 0
        fence = undefined
        continue
      }
    }
    while (!isMark && length > remaining(open) && parts.length + 1 < most) {
      const kept = fittingStart(rest, (start) => measure.length(start) <= remaining(open), measure)
      lines.push(rest.slice(0, kept))
      cut()
      rest = rest.slice(kept).replace(/^ /, '')
      length = measure.length(rest)
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
  const low = Math.max(
    1,
    mostThat(line.length, (many) => fits(line.slice(0, many))),
  )
  const space = line.lastIndexOf(' ', low)
  const at = space > low / 2 ? space : low
  const begun = hasTags ? /(?:<[^>]*|&\w*)$/.exec(line.slice(Math.max(0, at - 2_000), at)) : null
  if (begun && begun[0].length < at) return at - begun[0].length
  return Math.max(1, beforePair(line, at))
}

/** The start of a content that fits, followed by a note. */
export function cutShort(content: Content, note: string, measure: Measure): Content {
  const maxLength = measure.maxLength - measure.length(`\n\n${note}`)
  const [start = ''] = splitContent(content, { ...measure, maxLength }, 2)
  if (typeof start === 'string') return `${start}\n${note}`
  return [...start, { kind: 'paragraph', isApart: false, spans: textSpans(note) }]
}
