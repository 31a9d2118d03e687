import type { SyntaxNode } from 'unbash'
import { type Nested, nestedNodes } from './shell-nodes.ts'
import { evaluates, isNaming, runsAnInterpreter, writesEnvironment } from './shell-risks.ts'

/** How a shell reads the place where an expression stands. */
export type Quoting =
  /** Outside of quotes. */
  | 'none'
  | 'double'
  | 'single'
  /** In a here-document or a comment: quotes would be part of the text. */
  | 'verbatim'

/**
 * How bash or sh reads the places where expressions stand, in their order. `undefined` where the
 * value of a variable in its stead would be read as code too, or not at all, and wherever that is
 * not certain.
 *
 * @param script with a word such as `expression_0` in place of each expression
 */
export function shellPlaces(
  script: string,
  placeholders: readonly string[],
): (Quoting | undefined)[] {
  const nodes = nestedNodes(script)
  if (!nodes || nodes.some(({ node }) => evaluates(node))) return placeholders.map(() => undefined)
  return placeholders.map((placeholder) => placeOf(script, nodes, script.indexOf(placeholder)))
}

function placeOf(script: string, nodes: readonly Nested[], at: number): Quoting | undefined {
  const found = nodes.findLast(({ node }) => isLeafAt(node, at))
  if (!found) return isComment(script, at) ? 'verbatim' : undefined
  const path = [found.node, ...found.above]
  const isCode =
    script[at - 1] === '\\' || path.some((node, depth) => isRead(node, path[depth - 1]))
  return isCode || isAtRisk(script, nodes, path) ? undefined : quotingOf(path)
}

/** Nodes that hold text and nothing else. */
function isLeafAt(node: SyntaxNode, at: number): boolean {
  if (at < node.pos || at >= node.end) return false
  if (node.type === 'Word' || node.type === 'HereDocBody') return node.parts === undefined
  return ['Literal', 'SingleQuoted', 'AnsiCQuoted', 'Glob', 'ArithmeticWord'].includes(node.type)
}

function isComment(script: string, at: number): boolean {
  return /(^|[\s;&|()])#/.test(script.slice(script.lastIndexOf('\n', at) + 1, at))
}

/** What is no plain text to the shell: patterns, names, lists that it splits. */
const READ = new Set([
  'AnsiCQuoted',
  'BraceExpansion',
  'ExtendedGlob',
  'Glob',
  'HereDocDelimiter',
  'ParameterExpansion',
])

/** @param inner the node of the path that lies right within this one */
function isRead(node: SyntaxNode, inner: SyntaxNode | undefined): boolean {
  if (node.type === 'CaseItem') return inner?.type === 'Word'
  if (READ.has(node.type)) return true
  if (node.type === 'CommandExpansion') return node.text.startsWith('`')
  if (node.type === 'HereDoc') return node.delimiter?.quoted !== false
  if (node.type === 'For' || node.type === 'Select') return inner?.type === 'Word'
  if (node.type === 'Assignment') return inner === node.index
  return node.type === 'Command' && (inner === node.name || isNaming(node, inner))
}

/** A value that is kept, in a variable or a file, can reach every command of the script. */
function isAtRisk(script: string, nodes: readonly Nested[], path: readonly SyntaxNode[]): boolean {
  const pipeline =
    path.find(({ type }) => type === 'Pipeline') ?? path.find(({ type }) => type === 'Command')
  const near = nodes.filter(
    (one) => one.node === pipeline || (pipeline && one.above.includes(pipeline)),
  )
  const isKept =
    path.some(({ type }) => type === 'Assignment') ||
    near.some(({ node }) => node.type === 'Redirect')
  const reached = isKept || !pipeline ? nodes : near
  if (pipeline && writesEnvironment(script, near)) return true
  return reached.some(({ node }) => runsAnInterpreter(node))
}

function quotingOf([leaf, around, ...more]: readonly SyntaxNode[]): Quoting | undefined {
  if (leaf?.type === 'SingleQuoted') return 'single'
  if (leaf?.type === 'Word') return 'none'
  if (leaf?.type === 'HereDocBody' || around?.type === 'HereDocBody') return 'verbatim'
  if (around?.type === 'DoubleQuoted' || around?.type === 'LocaleString') return 'double'
  return around?.type === 'Word' && more.length > 0 ? 'none' : undefined
}
