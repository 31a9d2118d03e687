import { type Document, Lexer, LineCounter, parseDocument, type YAMLError } from 'yaml'
import { type Problem, type Source, UserError } from '../protocol/errors.ts'
import { LIMITS } from '../protocol/limits.ts'
import { positionAt } from './source.ts'

/**
 * Parses YAML 1.2, in which `on` is a word and no boolean.
 *
 * @throws UserError with every syntax error of the text, or naming the limit it goes beyond
 */
export function parseYaml(source: Source): Document.Parsed {
  checkLimits(source)
  const document = parseDocument(source.text, {
    version: '1.2',
    uniqueKeys: true,
    prettyErrors: false,
    lineCounter: new LineCounter(),
  })
  if (document.errors.length > 0) {
    throw new UserError(document.errors.map((error) => syntaxProblem(source, error)))
  }
  return document
}

function syntaxProblem(source: Source, error: YAMLError): Problem {
  const [start, end] = error.pos
  const message = error.message.replace(/\s+/g, ' ').replace(/\.$/, '')
  return { message: `YAML: ${message}`, position: positionAt(source, start, end) }
}

function checkLimits(source: Source): void {
  const bytes = new TextEncoder().encode(source.text).length
  if (bytes > LIMITS.workflowFileBytes) {
    throw new UserError({
      message: `${source.name} has ${bytes} bytes, more than the ${LIMITS.workflowFileBytes} of a workflow file`,
    })
  }
  if (isNestedTooDeep(source.text)) {
    throw new UserError({
      message: `${source.name} is nested deeper than ${LIMITS.yamlDepth} levels`,
    })
  }
}

/** Tokens by which the lexer marks a document, a scalar and an error: they have no width. */
const MARKS = new Set(['\u0002', '\u0018', '\u001f'])

/**
 * Follows the columns at which nodes begin, and open brackets, without recursion: the composer
 * recurses, and would overflow the stack before it could complain.
 */
function isNestedTooDeep(text: string): boolean {
  const columns: number[] = []
  let brackets = 0
  let column = 0
  for (const token of new Lexer().lex(text)) {
    if (MARKS.has(token)) continue
    if (token === '[' || token === '{') brackets++
    else if (token === ']' || token === '}') brackets--
    else if (brackets === 0 && token.trim() !== '') enterColumn(columns, column)
    if (columns.length + brackets > LIMITS.yamlDepth) return true
    column = token.includes('\n') ? 0 : column + token.length
  }
  return false
}

/** Leaves the nodes that begin further right, and enters one that begins here. */
function enterColumn(columns: number[], column: number): void {
  while ((columns.at(-1) ?? -1) > column) columns.pop()
  if (columns.at(-1) !== column) columns.push(column)
}
