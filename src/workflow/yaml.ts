import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  Lexer,
  type Node,
  type Pair,
  Parser,
  type YAMLError,
  YAMLParseError,
} from 'yaml'
import { type Position, type Source, UserError } from '../wire/errors.ts'
import { LIMITS } from '../wire/limits.ts'
import {
  columnOfText,
  endOfBlock,
  githubReading,
  marksIn,
  noBreakSpace,
  type Refusal,
  SECTIONS,
  TOKEN_MARKS,
  withoutYaml11,
  type YamlMarks,
} from './github-yaml.ts'
import { FatalMistake, type Mistake } from './mistakes.ts'
import { quoted } from './suggestion.ts'

/**
 * Parses YAML 1.2, in which `on` is a string and no boolean, and refuses what GitHub refuses.
 *
 * @throws UserError with the errors, or the limit that the source exceeds, or invalid UTF-8
 */
export function parseYaml(source: Source): Document.Parsed {
  if (source.misread) throw new UserError(source.misread)
  const text = withoutYaml11(source.text)
  const tokens = yamlTokens(source, text)
  const document = composed(text, tokens)
  const marks = marksIn(tokens)
  // The package refuses every tag of a key, and GitHub only some of them.
  const ofYaml = document.errors.filter(
    ({ code, pos: [start] }) => code !== 'NON_STRING_KEY' || text[start] !== '!',
  )
  const faults = withoutFollowing(source, ofYaml, marks)
  const { errors, explained } = githubReading(text, document, marks, faults)
  const reported = faults.slice(0, explained)
  // After a syntax error, the nodes of the document are guesses.
  const others = reported.length > 0 ? errors.filter(({ code }) => code === 'yaml-tag') : errors
  const found = [...reported, ...others]
  refuseAll(
    found.toSorted((one, other) => startOf(one) - startOf(other)),
    (one) => ('pos' in one ? syntaxProblem(source, one, marks) : placed(source, one)),
  )
  return document
}

/** Warnings about YAML that has a meaning elsewhere, and that GitHub ignores. */
export function yamlWarnings(source: Source, document: Document.Parsed): Mistake[] {
  const text = withoutYaml11(source.text)
  // `!=` and `<<EOF` are in scripts and conditions, and tags and merge keys are rare.
  if (!/!(?!=)|<<[ \t]*(?::|$)|%TAG/m.test(text)) return []
  const marks = marksIn([...new Lexer().lex(text)])
  const { warnings } = githubReading(text, document, marks, [])
  return warnings.slice(0, LIMITS.problems).map((warning) => placed(source, warning))
}

function startOf(one: YAMLError | Refusal): number {
  return 'pos' in one ? one.pos[0] : one.start
}

function placed(source: Source, { start, end, ...mistake }: Refusal): Mistake {
  return { ...mistake, position: positionAt(source, start, end) }
}

/** Does the same as the library's `parseDocument`, without running the lexer a second time. */
function composed(text: string, tokens: readonly string[]): Document.Parsed {
  const parser = new Parser()
  const composer = new Composer({
    version: '1.2',
    uniqueKeys: false, // checked below, because the library compares every key with every other
    stringKeys: true,
    prettyErrors: false,
  })
  function* parsed() {
    for (const token of tokens) yield* parser.next(token)
    yield* parser.end()
  }
  const [document, second] = composer.compose(parsed(), true, text.length)
  if (!document) throw new Error('the composer gives a document of every text')
  if (second) {
    const [start, end] = second.range
    const message = 'Source contains multiple documents; please use YAML.parseAllDocuments()'
    document.errors.push(new YAMLParseError([start, end], 'MULTIPLE_DOCS', message))
  }
  return document
}

/** @throws UserError with the first mistakes, and the number of further ones, if there are any */
function refuseAll<Found>(found: readonly Found[], tell: (one: Found) => Mistake): void {
  const shown = found.slice(0, LIMITS.problems).map(tell)
  const last = shown.pop()
  if (!last) return
  const more = found.length - shown.length - 1
  throw new FatalMistake([...shown, more > 0 ? { ...last, notes: [`and ${more} more`] } : last])
}

/**
 * The errors in the order of the file, without those that follow from wrong indentation: errors on
 * its line, and on every line directly below.
 */
function withoutFollowing(
  source: Source,
  errors: readonly YAMLError[],
  marks: YamlMarks,
): YAMLError[] {
  const { text } = source
  const lineEnd = (from: number) => {
    const end = text.indexOf('\n', from)
    return end < 0 ? text.length : end
  }
  // If two errors have one position, the longer message is more specific.
  const inOrder = errors.toSorted(
    ({ pos: [start, end] }, { pos: other }) => start - other[0] || other[1] - end,
  )
  let [last, reach] = [-1, -1]
  let looked = 0
  let isOver = false
  return inOrder.filter((error) => {
    const [start, end] = error.pos
    // After the end of the document, every token is an error.
    const follows = start <= reach || (isOver && error.message.includes('in YAML stream'))
    if (!follows && ++looked > LIMITS.problems) return true
    if (end > last && (follows || slipProblem(source, error, marks))) {
      last = lineEnd(end)
      reach = lineEnd(last + 1)
    }
    if (error.code === 'UNEXPECTED_TOKEN') {
      isOver = true
      reach = Math.max(reach, lineEnd(end))
    }
    return !follows
  })
}

function syntaxProblem(source: Source, error: YAMLError, marks: YamlMarks): Mistake {
  const slip = slipProblem(source, error, marks)
  if (slip) return slip
  const [start, end] = error.pos
  const [, quote] = /^Missing closing (.)quote/.exec(error.message) ?? []
  if (quote !== undefined) {
    const at = openQuote(source.text, quote, start)
    const message = 'YAML: this quote is not closed'
    const hint = `write a ${quote} at the end of the value`
    return { code: 'yaml-syntax', message, position: positionAt(source, at, at + 1), hint }
  }
  const hint = YAML_HINTS.get(error.code) ?? tokenHint(source.text, error)
  return {
    code: 'yaml-syntax',
    message: `YAML: ${yamlErrorMessage(error)}`,
    position: positionAt(source, start, end),
    ...(hint && { hint }),
  }
}

/** The offset of the quote that no other one closes before an offset. */
function openQuote(text: string, quote: string, before: number): number {
  const escaping = quote === '"' ? '\\' : quote
  let at = text.lastIndexOf(quote, before - 1)
  while (text[at - 1] === escaping) at = text.lastIndexOf(quote, at - 2)
  return Math.max(0, at)
}

/** The usual cause of a token where YAML expects none. */
function tokenHint(text: string, { message, pos: [start] }: YAMLError): string | undefined {
  if (/^(?:Not a YAML token|Block scalar header)/.test(message)) {
    return 'begin the text on the next line'
  }
  if (text.startsWith('${{', start - 1)) return 'quote the value with the expression'
  if (!message.endsWith('at node end')) return undefined
  const before = text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
  const [, quote] = /(["'])[ \t]*$/.exec(before) ?? []
  const around = quote === '"' ? "'…'" : '"…"'
  return quote && `the quotes end before it: write the whole value in ${around}`
}

function yamlErrorMessage({ code, message }: YAMLError): string {
  if (code === 'NON_STRING_KEY') return 'a key must be a string, not a list, mapping or alias'
  return code === 'MULTIPLE_DOCS'
    ? 'a workflow file has only one document'
    : message.replace(/\s+/g, ' ').replace(/\.$/, '')
}

/** The usual cause of an error that the library reports in terms of the grammar. */
const YAML_HINTS: ReadonlyMap<string, string> = new Map([
  ['MULTIPLE_DOCS', 'remove the line ---, or move the second document to another file'],
  ['BAD_ALIAS', 'quote a value that begins with "*" or "&"'],
  ['MULTILINE_IMPLICIT_KEY', 'is a ":" missing after it?'],
  ['BLOCK_AS_IMPLICIT_KEY', 'quote a string with a colon'],
  ['BAD_SCALAR_START', 'quote the value'],
  ['BAD_DQ_ESCAPE', 'write "\\\\" for a backslash, or use single quotes'],
])

/** The line with wrong indentation that caused an error, if there is one. */
function slipProblem(source: Source, error: YAMLError, marks: YamlMarks): Mistake | undefined {
  const { text } = source
  const [start, end] = error.pos
  const outside = blockEndProblem(source, error, marks)
  if (outside) return outside
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  // The value continues on a line with a key; otherwise a ":" is missing.
  const goesOn =
    error.code === 'MULTILINE_IMPLICIT_KEY' && text.slice(lineStart, start).includes(':')
  const from = wordFrom(text, goesOn ? text.lastIndexOf('\n', end - 1) + 1 : lineStart)
  const blank = indentationProblem(source, from)
  if (blank) return blank
  const hint = 'check the indentation'
  if (goesOn) {
    const message = `YAML: ${quoted(text.slice(from, end))} is indented below a key with a value`
    return { code: 'yaml-syntax', message, position: positionAt(source, from, end), hint }
  }
  const isFirst = start === from && error.message.endsWith('at node end')
  if (!isFirst && !OF_LINES.test(error.message)) return undefined
  const [word = ''] = /^[\w.-]*/.exec(text.slice(from, from + 80)) ?? []
  const position = positionAt(source, from, from + word.length)
  return { code: 'yaml-syntax', message: `YAML: ${yamlErrorMessage(error)}`, position, hint }
}

/** A line that ends a block scalar, because it is not indented, and that no key begins with. */
function blockEndProblem(
  source: Source,
  error: YAMLError,
  { blocks }: YamlMarks,
): Mistake | undefined {
  const { text } = source
  const ends = [...error.pos].map((at) => text.lastIndexOf('\n', at - 1) + 1)
  const end = ends.map((at) => firstUnindented(text, at, blocks)).find((at) => blocks.has(at))
  const header = end === undefined ? undefined : blocks.get(end)
  if (end === undefined || header === undefined) return undefined
  const column = columnOfText(text, header, end)
  if (wordFrom(text, end) - end >= column || continuesAbove(text, header, end, column)) {
    return undefined
  }
  return placed(source, endOfBlock(text, header, end))
}

/** True for the next item of the list, or the next key of the mapping, that contains a block scalar. */
function continuesAbove(text: string, header: number, line: number, textColumn: number): boolean {
  const rest = text.slice(line)
  const begin = /^( *)(?:-|([\w-]+):)(?!\S)/.exec(rest)
  if (!begin) return false
  const [, { length: column } = '', key] = begin
  if (key !== undefined) {
    if (column === 0 && !SECTIONS.has(key)) return false
    const next = /\n+( *)\S/.exec(rest)?.[1]?.length ?? 0
    if (next >= textColumn) return false
  }
  for (const above of text.slice(0, header).split('\n').toReversed()) {
    if (!/^ *[^\s#]/.test(above)) continue
    const [start = ''] = /^ *(?:- +)*/.exec(above) ?? []
    if (key === undefined ? start[column] === '-' : start.length === column) return true
    if (above.search(/\S/) < column) return false
  }
  return false
}

/** The first of the lines that are not indented, up to a line; the lines before it may be valid YAML. */
function firstUnindented(text: string, line: number, blocks: YamlMarks['blocks']): number {
  let first = line
  while (!blocks.has(first) && first > 1 && /\S/.test(text[first] ?? '')) {
    const before = text.lastIndexOf('\n', first - 2) + 1
    if (SECTIONS.has(/^[\w-]+(?=:)/.exec(text.slice(before, before + 20))?.[0] ?? '')) return line
    first = before
  }
  return first
}

/** Errors of the library about lines with different indentation. */
const OF_LINES =
  /^(?:All (?:mapping|sequence) items|A block sequence may not|Block scalars with|Sequence item without)/

/** A tab, or a character that looks like a space, before the first word of a line. */
function indentationProblem(source: Source, word: number): Mistake | undefined {
  const start = source.text.lastIndexOf('\n', word - 1) + 1
  const [odd] = /\t+|\u00a0+/.exec(source.text.slice(start, word)) ?? []
  const at = source.text.indexOf(odd ?? '', start)
  return odd === undefined ? undefined : blankProblem(source, at, at + odd.length)
}

function blankProblem(source: Source, start: number, end: number): Mistake {
  const noBreak = noBreakSpace(start, end)
  const isTab = source.text[start] === '\t'
  return placed(source, isTab ? { ...noBreak, message: 'YAML: a tab in the indentation' } : noBreak)
}

function wordFrom(text: string, lineStart: number): number {
  const indentation = /[^\S\n]*/y
  indentation.lastIndex = lineStart
  return lineStart + (indentation.exec(text)?.[0].length ?? 0)
}

/** @throws FatalMistake that names the limit that the source exceeds */
function yamlTokens(source: Source, text: string): readonly string[] {
  const bytes = new TextEncoder().encode(text).length
  if (bytes > LIMITS.workflowFileBytes) {
    throw new FatalMistake({
      code: 'too-large',
      message: `${source.name} has ${bytes} bytes, more than the ${LIMITS.workflowFileBytes} of a workflow file`,
    })
  }
  const tokens: string[] = []
  const excess = excessIn(new Lexer().lex(text), tokens)
  if (excess) throw new FatalMistake({ code: 'too-large', message: `${source.name} ${excess}` })
  return tokens
}

/** Tokens after which a `:` begins a node with an empty key. */
const INDICATORS = new Set([':', '?', '-'])

/**
 * The limit that a source exceeds, if any. It counts open brackets and the columns of nodes without
 * recursion, because the composer recurses and would overflow the stack. The composer has no limit
 * for mistakes, either, and every token can be one.
 *
 * @param tokens gets all tokens, unless a limit is exceeded
 */
function excessIn(lexed: Iterable<string>, tokens: string[]): string | undefined {
  const columns: number[] = []
  let brackets = 0
  let column = 0
  let afterKey = false
  let count = 0
  for (const token of lexed) {
    tokens.push(token)
    if (TOKEN_MARKS.has(token)) continue
    if (++count > LIMITS.yamlTokens) return `has more than ${LIMITS.yamlTokens} tokens`
    const isNode = token.trim() !== '' && !(token === ':' && afterKey)
    if (token === '[' || token === '{') brackets++
    else if (token === ']' || token === '}') brackets--
    else if (brackets === 0 && isNode) {
      // Leaves the nodes that begin further right, and enters the node that begins here.
      while ((columns.at(-1) ?? -1) > column) columns.pop()
      if (columns.at(-1) !== column) columns.push(column)
    }
    if (columns.length + brackets > LIMITS.yamlDepth) {
      return `is nested deeper than ${LIMITS.yamlDepth} levels`
    }
    column = token.includes('\n') ? 0 : column + token.length
    afterKey = token.trim() === '' ? afterKey && column > 0 : !INDICATORS.has(token)
  }
  return undefined
}

/** The path of a node in a document: `['on', 'webhook', 'method', 0]`. */
export type Path = readonly (string | number)[]

/** A path as a key of a map. */
export function pathKey(path: Path): string {
  return JSON.stringify(path)
}

/** A key with its value in a parsed document, which contains nodes only. */
export type NodePair = Pair<Node, Node | null>

export function pairsOf(map: { readonly items: readonly unknown[] }): NodePair[] {
  return map.items as NodePair[] // a parsed document contains nodes only
}

export function pairKey({ key }: Pair): string {
  return String(isScalar(key) ? key.value : key)
}

/** A key of a mapping with its value; `undefined` if the node is no mapping. */
export function pairOf(node: unknown, key: string | number | undefined): NodePair | undefined {
  return isMap(node) ? pairsOf(node).find((pair) => pairKey(pair) === String(key)) : undefined
}

/** The node below a node, with aliases resolved; `undefined` if there is none. */
export function nodeBelow(
  document: Document,
  node: unknown,
  ...keys: readonly string[]
): Node | undefined {
  let at = resolved(document, node)
  for (const key of keys) at = resolved(document, pairOf(at, key)?.value)
  return at
}

/** The node of an alias's anchor; any other node is returned unchanged. */
export function resolved(document: Document, node: unknown): Node | undefined {
  const found = isAlias(node) ? node.resolve(document) : (node as Node | null | undefined)
  return found ?? undefined
}

/** The position of a part of a source, limited to its first line. Offsets are UTF-16 units. */
export function positionAt(source: Source, start: number, end: number): Position {
  let [line, lineStart] = [1, 0]
  for (let at = source.text.indexOf('\n'); at >= 0 && at < start; line++) {
    lineStart = at + 1
    at = source.text.indexOf('\n', lineStart)
  }
  const lineEnd = source.text.indexOf('\n', start)
  const stop = Math.min(end, lineEnd < 0 ? source.text.length : lineEnd)
  return {
    source,
    line,
    column: start - lineStart + 1,
    length: Math.max(1, stop - start),
  }
}

export function offsetOf({ source, line, column }: Position): number {
  const before = source.text.split('\n').slice(0, line - 1)
  return before.reduce((sum, one) => sum + one.length + 1, 0) + column - 1
}

/** The range of a node in its source, in UTF-16 units. */
export function rangeOf(node: Node): [start: number, end: number] {
  return [node.range?.[0] ?? 0, node.range?.[1] ?? 0]
}
