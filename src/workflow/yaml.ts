import {
  type Document,
  Lexer,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
  visit,
  type YAMLError,
} from 'yaml'
import { type Position, type Problem, type Source, UserError } from '../wire/errors.ts'
import { LIMITS } from '../wire/limits.ts'
import { quoted } from './suggestion.ts'

/**
 * Parses YAML 1.2, in which `on` is a word and no boolean.
 *
 * @throws UserError with the syntax errors of the text, or naming the limit it goes beyond
 */
export function parseYaml(source: Source): Document.Parsed {
  checkLimits(source)
  const document = parseDocument(source.text, {
    version: '1.2',
    uniqueKeys: false, // checked below: the library compares every key with every other
    stringKeys: true,
    prettyErrors: false,
  })
  refuse(document.errors, (error) => syntaxProblem(source, error))
  refuse(repeatedKeys(document), (key) => ({
    message: `YAML: the key ${quoted(String(key.value))} stands here twice`,
    position: positionAt(source, ...rangeOf(key)),
  }))
  return document
}

/** @throws UserError with the first of the mistakes, when there are any, and how many more there are */
function refuse<Mistake>(mistakes: readonly Mistake[], tell: (mistake: Mistake) => Problem): void {
  const shown = mistakes.slice(0, LIMITS.problems).map(tell)
  const last = shown.pop()
  if (!last) return
  const more = mistakes.length - shown.length - 1
  throw new UserError([...shown, more > 0 ? { ...last, notes: [`and ${more} more`] } : last])
}

function repeatedKeys(document: Document.Parsed): Scalar[] {
  const repeated: Scalar[] = []
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>()
      const pairs = items as Pair<Scalar>[] // stringKeys allows no other keys
      for (const { key } of pairs) {
        if (seen.has(key.value)) repeated.push(key)
        seen.add(key.value)
      }
    },
  })
  return repeated
}

function syntaxProblem(source: Source, error: YAMLError): Problem {
  const [start, end] = error.pos
  const message =
    error.code === 'NON_STRING_KEY'
      ? 'a key is a plain word, no list, mapping or alias'
      : error.message.replace(/\s+/g, ' ').replace(/\.$/, '')
  const hint = YAML_HINTS.get(error.code)
  return {
    message: `YAML: ${message}`,
    position: positionAt(source, start, end),
    ...(hint && { hint }),
  }
}

/** What most often lies behind a mistake that the library names in the terms of the grammar. */
const YAML_HINTS: ReadonlyMap<string, string> = new Map([
  ['MULTILINE_IMPLICIT_KEY', 'is a ":" missing after it?'],
  ['BLOCK_AS_IMPLICIT_KEY', 'put a text with a colon in quotes'],
  ['TAB_AS_INDENT', 'indent with spaces'],
])

function checkLimits(source: Source): void {
  const bytes = new TextEncoder().encode(source.text).length
  if (bytes > LIMITS.workflowFileBytes) {
    throw new UserError({
      message: `${source.name} has ${bytes} bytes, more than the ${LIMITS.workflowFileBytes} of a workflow file`,
    })
  }
  const excess = excessOf(source.text)
  if (excess) throw new UserError({ message: `${source.name} ${excess}` })
}

/** Tokens by which the lexer marks a document, a scalar and an error: they have no width. */
const MARKS = new Set(['\u0002', '\u0018', '\u001f'])

/** Tokens after which a `:` begins a node of its own, one with an empty key. */
const INDICATORS = new Set([':', '?', '-'])

/**
 * What the text has too much of. Follows the columns at which nodes begin, and open brackets, without
 * recursion: the composer recurses, and would overflow the stack before it could complain. Nor does
 * the composer stop at any number of mistakes, and every token can be one.
 */
function excessOf(text: string): string | undefined {
  const columns: number[] = []
  let brackets = 0
  let column = 0
  let afterKey = false
  let count = 0
  for (const token of new Lexer().lex(text)) {
    if (MARKS.has(token)) continue
    if (++count > LIMITS.yamlTokens) return `has more than ${LIMITS.yamlTokens} tokens`
    const isNode = token.trim() !== '' && !(token === ':' && afterKey)
    if (token === '[' || token === '{') brackets++
    else if (token === ']' || token === '}') brackets--
    else if (brackets === 0 && isNode) {
      // Leaves the nodes that begin further right, and enters one that begins here.
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

/** The place of a part of the text, cut at the end of its first line. Offsets are UTF-16 units. */
export function positionAt(source: Source, start: number, end: number): Position {
  const before = source.text.slice(0, start)
  const lineStart = before.lastIndexOf('\n') + 1
  const lineEnd = source.text.indexOf('\n', start)
  const stop = Math.min(end, lineEnd < 0 ? source.text.length : lineEnd)
  return {
    source,
    line: before.split('\n').length,
    column: start - lineStart + 1,
    length: Math.max(1, stop - start),
  }
}

/** Where a node stands in its source, in UTF-16 units. */
export function rangeOf(node: Node): [start: number, end: number] {
  return [node.range?.[0] ?? 0, node.range?.[1] ?? 0]
}
