import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { type BlockEntry, type DocumentLines, isBlock, isUnderKey } from './document.ts'
import { encoded } from './file-expressions.ts'
import { commaBetween, endOfLast, entriesInFlow, inFlow, wholeLine } from './flow-style.ts'
import { type Key, type Operation, type Where, withMerged, withoutEmptied } from './operations.ts'
import {
  applyEdits,
  columnOf,
  dedent,
  type Edit,
  indent,
  type Lines,
  linesOf,
  ScalarText,
  type Span,
  trimmedEnd,
} from './spans.ts'
import { type NodePair, type Path, pairKey, pairOf, pairsOf, pathKey, rangeOf } from './yaml.ts'

type Of<Op extends Operation['op']> = Extract<Operation, { readonly op: Op }>

/**
 * The edits that carry out operations on a file. All paths are those of the file before any
 * operation. Entries that are inserted at the same position have the order of the operations.
 */
export function patch(lines: DocumentLines, operations: readonly Operation[]): Edit[] {
  return new Patch(lines, operations).edits()
}

class Patch {
  readonly #lines: DocumentLines
  readonly #operations: readonly Operation[]
  /** Paths of the collections that are rewritten as a whole. */
  readonly #wrapped: ReadonlySet<string>
  readonly #removed: ReadonlySet<string>

  constructor(lines: DocumentLines, operations: readonly Operation[]) {
    this.#lines = lines
    const wrapped = operations.filter(({ op, path }) => op === 'wrap' && !this.#isBlockMap(path))
    this.#wrapped = new Set(wrapped.map(({ path }) => pathKey(path)))
    const merged = withMerged(operations, (path) => this.#collectionAt(path) !== undefined)
    this.#operations = withoutEmptied(merged, (path) => this.#collectionAt(path))
    const removed = this.#operations.filter(({ op }) => op === 'remove')
    this.#removed = new Set(removed.map(({ path }) => pathKey(path)))
  }

  edits(): Edit[] {
    // An operation below a rewritten collection is a part of rewriting it.
    const own = this.#operations.filter(({ path }) => !this.#isBelowWrapped(path))
    return own.flatMap((operation) => this.#editsOf(operation))
  }

  #isBelowWrapped(path: Path): boolean {
    return path.some((_, at) => this.#wrapped.has(pathKey(path.slice(0, at))))
  }

  #editsOf(operation: Operation): Edit[] {
    if (operation.op === 'set') return this.#set(operation)
    if (operation.op === 'remove') return this.#remove(operation)
    if (operation.op === 'insert') return this.#insert(operation)
    if (operation.op === 'rewriteText') return this.#rewriteText(operation)
    return this.#wrapped.has(pathKey(operation.path)) ? this.#wrap(operation) : []
  }

  #isBlockMap(path: Path): boolean {
    const node = this.#nodeAt(path)
    return isMap(node) && isBlock(node)
  }

  #nodeAt(path: Path): Node | undefined {
    return nodeAt(this.#lines.yaml, path)
  }

  #collectionAt(path: Path): YAMLMap | YAMLSeq | undefined {
    const node = this.#nodeAt(path)
    return isMap(node) || isSeq(node) ? node : undefined
  }

  #pairAt(path: Path): NodePair | undefined {
    return pairOf(this.#nodeAt(path.slice(0, -1)), path.at(-1))
  }

  #set({ path, lines }: Of<'set'>): Edit[] {
    const pair = this.#pairAt(path)
    if (!pair) throw new RangeError(`nothing to set at ${path.join('.')}`)
    const { text } = this.#lines
    const span = valueSpan(text, pair)
    const blank = span.isEmpty && lines[0] !== '' ? ' ' : ''
    const entry = this.#lines.entry(path)
    const [first = '', ...more] = lines
    if (!entry) return [{ ...span, text: `${blank}${inFlow(lines)}` }]
    const written = text.slice(span.start, span.end)
    const comment = /^[|>][-+\d]*[ \t]+(#[^\n]*)/.exec(written)?.[1]
    const head = { ...span, text: `${blank}${first}${comment ? ` ${comment}` : ''}` }
    if (more.length === 0) return [head]
    const body = asLines(more, this.#blockColumn(entry, 1))
    return [head, this.#lineAt(linesOf(text, span.start, span.end).end, body)]
  }

  /**
   * The column of a new block, so deep that comments below it belong neither to its string nor to
   * its last entry.
   */
  #blockColumn(entry: BlockEntry, deeper: 0 | 1): number {
    const below = this.#lines.commentsOf(entry.path).filter(({ role }) => role === 'below')
    const columns = below.map(({ start }) => columnOf(this.#lines.text, start) + deeper)
    return Math.max(entry.column + 2, ...columns)
  }

  #remove({ path }: Of<'remove'>): Edit[] {
    const { text } = this.#lines
    const entry = this.#lines.entry(path)
    if (!entry) return this.#removeInFlow(path)
    const span = this.#lines.linesOf(entry)
    const isReplaced = this.#operations.some(
      (one) =>
        one.op === 'insert' &&
        pathKey(one.path) === pathKey(path.slice(0, -1)) &&
        typeof one.where === 'object' &&
        'before' in one.where &&
        one.where.before === path.at(-1),
    )
    if (path.length === 1 && !isReplaced) {
      const empty = /^(?:[ \t]*\n)*/.exec(text.slice(span.end))?.[0] ?? ''
      return [{ start: span.start, end: span.end + empty.length, text: '' }]
    }
    const start = isReplaced ? span.start : this.#lines.blanksAbove(span.start)
    return [{ start, end: span.end, text: '' }]
  }

  /**
   * Removes an entry and the comma after it, or the comma before it if no entry follows; comments
   * remain.
   */
  #removeInFlow(path: Path): Edit[] {
    const parent = path.slice(0, -1)
    const map = this.#nodeAt(parent)
    if (!isMap(map)) throw new RangeError(`nothing to remove at ${path.join('.')}`)
    const { text } = this.#lines
    const pairs = pairsOf(map)
    const endOf = ({ key, value }: NodePair) => rangeOf(value ?? key)[1]
    const at = pairs.findIndex((pair) => pairKey(pair) === path.at(-1))
    const pair = pairs[at]
    const kept = pairs.findLastIndex(
      (one) => !this.#removed.has(pathKey([...parent, pairKey(one)])),
    )
    const last = pairs[kept]
    if (!pair) return []
    const [start, end] = [rangeOf(pair.key)[0], endOf(pair)]
    const next = pairs[at + 1]
    const comma = commaBetween(text, end, next ? rangeOf(next.key)[0] : rangeOf(map)[1])
    const edits = [wholeLine(text, { start, end: end, text: '' })]
    if (comma !== undefined) {
      const isClose = text.slice(end, comma).trim() === ''
      if (isClose) edits[0] = wholeLine(text, { start, end: comma + 1, text: '' })
      else edits.push({ start: comma, end: comma + 1, text: '' })
    }
    // The first removed entry of the last ones also removes the comma before it.
    if (!last || at !== kept + 1) return edits
    const before = commaBetween(text, endOf(last), start)
    if (before === undefined) return edits
    const isBeside = /^[ \t]*$/.test(text.slice(before + 1, start))
    return [{ start: before, end: isBeside ? start : before + 1, text: '' }, ...edits]
  }

  #insert({ path, lines, where, parent }: Of<'insert'>): Edit[] {
    if (this.#wrapped.has(pathKey(path))) return []
    const collection = this.#collectionAt(path)
    if (!collection) {
      if (path.length === 0) return [this.#lineAt(this.#lines.text.length, asLines(lines, 0))]
      const name = path.at(-1)
      if (typeof name !== 'string') throw new RangeError(`nothing at ${path.join('.')}`)
      const above = path.slice(0, -1)
      // The key exists without a value, such as `env:`.
      if (this.#pairAt(path)) return this.#set({ op: 'set', path, lines: ['', ...lines] })
      return this.#insert({
        op: 'insert',
        path: above,
        lines: [`${name}:`, ...indent(lines, 2)],
        where: this.#collectionAt(above)?.items.length ? (parent ?? 'last') : 'first',
        ...(parent && { parent }),
      })
    }
    const keys: Key[] = isMap(collection)
      ? pairsOf(collection).map(pairKey)
      : [...collection.items.keys()]
    if (!isBlock(collection) || keys.length === 0)
      return [this.#insertInFlow({ op: 'insert', path, lines, where }, collection)]
    const entry = (key: Key | undefined) =>
      key === undefined ? undefined : this.#lines.entry([...path, key])
    const beside = entry(keyBeside(where, keys))
    if (!beside) return [this.#insertInFlow({ op: 'insert', path, lines, where }, collection)]
    const span = this.#lines.linesOf(beside)
    const isBehind = where === 'last' || (typeof where === 'object' && 'after' in where)
    const at = isBehind
      ? span.end
      : where === 'first'
        ? this.#lines.blanksAbove(span.start)
        : span.start
    return [this.#lineAt(at, asLines(lines, beside.column))]
  }

  #insertInFlow({ path, lines, where }: Of<'insert'>, collection: YAMLMap | YAMLSeq): Edit {
    const text = entriesInFlow(lines)
    const last = where === 'last' ? endOfLast(collection) : undefined
    if (last !== undefined) return { start: last, end: last, text: `, ${text}` }
    const start = rangeOf(collection)[0] + 1
    // In an empty collection, each new entry but the first needs a comma before it.
    const isFollowed = collection.items.length > 0
    const key = pathKey(path)
    const all = this.#operations.filter((one) => one.op === 'insert' && pathKey(one.path) === key)
    const isFirst = all.findIndex((one) => one.op === 'insert' && one.lines === lines) <= 0
    return { start, end: start, text: isFollowed ? `${text}, ` : isFirst ? text : `, ${text}` }
  }

  /**
   * Inserts lines at the beginning of a line, or at the end of a file without a final line break.
   */
  #lineAt(at: number, lines: string): Edit {
    const isOpen = at > 0 && this.#lines.text[at - 1] !== '\n'
    return { start: at, end: at, text: isOpen ? `\n${lines.replace(/\n$/, '')}` : lines }
  }

  #wrap({ path }: Of<'wrap'>): Edit[] {
    const pair = this.#pairAt(path)
    const entry = this.#lines.entry(path)
    if (!pair || !entry) throw new RangeError(`nothing to wrap at ${path.join('.')}`)
    const { text } = this.#lines
    const there = this.entries(path)
    const inserted = (isHere: (where: Where) => boolean) =>
      this.#operations.flatMap((one) =>
        one.op === 'insert' && pathKey(one.path) === pathKey(path) && isHere(one.where)
          ? one.lines
          : [],
      )
    const lines = [
      ...inserted((where) => where === 'first'),
      ...there.flatMap(({ key, name, lines: own }) => [
        ...inserted((at) => typeof at === 'object' && 'before' in at && at.before === name),
        ...(this.#removed.has(pathKey([...path, name])) ||
        this.#removed.has(pathKey([...path, key]))
          ? []
          : own),
        ...inserted((at) => typeof at === 'object' && 'after' in at && at.after === name),
      ]),
      ...inserted((where) => where === 'last'),
    ]
    const start = text.indexOf(':', rangeOf(pair.key)[1]) + 1
    const isList = isBlock(pair.value)
    const end = pair.value ? Math.max(start, trimmedEnd(text, start, entry.end)) : start
    const lineEnd = isList ? end : linesOf(text, start, end).end
    // A line can end in one comment; further comments go to the end of the mapping.
    const besides = this.#lines
      .commentsOf(path)
      .filter((one) => one.role === 'beside' && one.end <= Math.max(end, lineEnd))
    const isUnder = (comment: Span) => isUnderKey(text, pair, comment)
    const textsOf = (spans: readonly Span[]) => spans.map((one) => text.slice(one.start, one.end))
    const [beside, ...more] = textsOf(besides.filter((one) => !isUnder(one)))
    const under = textsOf(besides.filter(isUnder))
    const stop = isList ? this.#endOfList(path, end) : trimmedEnd(text, start, lineEnd)
    const column = isList ? entry.column + 2 : this.#blockColumn(entry, 0)
    const written = indent([...under, ...lines, ...more], column)
    const head = beside === undefined ? '' : ` ${beside}`
    return [{ start, end: Math.max(stop, start), text: [head, ...written].join('\n') }]
  }

  /** The new entries of a mapping, or the new names of a list. */
  entries(path: Path): EntryLines[] {
    const node = this.#nodeAt(path)
    if (isMap(node)) {
      return pairsOf(node).map((pair) => {
        const name = pairKey(pair)
        return { key: name, name, lines: this.#entryLines([...path, name], pair) }
      })
    }
    const items = isSeq(node) ? node.items : isScalar(node) && node.value !== null ? [node] : []
    return (items as Node[]).map((item, at) => {
      const target = isAlias(item) ? item.resolve(this.#lines.yaml) : item
      const name = String(isScalar(target) ? target.value : target)
      const entry = this.#lines.entry([...path, at])
      // An item such as `- push # why` becomes a key of a mapping.
      const own = entry
        ? ownLines(this.#lines, entry).map((line) =>
            line.replace(/^-\s+("[^"]*"|'[^']*'|[^\s#]+)/, `${yamlKey(name)}:`),
          )
        : [`${yamlKey(name)}:`]
      const below = [...path, name]
      const inside = insertedBelow(below, this.#within(below))
      return { key: at, name, lines: [...own, ...indent(inside, 2)] }
    })
  }

  #within(path: Path): readonly Operation[] {
    return this.#operations.filter((one) => one.op !== 'remove' && isAtOrBelow(one.path, path))
  }

  #entryLines(path: Path, { key, value }: NodePair): Lines {
    const within = this.#within(path)
    const entry = this.#lines.entry(path)
    const { text } = this.#lines
    if (entry)
      return ownLines(
        this.#lines,
        entry,
        within.flatMap((one) => this.#editsOf(one)),
      )
    const name = text.slice(...rangeOf(key))
    const [start, end] = value ? rangeOf(value) : [0, 0]
    // An entry of `{push: , webhook: }` has an empty value, without a position.
    if (end === start) return [`${name}:`, ...indent(insertedBelow(path, within), 2)]
    const edits = within.flatMap((one) => this.#editsOf(one))
    const [first = '', ...more] = changedPart(text, start, end, edits).split('\n')
    return [first ? `${name}: ${first}` : `${name}:`, ...more.map((line) => `  ${line}`)]
  }

  /** The end of a list, including the comments beside and below its last item. */
  #endOfList(path: Path, end: number): number {
    const list = this.#collectionAt(path)
    const last = this.#lines.entry([...path, (list?.items.length ?? 1) - 1])
    const span = last && this.#lines.linesOf(last)
    return span ? trimmedEnd(this.#lines.text, span.start, span.end) : end
  }

  #rewriteText({ path, edits }: Of<'rewriteText'>): Edit[] {
    const scalar = this.#nodeAt(path)
    if (!isScalar(scalar) || typeof scalar.value !== 'string') {
      throw new RangeError(`no text at ${path.join('.')}`)
    }
    return textEdits(this.#lines.text, scalar, edits, this.#isInFlow(path))
  }

  #isInFlow(path: Path): boolean {
    return path.some((_, at) => {
      const above = this.#nodeAt(path.slice(0, at))
      return (isMap(above) || isSeq(above)) && above.flow === true
    })
  }
}

/** The edits of a file that change the value of a string. */
function textEdits(
  text: string,
  scalar: Scalar,
  edits: readonly Edit[],
  isInFlow: boolean,
): Edit[] {
  // Within braces, an unquoted string ends at the next bracket or comma.
  const isPlain = scalar.type === Scalar.PLAIN && isInFlow
  if (isPlain && edits.some((edit) => /[[\]{},]/.test(edit.text))) {
    const [start, end] = rangeOf(scalar)
    const value = JSON.stringify(applyEdits(String(scalar.value), edits))
    return [{ start, end: trimmedEnd(text, start, end), text: value }]
  }
  const written = new ScalarText(text, scalar)
  return edits.map((edit) => ({
    ...written.span(edit.start, edit.end),
    text: encoded(edit.text, scalar),
  }))
}

/** An entry of a mapping in the file, moved to column 0. */
interface EntryLines {
  /** Its key; in a list, its index. */
  readonly key: Key
  /** Its key; in a list, the item itself. */
  readonly name: string
  readonly lines: Lines
}

/**
 * The entries of a mapping as lines at column 0, each with its comments. A name, a list of names
 * and a mapping in braces are converted to a block mapping.
 *
 * @param operations changes within the entries
 */
export function namedEntries(
  lines: DocumentLines,
  path: Path,
  operations: readonly Operation[] = [],
): EntryLines[] {
  return new Patch(lines, operations).entries(path)
}

/** The lines at column 0 that operations insert at a path that does not exist, and below it. */
function insertedBelow(path: Path, operations: readonly Operation[]): Lines {
  return operations.flatMap((one) => {
    if (one.op !== 'insert') return []
    const keys = one.path.slice(path.length).map(String)
    return keys.reduceRight<Lines>((lines, key) => [`${key}:`, ...indent(lines, 2)], one.lines)
  })
}

function yamlKey(name: string): string {
  return /^[\w-]+$/.test(name) ? name : JSON.stringify(name)
}

function nodeAt(yaml: Document.Parsed, path: Path): Node | undefined {
  let node = yaml.contents as Node | null | undefined // a parsed document contains nodes only
  for (const key of path) {
    if (isMap(node)) node = pairOf(node, key)?.value
    else node = isSeq(node) ? (node.items[Number(key)] as Node | null) : undefined
  }
  return node ?? undefined
}

function isAtOrBelow(path: Path, above: Path): boolean {
  return path.length >= above.length && above.every((key, at) => path[at] === key)
}

function keyBeside(where: Where, keys: readonly Key[]): Key | undefined {
  if (where === 'first') return keys[0]
  if (where === 'last') return keys.at(-1)
  return 'before' in where ? where.before : where.after
}

/** The position of the value of a key; if there is none, after the colon. */
function valueSpan(text: string, { key, value }: NodePair) {
  const [start, end] = value ? rangeOf(value) : [0, 0]
  if (end > start) return { start, end: trimmedEnd(text, start, end), isEmpty: false }
  const colon = text.indexOf(':', rangeOf(key)[1]) + 1
  return { start: colon, end: colon, isEmpty: true }
}

function asLines(lines: Lines, column: number): string {
  return indent(lines, column)
    .map((line) => `${line}\n`)
    .join('')
}

/** A part of a file after edits; the offsets of the edits are those of the whole file. */
function changedPart(text: string, start: number, end: number, edits: readonly Edit[]): string {
  const inside = edits.map((edit) => ({
    ...edit,
    start: edit.start - start,
    end: edit.end - start,
  }))
  return applyEdits(text.slice(start, end), inside)
}

function ownLines(lines: DocumentLines, entry: BlockEntry, edits: readonly Edit[] = []): Lines {
  const { start, end } = lines.linesOf(entry)
  const written = changedPart(lines.text, start, end, edits)
  return dedent(written.replace(/\n$/, '').split('\n'), entry.column)
}
