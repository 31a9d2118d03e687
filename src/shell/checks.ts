import type { SyntaxNode } from 'unbash'
import type { Span } from '../workflow/spans.ts'
import { fixedText, type ShellTree } from './script.ts'

type TextOf = (node: { readonly pos: number; readonly end: number }) => string

/**
 * The ranges of a script in which a variable has passed a check: it equals a fixed string, or matches
 * a regular expression that is anchored at both ends and allows only plain characters.
 */
export function checkedRanges(
  { root, nodes, parents }: ShellTree,
  textOf: TextOf,
): ReadonlyMap<string, readonly Span[]> {
  const ranges = new Map<string, Span[]>()
  const add = (names: readonly string[], start: number, end: number) => {
    for (const name of names) {
      const isSet = ({ type, pos }: SyntaxNode) => type === 'Assignment' && pos >= start
      const next = nodes.find((node) => isSet(node) && 'name' in node && node.name === name)
      const until = Math.min(end, next?.pos ?? end)
      ranges.set(name, [...(ranges.get(name) ?? []), { start, end: until }])
    }
  }
  const patterns = patternVariables(nodes)
  /** The end of the list of commands that a node belongs to. */
  const endOfList = (node: SyntaxNode) => {
    let above = parents.get(node)
    while (above && !/^(?:CompoundList|Script|BraceGroup|Subshell)$/.test(above.type)) {
      above = parents.get(above)
    }
    return (above ?? root).end
  }
  for (const node of nodes) {
    if (node.type === 'AndOr') {
      const [first, second] = node.commands
      const operator = first && second ? textOf({ pos: first.end, end: second.pos }).trim() : ''
      if (!first || !second) continue
      // `check || exit` protects the lines after it, and `check && use` the rest of this line.
      if (operator === '||' && leaves(textOf(second))) {
        add(namesChecked(first, true, textOf, patterns), node.end, endOfList(node))
      }
      if (operator === '&&' && leaves(textOf(second))) {
        add(namesChecked(first, false, textOf, patterns), node.end, endOfList(node))
      }
      if (operator === '&&') add(namesChecked(first, true, textOf, patterns), second.pos, node.end)
    }
    if (node.type === 'If') {
      const { clause, then, else: otherwise } = node
      add(namesChecked(clause, true, textOf, patterns), then.pos, then.end)
      const negated = namesChecked(clause, false, textOf, patterns)
      if (otherwise) add(negated, otherwise.pos, otherwise.end)
      if (leaves(textOf(then))) add(negated, node.end, endOfList(node))
    }
    if (node.type === 'Case') {
      const name = variableIn(textOf(node.word))
      if (name === undefined) continue
      const isOpen = (pattern: string) => !/^["']?[\w.:/@ -]+["']?$/.test(pattern)
      for (const item of node.items) {
        const [first] = item.pattern
        if (first && !item.pattern.some((pattern) => isOpen(textOf(pattern)))) {
          add([name], first.end, item.end)
        }
      }
      const others = node.items.filter((item) => item.pattern.some((one) => isOpen(textOf(one))))
      const isClosed = others.length > 0 && others.every((item) => leaves(textOf(item)))
      if (isClosed && others.every((item) => item.pattern.every((one) => textOf(one) === '*'))) {
        add([name], node.end, endOfList(node))
      }
    }
  }
  return ranges
}

function leaves(script: string): boolean {
  return /(?:^|[\s;{(])(?:exit|return|continue)\b/.test(script)
}

/** Variables with a fixed value, for `[[ "$V" =~ $pattern ]]`. */
function patternVariables(nodes: readonly SyntaxNode[]): ReadonlyMap<string, string> {
  return new Map(
    nodes.flatMap((node) => {
      const isWord = node.type === 'Assignment' && node.value.type === 'Word'
      const text = isWord ? fixedText(node.value) : undefined
      return node.type === 'Assignment' && text !== undefined ? [[node.name, text] as const] : []
    }),
  )
}

/**
 * The variables that have passed a check if a test has this result.
 *
 * @param result true if the test succeeded
 */
function namesChecked(
  test: SyntaxNode,
  result: boolean,
  textOf: TextOf,
  patterns: ReadonlyMap<string, string>,
): string[] {
  const text = textOf(test).trim().replace(/;$/, '').trim()
  const [, negation, inside] = /^(!\s+)?\[\[\s+(.*?)\s+\]\]$/s.exec(text) ?? []
  const parts = inside?.split(/\s+(?:\|\||&&)\s+/) ?? [text]
  if (inside === undefined || parts.length === 1) return namesOfTest(text, result, patterns)
  // All parts of `a || b` are false if the whole is, and all parts of `a && b` are true if it is.
  const isTrue = negation === undefined ? result : !result
  const operator = isTrue ? '&&' : '||'
  const others = isTrue ? '||' : '&&'
  if (inside.includes(` ${others} `) || !inside.includes(` ${operator} `)) return []
  return parts.flatMap((part) => namesOfTest(`[[ ${part} ]]`, isTrue, patterns))
}

/** The same for one comparison: `[[ "$V" =~ ^[a-z]+$ ]]`. */
function namesOfTest(
  text: string,
  result: boolean,
  patterns: ReadonlyMap<string, string>,
): string[] {
  const isNegated = /^!\s|^\[\[\s+!\s/.test(text)
  if (isNegated === result) return []
  const [, left = '', operator, right = ''] =
    /^(?:!\s+)?(?:\[\[|\[|test)\s+(?:!\s+)?(\S+)\s+(=~|==?|!=)\s+(.+?)(?:\s+\]\]?)?$/.exec(text) ??
    []
  const name = variableIn(left)
  if (name === undefined || operator === '!=' || /&&|\|\|/.test(right)) return []
  const [, variable] = /^"?\$\{?(\w+)\}?"?$/.exec(right) ?? []
  const pattern = variable === undefined ? right : (patterns.get(variable) ?? '')
  if (operator === '=~') return isAnchored(pattern) ? [name] : []
  const isFixed = /^(?:"[\w.:/@ -]*"|'[^']*'|[\w.:/@-]+)$/.test(right)
  return variable === undefined && isFixed ? [name] : []
}

/** The one variable that a word consists of. */
function variableIn(word: string): string | undefined {
  return /^"?\$\{?([A-Za-z_]\w*)\}?"?$/.exec(word)?.[1]
}

/** `^v[0-9]+(\.[0-9]+)*$`: anchored at both ends, and without a character that a shell interprets. */
function isAnchored(pattern: string): boolean {
  const [, inside] = /^\^(.*)\$$/.exec(pattern) ?? []
  if (inside === undefined) return false
  const withoutClasses = inside
    .replaceAll(/\[(?!\^)(?:\[:(?:alnum|alpha|digit|lower|upper|xdigit):\]|[\w./:@+ -])+\]/g, 'x')
    .replaceAll(/\\[./:+-]/g, 'x')
    .replaceAll(/\{\d+(?:,\d*)?\}/g, '')
  return /^[\w/:@ +*?()|-]*$/.test(withoutClasses)
}
