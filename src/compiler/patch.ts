import { isScalar, isSeq, type Node, type Pair, parse, type Scalar, type YAMLMap } from 'yaml'
import {
  columnOf,
  type Edit,
  indent,
  type Lines,
  linesOf,
  type Span,
  trimmedEnd,
} from '../workflow/spans.ts'
import { rangeOf } from '../workflow/yaml.ts'

/**
 * A change of a YAML text. What shape the text has there (a block or braces, quotes, a list over
 * several lines, nothing at all) and whose a comment is, is known here alone: who asks for a change
 * names a mapping and a key.
 */
export type Operation =
  /** Another value for a key that is there; several lines are the key's own line and those below. */
  | { readonly op: 'set'; readonly map: YAMLMap; readonly key: string; readonly value: Lines }
  /** A key goes, with its comments. */
  | { readonly op: 'remove'; readonly map: YAMLMap; readonly key: string }
  /** Entries that the mapping does not have yet, as lines at column 0. */
  | {
      readonly op: 'insert'
      readonly map: YAMLMap
      readonly lines: Lines
      readonly where?: Where
      /** The key that the mapping stands under, which tells where one without entries is. */
      readonly owner?: Node
    }
  /** Names that come to stand before those of a list. */
  | { readonly op: 'prepend'; readonly map: YAMLMap; readonly key: string; readonly names: Lines }

/** Where new entries stand: before all others, where nothing is said. */
type Where = { readonly after: string } | { readonly before: string }

/** The edits that make the changes. What comes to stand at one place stands there in their order. */
export function patchEdits(text: string, operations: readonly Operation[]): Edit[] {
  return operations.flatMap((operation) => {
    if (operation.op === 'set') return setEdits(text, operation.map, operation.key, operation.value)
    if (operation.op === 'remove') return removeEdits(text, operation.map, operation.key)
    if (operation.op === 'insert') return [insertEdit(text, operation)]
    return prependEdits(text, operation.map, operation.key, operation.names)
  })
}

/** A key with its value, as a parsed document holds them: nodes only. */
export type NodePair = Pair<Node, Node | null>

export function pairsOf(map: { readonly items: readonly unknown[] }): NodePair[] {
  return map.items as NodePair[] // a parsed document holds nodes only
}

export function keyOf({ key }: Pair): string {
  return String(isScalar(key) ? key.value : key)
}

export function pairOf(map: YAMLMap, key: string): NodePair | undefined {
  return pairsOf(map).find((pair) => keyOf(pair) === key)
}

/**
 * The lines of an entry: from its key to the end of its value, and the comments below that stand
 * further right than the key. Those above it, and those at its own column below, are not among them.
 */
export function entryLines(text: string, { key, value }: NodePair): Span {
  const [keyStart, keyEnd] = rangeOf(key)
  const valueEnd = value ? rangeOf(value)[1] : 0
  const { start, end } = linesOf(text, keyStart, Math.max(keyEnd, valueEnd))
  return { start, end: commentsBelow(text, end, columnOf(text, keyStart)) }
}

/** Where the comment lines right above a line begin. */
export function aboveComments(text: string, lineStart: number): number {
  const above = text.lastIndexOf('\n', lineStart - 2) + 1
  const isComment = lineStart > 0 && text.slice(above, lineStart).trimStart().startsWith('#')
  return isComment ? aboveComments(text, above) : lineStart
}

/** Where the comments that stand further right than a column end, empty lines between them included. */
function commentsBelow(text: string, from: number, column: number): number {
  let end = from
  for (let at = from; at < text.length; ) {
    const next = text.indexOf('\n', at)
    const lineEnd = next < 0 ? text.length : next + 1
    const [line = ''] = text.slice(at, lineEnd).split('\n')
    const word = line.trimStart()
    if (word !== '' && !(word.startsWith('#') && line.length - word.length > column)) break
    if (word !== '') end = lineEnd
    at = lineEnd
  }
  return end
}

/** Where the value of a key stands; where it has none, after its colon. */
function valueSpan(text: string, { key, value }: NodePair): Span & { readonly isEmpty: boolean } {
  const [start, end] = value ? rangeOf(value) : [0, 0]
  if (end > start) return { start, end: trimmedEnd(text, start, end), isEmpty: false }
  const colon = text.indexOf(':', rangeOf(key)[1]) + 1
  return { start: colon, end: colon, isEmpty: true }
}

function setEdits(text: string, map: YAMLMap, key: string, [first = '', ...more]: Lines): Edit[] {
  const pair = pairOf(map, key)
  if (!pair) return []
  const span = valueSpan(text, pair)
  const written = text.slice(span.start, span.end)
  // What is said behind the mark of a block stays on its line.
  const comment = /^[|>][-+\d]*[ \t]+(#[^\n]*)/.exec(written)?.[1]
  const head = `${span.isEmpty ? ' ' : ''}${first}${comment ? ` ${comment}` : ''}`
  if (more.length === 0) return [{ start: span.start, end: span.end, text: head }]
  const column = columnOf(text, rangeOf(pair.key)[0])
  const { end } = linesOf(text, span.start, span.end)
  const body = asLines(more, blockColumn(text, end, column))
  const isLastLine = text[end - 1] !== '\n'
  return [
    { start: span.start, end: span.end, text: head },
    { start: end, end, text: isLastLine ? `\n${body.trimEnd()}` : body },
  ]
}

/** How far a block stands in, so that the comments below it do not become a part of its text. */
function blockColumn(text: string, from: number, column: number): number {
  const comments = text.slice(from, commentsBelow(text, from, column)).split('\n')
  const columns = comments.filter((line) => line.trim() !== '').map((line) => line.search(/\S/))
  const furthest = Math.max(column, ...columns)
  return furthest > column ? Math.max(furthest + 1, column + 2) : column + 2
}

function removeEdits(text: string, map: YAMLMap, key: string): Edit[] {
  const pair = pairOf(map, key)
  if (!pair) return []
  const { start, end } = entryLines(text, pair)
  return [{ start: aboveComments(text, start), end, text: '' }]
}

function insertEdit(
  text: string,
  { map, lines, where, owner }: Extract<Operation, { op: 'insert' }>,
): Edit {
  const pairs = pairsOf(map)
  const [first] = pairs
  if (map.flow || !first) {
    const start = rangeOf(map)[0] + 1
    return { start, end: start, text: inline(lines) + (first ? ', ' : '') }
  }
  const column = columnOf(text, rangeOf(first.key)[0])
  const at = placeFor(text, map, first, where, owner)
  return { start: at, end: at, text: asLines(lines, column) }
}

function placeFor(
  text: string,
  map: YAMLMap,
  first: NodePair,
  where: Where | undefined,
  owner: Node | undefined,
): number {
  const named = where && pairOf(map, 'after' in where ? where.after : where.before)
  if (where && named) {
    const { start, end } = entryLines(text, named)
    return 'after' in where ? end : aboveComments(text, start)
  }
  // What is said right behind the key above is about that, however far it stands in.
  const { start } = entryLines(text, first)
  const above = aboveComments(text, start)
  if (!owner) return above
  const head = linesOf(text, ...rangeOf(owner)).end
  const column = columnOf(text, rangeOf(first.key)[0])
  return Math.max(above, commentsBelow(text, head, column))
}

function prependEdits(text: string, map: YAMLMap, key: string, names: Lines): Edit[] {
  const pair = pairOf(map, key)
  const value = pair?.value
  if (!pair || !isSeq(value)) return []
  const [start] = rangeOf(value)
  if (value.flow) {
    const at = start + 1
    const isEmpty = value.items.length === 0
    return [{ start: at, end: at, text: names.join(', ') + (isEmpty ? '' : ', ') }]
  }
  const line = linesOf(text, start, start).start
  const lines = names.map((name) => `- ${name}`)
  return [{ start: line, end: line, text: asLines(lines, columnOf(text, start)) }]
}

/** Whether a list stands on several lines, so that names are better put in than written anew. */
export function isLongList(text: string, node: Node | null): boolean {
  if (!isSeq(node)) return false
  return (
    !node.flow ||
    text
      .slice(...rangeOf(node))
      .trimEnd()
      .includes('\n')
  )
}

/** Lines of block YAML as entries that stand within braces. */
export function inline(lines: Lines): string {
  const value: unknown = parse(lines.join('\n'))
  return JSON.stringify(value).slice(1, -1)
}

export function asLines(lines: Lines, column: number): string {
  return indent(lines, column)
    .map((line) => `${line}\n`)
    .join('')
}

/** Whether a scalar is a block: its text is the lines below its key. */
export function isBlock(scalar: Scalar): boolean {
  return scalar.type === 'BLOCK_FOLDED' || scalar.type === 'BLOCK_LITERAL'
}
