import { isMap, isSeq, type Node } from 'yaml'
import type { TriggerNodes } from '../workflow/options.ts'
import { rangeOf } from '../workflow/yaml.ts'
import { columnOf, linesOf, type Span } from './spans.ts'

/** Lines of YAML, without line breaks. */
export type Lines = readonly string[]

/** Moves lines to the right; empty ones stay empty. */
export function indent(lines: Lines, by: number): string[] {
  return lines.map((line) => (line.trim() === '' ? '' : ' '.repeat(by) + line))
}

/** Moves lines to the left by up to so many columns. */
export function dedent(lines: Lines, by: number): string[] {
  return lines.map((line) => {
    const own = line.length - line.trimStart().length
    return line.slice(Math.min(by, own))
  })
}

/** A text as a scalar that YAML reads back as the same string. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** One entry of a mapping as the file has it, with the comments above it, at column 0. */
export interface EntryText {
  readonly nodes: TriggerNodes
  readonly lines: Lines
  /** Its lines in the file; `undefined` where it is written within a line. */
  readonly span: Span | undefined
}

/**
 * The entries of a mapping as text. Those of a list, and those in braces, become lines of a mapping.
 *
 * @param entries all of them, in the order of the file
 */
export function entryTexts(
  text: string,
  collection: Node | null,
  entries: readonly TriggerNodes[],
): EntryText[] {
  const isBlock = (isMap(collection) || isSeq(collection)) && !collection.flow
  if (!isBlock) {
    return entries.map((nodes) => {
      const { key, options } = nodes
      const name = text.slice(...rangeOf(key))
      const [first = '', ...more] = options ? text.slice(...rangeOf(options)).split('\n') : []
      const lines = [options ? `${name}: ${first}` : `${name}:`, ...more.map((line) => `  ${line}`)]
      return { nodes, lines, span: undefined }
    })
  }
  const [first] = rangeOf(collection)
  const column = columnOf(text, first)
  let start = aboveComments(text, linesOf(text, first, first).start)
  return entries.map((nodes) => {
    const { end } = linesOf(text, rangeOf(nodes.key)[0], rangeOf(nodes.options ?? nodes.key)[1])
    const span = { start, end }
    const written = dedent(text.slice(start, end).replace(/\n$/, '').split('\n'), column)
    start = end
    // `- push # why` becomes a key of a mapping.
    const lines = isSeq(collection)
      ? written.map((line) => line.replace(/^-\s+("[^"]*"|'[^']*'|[^\s#]+)/, '$1:'))
      : written
    // A comment further right than the key below it would set the indentation of the whole text.
    const at = lines.findIndex((line) => !/^\s*(#|$)/.test(line))
    const above = lines.slice(0, Math.max(0, at)).map((line) => line.trimStart())
    return { nodes, span, lines: [...above, ...lines.slice(above.length)] }
  })
}

/** Where the comment lines right above a line begin. */
export function aboveComments(text: string, lineStart: number): number {
  const above = text.lastIndexOf('\n', lineStart - 2) + 1
  const isComment = lineStart > 0 && text.slice(above, lineStart).trimStart().startsWith('#')
  return isComment ? aboveComments(text, above) : lineStart
}
