import { isMap, type Node } from 'yaml'
import { rangeOf } from '../workflow/options.ts'
import type { TriggerNodes } from '../workflow/reading.ts'
import type { SourceFile } from './source-file.ts'
import { linesOf } from './source-file.ts'
import { dedent, type Lines } from './yaml-lines.ts'

/** One key under `on:` as the file has it, with the comments above it, at column 0. */
export interface OnText {
  readonly nodes: TriggerNodes
  readonly lines: Lines
}

/** The keys of an `on:` section as text; in braces or as a list, each on lines of its own. */
export function onTexts({ source, on, triggers, native }: SourceFile): OnText[] {
  const all = [...triggers, ...native]
    .map(({ nodes }) => nodes)
    .sort((a, b) => rangeOf(a.key)[0] - rangeOf(b.key)[0])
  return isMap(on.value) && !on.value.flow
    ? blockTexts(source.text, on.value, all)
    : all.map((nodes) => ({ nodes, lines: inlineLines(source.text, nodes) }))
}

function blockTexts(text: string, on: Node, all: readonly TriggerNodes[]): OnText[] {
  const [first] = rangeOf(on)
  const column = first - (text.lastIndexOf('\n', first - 1) + 1)
  let start = linesOf(text, first, first).start
  return all.map((nodes) => {
    const { end } = linesOf(text, rangeOf(nodes.key)[0], endOf(nodes))
    const lines = withoutLastBreak(text.slice(start, end)).split('\n')
    start = end
    return { nodes, lines: levelComments(dedent(lines, column)) }
  })
}

function endOf({ key, options }: TriggerNodes): number {
  return rangeOf(options ?? key)[1]
}

function withoutLastBreak(text: string): string {
  return text.endsWith('\n') ? text.slice(0, -1) : text
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
