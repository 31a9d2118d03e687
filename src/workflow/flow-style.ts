import { isPair, type Node, parse, type YAMLMap, type YAMLSeq } from 'yaml'
import { columnOf, type Edit, type Lines } from './spans.ts'
import { rangeOf } from './yaml.ts'

/* Positions and edits of entries in flow style: within braces and brackets. */

/** The offset of the comma between two entries in braces; commas in comments do not count. */
export function commaBetween(text: string, start: number, end: number): number | undefined {
  const found = /^(?:\s|(?<=\s)#[^\n]*)*,/.exec(text.slice(start, end))?.[0]
  return found === undefined ? undefined : start + found.length - 1
}

/**
 * Extends a removal in braces by the white space after it, and to the whole line if nothing else is
 * on it.
 */
export function wholeLine(text: string, { start, end }: Edit): Edit {
  const behind = /[ \t]*/y
  behind.lastIndex = end
  const stop = end + (behind.exec(text)?.[0].length ?? 0)
  const lineStart = start - columnOf(text, start)
  const isAlone = text.slice(lineStart, start).trim() === '' && text[stop] === '\n'
  return isAlone ? { start: lineStart, end: stop + 1, text: '' } : { start, end: stop, text: '' }
}

/** The end of the last entry of a collection in braces. */
export function endOfLast(collection: YAMLMap | YAMLSeq): number | undefined {
  const last: unknown = collection.items.at(-1)
  const node = isPair(last) ? ((last.value ?? last.key) as Node) : (last as Node | undefined)
  return node ? rangeOf(node)[1] : undefined
}

/** A value within braces, where it must be on one line. */
export function inFlow(lines: Lines): string {
  const [only = ''] = lines
  const isFlow = lines.length === 1 && /^[[{"']/.test(only)
  return isFlow ? only : flowText(parse(lines.join('\n')))
}

export function entriesInFlow(lines: Lines): string {
  return flowText(parse(lines.join('\n'))).slice(1, -1)
}

/** A value in braces or brackets as people write it: quoted only if needed. */
function flowText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flowText).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
    return `{${entries.map(([key, one]) => `${flowText(key)}: ${flowText(one)}`).join(', ')}}`
  }
  if (typeof value !== 'string') return JSON.stringify(value)
  if (/^(?!(?:true|false|null)$)[A-Za-z_][\w-]*$/i.test(value)) return value
  return /["\\]/.test(value) && /^[ -&(-~]*$/.test(value) ? `'${value}'` : JSON.stringify(value)
}
