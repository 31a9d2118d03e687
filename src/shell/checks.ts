import type { SyntaxNode, Word } from 'unbash'
import type { Span } from '../workflow/spans.ts'
import { isPlainPattern } from './plain-patterns.ts'
import { fixedText, type ShellTree } from './script.ts'

/**
 * The ranges of a script in which a variable has passed a check: it equals a fixed string, or matches
 * a regular expression that is anchored at both ends and allows only plain characters.
 */
export function checkedRanges({ root, nodes, parents }: ShellTree): Map<string, Span[]> {
  const ranges = new Map<string, Span[]>()
  const add = (names: readonly string[], start: number, end: number) => {
    for (const name of names) {
      const next = nodes.find(
        (node) => node.type === 'Assignment' && node.pos >= start && node.name === name,
      )
      const range = { start, end: Math.min(end, next?.pos ?? end) }
      ranges.set(name, [...(ranges.get(name) ?? []), range])
    }
  }
  /** Adds the rest of the list of commands that a node belongs to. */
  const addRest = (names: readonly string[], node: SyntaxNode) => {
    let above = parents.get(node)
    while (above && !/^(?:CompoundList|Script|BraceGroup|Subshell)$/.test(above.type)) {
      above = parents.get(above)
    }
    add(names, node.end, (above ?? root).end)
  }
  /** True if a part of the script contains `exit`, `return` or `continue`, so that later lines may not run. */
  const leaves = ({ pos, end }: SyntaxNode) =>
    nodes.some((node) => {
      if (node.type !== 'Command' || node.pos < pos || node.end > end) return false
      return /^(?:exit|return|continue)$/.test(fixedText(node.name) ?? '')
    })
  for (const node of nodes) {
    if (node.type === 'AndOr') {
      const [first, second] = node.commands
      const [operator] = node.operators
      if (!first || !second) continue
      // `check || exit` protects the lines after it, and `check && use` the rest of this line.
      if (leaves(second)) addRest(namesChecked(first, operator === '||', nodes), node)
      if (operator === '&&') add(namesChecked(first, true, nodes), second.pos, node.end)
    }
    if (node.type === 'If') {
      const { clause, then, else: otherwise } = node
      add(namesChecked(clause, true, nodes), then.pos, then.end)
      const negated = namesChecked(clause, false, nodes)
      if (otherwise) add(negated, otherwise.pos, otherwise.end)
      if (leaves(then)) addRest(negated, node)
    }
    if (node.type === 'Case') {
      const names = variablesIn(node.word)
      const isOpen = ({ text }: Word) => !/^["']?[\w.:/@ -]+["']?$/.test(text)
      const others = node.items.filter(({ pattern }) => pattern.some(isOpen))
      for (const { pattern, body } of node.items) {
        if (!pattern.some(isOpen)) add(names, body.pos, body.end)
      }
      const isClosed = others.every(({ pattern, body }) => {
        return leaves(body) && pattern.every(({ text }) => text === '*')
      })
      if (others.length > 0 && isClosed) addRest(names, node)
    }
  }
  return ranges
}

/**
 * The variables that have passed a check if a test has this result.
 *
 * @param result true if the test succeeded
 * @param nodes the whole script, which may set a variable to the regular expression
 */
function namesChecked(test: SyntaxNode, result: boolean, nodes: readonly SyntaxNode[]): string[] {
  const same = (one: SyntaxNode) => namesChecked(one, result, nodes)
  const opposite = (one: SyntaxNode) => namesChecked(one, !result, nodes)
  switch (test.type) {
    case 'CompoundList':
      return test.commands.length === 1 ? test.commands.flatMap(same) : []
    case 'Statement':
      return same(test.command)
    case 'Pipeline':
      return test.commands.length === 1 ? test.commands.flatMap(opposite) : []
    case 'TestCommand':
    case 'TestGroup':
      return same(test.expression)
    case 'TestNot':
      return opposite(test.operand)
    case 'TestLogical':
      // All parts of `a && b` are true if it is, and all parts of `a || b` are false if it is.
      return (test.operator === '&&') === result ? test.operands.flatMap(same) : []
    case 'TestBinary':
      return namesCompared(test.left, test.operator, test.right, result, nodes)
    case 'Command': {
      const [left, operator, right] = test.args
      const isTest = /^(?:\[|test)$/.test(fixedText(test.name) ?? '')
      if (!isTest || left?.type !== 'Word' || right?.type !== 'Word') return []
      return namesCompared(left, operator?.text ?? '', right, result, nodes)
    }
    default:
      return []
  }
}

function namesCompared(
  left: Word,
  operator: string,
  right: Word,
  result: boolean,
  nodes: readonly SyntaxNode[],
): string[] {
  if (operator === '=~') {
    const [variable] = variablesIn(right)
    // `[[ "$V" =~ $pattern ]]`
    const values = nodes.flatMap((node) => {
      const isSet = node.type === 'Assignment' && node.name === variable
      return isSet && node.value.type === 'Word' ? [fixedText(node.value) ?? ''] : []
    })
    const patterns = variable === undefined ? [right.text] : values
    const isPlain = patterns.length > 0 && patterns.every(isPlainPattern)
    return result && isPlain ? variablesIn(left) : []
  }
  if (!/^(?:==?|!=)$/.test(operator) || (operator === '!=') === result) return []
  const isFixed = /^(?:"[\w.:/@ -]*"|'[^']*'|[\w.:/@-]+)$/.test(right.text)
  return isFixed ? variablesIn(left) : []
}

/** The variable that a word consists of, if it is one. */
function variablesIn({ text }: Word): string[] {
  const [, name] = /^"?\$\{?([A-Za-z_]\w*)\}?"?$/.exec(text) ?? []
  return name === undefined ? [] : [name]
}
