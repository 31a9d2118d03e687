import { isMap, type Node } from 'yaml'
import type { TriggerNodes } from '../workflow/options.ts'
import { rangeOf } from '../workflow/yaml.ts'
import { linesOf } from './source-file.ts'
import { dedent, type Lines } from './yaml-lines.ts'

/** One entry of a mapping as the file has it, with the comments above it, at column 0. */
export interface EntryText {
  readonly nodes: TriggerNodes
  readonly lines: Lines
}

/**
 * The entries of a mapping as text; written in braces or as a list, each on lines of its own.
 *
 * @param entries all of them, in the order of the file
 */
export function entryTexts(
  text: string,
  collection: Node | null,
  entries: readonly TriggerNodes[],
): EntryText[] {
  return isMap(collection) && !collection.flow
    ? blockTexts(text, collection, entries)
    : entries.map((nodes) => ({ nodes, lines: inlineLines(text, nodes) }))
}

function blockTexts(text: string, map: Node, entries: readonly TriggerNodes[]): EntryText[] {
  const [first] = rangeOf(map)
  const column = first - (text.lastIndexOf('\n', first - 1) + 1)
  let start = aboveComments(text, linesOf(text, first, first).start)
  return entries.map((nodes) => {
    const { end } = linesOf(text, rangeOf(nodes.key)[0], rangeOf(nodes.options ?? nodes.key)[1])
    const lines = text.slice(start, end).replace(/\n$/, '').split('\n')
    start = end
    return { nodes, lines: levelComments(dedent(lines, column)) }
  })
}

/** Where the comment lines right above a line begin. */
function aboveComments(text: string, lineStart: number): number {
  const above = text.lastIndexOf('\n', lineStart - 2) + 1
  const isComment = lineStart > 0 && text.slice(above, lineStart).trimStart().startsWith('#')
  return isComment ? aboveComments(text, above) : lineStart
}

/** A comment further right than the key below it would set the indentation of the whole text. */
function levelComments(lines: Lines): string[] {
  const key = lines.findIndex((line) => !/^\s*(#|$)/.test(line))
  return lines.map((line, at) => (at < key ? line.trimStart() : line))
}

function inlineLines(text: string, { key, options }: TriggerNodes): string[] {
  const name = text.slice(...rangeOf(key))
  if (!options) return [`${name}:`]
  const [first = '', ...more] = text.slice(...rangeOf(options)).split('\n')
  return [`${name}: ${first}`, ...more.map((line) => `  ${line}`)]
}
