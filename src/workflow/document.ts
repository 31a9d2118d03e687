import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import type { Source } from '../wire/errors.ts'
import { SCALAR, TOKEN_MARKS } from './github-yaml.ts'
import { columnOf, linesOf, type Span, trimmedEnd } from './spans.ts'
import { type NodePair, type Path, pairKey, pairsOf, parseYaml, pathKey, rangeOf } from './yaml.ts'

/** An entry of a mapping or a list in block style: it has lines of its own, without braces. */
export interface BlockEntry {
  readonly path: Path
  /** `undefined` for an item of a list. */
  readonly key: Node | undefined
  readonly value: Node | null
  /** The offset of its key or its dash, and the column of that offset. */
  readonly start: number
  readonly column: number
  /** The offset after its value, without comments and white space. */
  readonly end: number
}

interface Comment extends Span {
  /** The path of the entry that the comment describes; empty if it describes the whole file. */
  readonly owner: Path
  /**
   * `above`: on lines before its owner; `beside`: on a line of it; `below`: on lines at its end.
   */
  readonly role: 'above' | 'beside' | 'below'
}

/**
 * A workflow file by its lines: which lines belong to which entry, and which comments to which
 * entry.
 *
 * A comment beside an entry belongs to that entry. A comment on a line of its own belongs to the
 * next entry, unless the comment is indented deeper: then it ends the previous entry that is less
 * indented.
 */
export class DocumentLines {
  readonly text: string
  readonly yaml: Document.Parsed
  #entries: ReadonlyMap<string, BlockEntry> | undefined
  #comments: readonly Comment[] | undefined
  #byOwner: ReadonlyMap<string, readonly Comment[]> | undefined

  constructor(text: string, yaml: Document.Parsed) {
    this.text = text
    this.yaml = yaml
  }

  /** @throws UserError with the syntax errors of the file */
  static of(source: Source): DocumentLines {
    return new DocumentLines(source.text, parseYaml(source))
  }

  /** Every entry in block style by `pathKey`, in the order of the file. */
  get entries(): ReadonlyMap<string, BlockEntry> {
    this.#entries ??= new Map(
      blockEntries(this.text, this.yaml.contents as Node | null).map((entry) => [
        pathKey(entry.path),
        entry,
      ]),
    )
    return this.#entries
  }

  entry(path: Path): BlockEntry | undefined {
    return this.entries.get(pathKey(path))
  }

  /** All comments in the order of the file. */
  get comments(): readonly Comment[] {
    this.#comments ??= this.text.includes('#')
      ? commentsOf(this.text, [...this.entries.values()])
      : []
    return this.#comments
  }

  commentsOf(path: Path): readonly Comment[] {
    this.#byOwner ??= grouped(this.comments)
    return this.#byOwner.get(pathKey(path)) ?? []
  }

  /**
   * The whole lines of an entry: those of its value, and the comments of it and of entries below
   * it. Blank lines before and after are not included, but those that a text keeps are.
   */
  linesOf(entry: BlockEntry): Span {
    const own = linesOf(this.text, entry.start, entry.end)
    const above = this.commentsOf(entry.path).filter(({ role }) => role === 'above')
    const first = above[0]
    const start = first ? linesOf(this.text, first.start, first.end).start : own.start
    return { start, end: this.#endWithComments(entry, Math.max(own.end, entry.end)) }
  }

  /** The start of the blank lines before an offset, without those that a text keeps. */
  blanksAbove(lineStart: number): number {
    let start = blanksAbove(this.text, lineStart)
    for (const { end } of this.entries.values()) if (end <= lineStart) start = Math.max(start, end)
    return start
  }

  /** The offset after the comments that end an entry, or an entry below it. */
  #endWithComments(entry: BlockEntry, end: number): number {
    let at = end
    for (const { start, owner, role, end: stop } of this.comments) {
      if (start < end) continue
      const isWithin = entry.path.every((key, index) => owner[index] === key)
      if (!isWithin || role !== 'below') break
      at = linesOf(this.text, start, stop).end
    }
    return at
  }
}

function grouped(comments: readonly Comment[]): Map<string, Comment[]> {
  const groups = new Map<string, Comment[]>()
  for (const comment of comments) {
    const key = pathKey(comment.owner)
    const group = groups.get(key)
    if (group) group.push(comment)
    else groups.set(key, [comment])
  }
  return groups
}

function blockEntries(text: string, top: Node | null): BlockEntry[] {
  const entries: BlockEntry[] = []
  const walk = (node: Node | null, path: Path): number => {
    if (isMap(node) && !node.flow) return mapEntries(node, path)
    if (isSeq(node) && !node.flow) return itemEntries(node.items as (Node | null)[], node, path)
    return node ? nodeEnd(text, node) : 0
  }
  const add = (entry: Omit<BlockEntry, 'end'>, least: number): number => {
    const at = entries.push({ ...entry, end: 0 }) - 1
    const end = Math.max(least, walk(entry.value, entry.path))
    entries[at] = { ...entry, end }
    return end
  }
  const mapEntries = (node: YAMLMap, path: Path): number => {
    let end = 0
    for (const pair of pairsOf(node)) {
      const [start, keyEnd] = rangeOf(pair.key)
      const least = Math.max(keyEnd, text.indexOf(':', keyEnd) + 1)
      const { key, value } = pair
      const column = columnOf(text, start)
      end = add({ path: [...path, pairKey(pair)], key, value, start, column }, least)
    }
    return end
  }
  const itemEntries = (items: readonly (Node | null)[], node: Node, path: Path): number => {
    let [start] = rangeOf(node)
    let end = start
    const column = columnOf(text, start)
    items.forEach((value, at) => {
      if (at > 0) start = dashFrom(text, end, column)
      end = add({ path: [...path, at], key: undefined, value, start, column }, start + 1)
    })
    return end
  }
  walk(top, [])
  return entries
}

/** The dash of the next item of a list, on a line of its own. */
function dashFrom(text: string, from: number, column: number): number {
  // A text that keeps its last empty lines ends at the start of a line.
  let line = text.indexOf('\n', from - 1) + 1
  while (line > 0 && line < text.length) {
    const place = line + column
    if (text[place] === '-' && text.slice(line, place).trim() === '') return place
    line = text.indexOf('\n', line) + 1
  }
  return from
}

function nodeEnd(text: string, node: Node): number {
  const [start, end] = rangeOf(node)
  // The trailing empty lines belong to a scalar with `|+`.
  const isKept =
    isScalar(node) &&
    (node.type === Scalar.BLOCK_LITERAL || node.type === Scalar.BLOCK_FOLDED) &&
    /^[|>]\d?\+/.test(text.slice(start, start + 3))
  return isKept ? end : trimmedEnd(text, start, end)
}

/** The start of the blank lines above a line; the start of the line itself if there are none. */
function blanksAbove(text: string, lineStart: number): number {
  let start = lineStart
  while (start > 0) {
    // `lastIndexOf` searches from 0 if the index is negative, so the first line is a case of its own.
    const above = start === 1 ? 0 : text.lastIndexOf('\n', start - 2) + 1
    if (text.slice(above, start).trim() !== '') return start
    start = above
  }
  return start
}

function commentsOf(text: string, entries: readonly BlockEntry[]): Comment[] {
  const comments: Comment[] = []
  let at = 0
  let before = ''
  let next = 0
  for (const token of new Lexer().lex(text)) {
    if (!TOKEN_MARKS.has(token)) {
      if (token.startsWith('#') && before !== SCALAR) {
        while (entries[next] && (entries[next]?.start ?? 0) < at) next++
        comments.push(commentAt(text, entries, next, { start: at, end: at + token.length }))
      }
      at += token.length
    }
    before = token
  }
  return comments
}

/** @param next the first entry that begins after the comment */
function commentAt(
  text: string,
  entries: readonly BlockEntry[],
  next: number,
  span: Span,
): Comment {
  const column = columnOf(text, span.start)
  const isAlone = text.slice(span.start - column, span.start).trim() === ''
  const last = entries[next - 1]
  if (!isAlone) return { ...span, owner: last?.path ?? [], role: 'beside' }
  // The comment is within braces, or before a value that begins on a line of its own.
  if (last && span.start < last.end && !isBlock(last.value)) {
    return { ...span, owner: last.path, role: 'beside' }
  }
  const following = entries[next]
  if (following && column <= following.column) {
    return { ...span, owner: following.path, role: 'above' }
  }
  // A parent begins before its entry and in a smaller column, so the nearest such line is the
  // parent.
  let deepest = Number.POSITIVE_INFINITY
  for (let at = next - 1; at >= 0; at--) {
    const entry = entries[at]
    if (!entry || entry.column >= deepest) continue
    deepest = entry.column
    if (deepest < column) return { ...span, owner: entry.path, role: 'below' }
  }
  return { ...span, owner: [], role: 'below' }
}

/** Whether a comment is below the line of a key, and above a value that begins on a line of its own. */
export function isUnderKey(text: string, { key, value }: NodePair, { start }: Span): boolean {
  const isAboveValue = value !== null && start < rangeOf(value)[0]
  return isAboveValue && text.slice(rangeOf(key)[1], start).includes('\n')
}

export function isBlock(node: unknown): node is YAMLMap | YAMLSeq {
  return (isMap(node) || isSeq(node)) && !node.flow
}
