import { isPair, isScalar, type Node, Scalar, visit } from 'yaml'
import type { Finding, Level } from '../wire/errors.ts'
import { MISTAKES } from '../workflow/mistakes.ts'
import type { ParsedFile } from '../workflow/nodes.ts'
import { didYouMean } from '../workflow/suggestion.ts'
import { positionAt, rangeOf } from '../workflow/yaml.ts'
import type { Rule, RuleFile } from './rule.ts'
import { RULES } from './rules.ts'

/** Where the page of a rule is: `docs/reference/rules.md#unknown-output`. */
const RULES_PAGE = 'https://github.com/hookline/hookline/blob/v1/docs/reference/rules.md'

/** Findings of no rule of `RULES`, by id: SARIF lists them too. */
export const OTHER_FINDINGS: Readonly<Record<string, string>> = {
  'unused-ignore': 'a `# hookline: ignore[…]` that silences nothing, or names no rule',
  ...MISTAKES,
}

const BY_ID: ReadonlyMap<string, Rule> = new Map(RULES.map((rule) => [rule.id, rule]))

/** Finds what is wrong with a file, but for what a comment in it silences. */
export function lint(file: RuleFile): Finding[] {
  const found = RULES.flatMap((rule) =>
    rule.check(file).map((problem): Finding => ({ ...problem, code: rule.id, level: rule.level })),
  )
  return withoutIgnored(file.file, found)
}

/** What counts under `--strict`: an error where a rule says so. */
export function levelOf({ code, level }: Finding, isStrict: boolean): Level {
  return isStrict && BY_ID.get(code)?.isStrict ? 'error' : level
}

/** `# hookline: ignore[id, id] reason` */
const IGNORE = /#[ \t]*hookline:[ \t]*ignore\[([^\]\n]*)\]/g

interface Ignore {
  readonly id: string
  readonly start: number
  readonly end: number
  /** Lines, counted from 1, on which what it covers begins. */
  readonly line: number
}

function withoutIgnored({ source, document }: ParsedFile, findings: readonly Finding[]): Finding[] {
  if (!source.text.includes('ignore[')) return [...findings]
  const ignores = ignoresIn({ source, document })
  if (ignores.length === 0) return [...findings]
  const used = new Set<Ignore>()
  const left = findings.filter((finding) => {
    const { position, code } = finding
    if (!position || position.source.file !== source.file) return true
    const lines = linesAround({ source, document }, position.line, position.column)
    const silencing = ignores.filter(({ id, line }) => id === code && lines.has(line))
    for (const one of silencing) used.add(one)
    return silencing.length === 0
  })
  const idle = ignores.filter((ignore) => !used.has(ignore))
  return [...left, ...idle.map((ignore) => idleProblem({ source, document }, ignore))]
}

function idleProblem({ source }: ParsedFile, { id, start, end }: Ignore): Finding {
  const hint = BY_ID.has(id) ? 'leave it out' : didYouMean(id, [...BY_ID.keys()])
  const message = BY_ID.has(id) ? `nothing here is "${id}"` : `there is no rule "${id}"`
  const position = positionAt(source, start, end)
  return { code: 'unused-ignore', level: 'warning', message, position, ...(hint && { hint }) }
}

/** Those in comments: within a text, they are a part of it. */
function ignoresIn({ source, document }: ParsedFile): Ignore[] {
  const texts: (readonly [start: number, end: number])[] = []
  visit(document, {
    Scalar(_, scalar) {
      const [start, end] = rangeOf(scalar)
      const isBlock = scalar.type === Scalar.BLOCK_LITERAL || scalar.type === Scalar.BLOCK_FOLDED
      // The line on which a block begins may end in a comment.
      texts.push([isBlock ? source.text.indexOf('\n', start) : start, end])
    },
  })
  return [...source.text.matchAll(IGNORE)].flatMap(({ 0: found, 1: ids = '', index }) => {
    if (texts.some(([start, end]) => index > start && index < end)) return []
    const { line } = positionAt(source, index, index + found.length)
    const lineStart = source.text.lastIndexOf('\n', index - 1) + 1
    const isAlone = source.text.slice(lineStart, index).trim() === ''
    return ids.split(',').map((id) => ({
      id: id.trim(),
      start: index,
      end: index + found.length,
      line: isAlone ? line + 1 : line,
    }))
  })
}

/** The lines on which the node at a place, its key and the place itself begin. */
function linesAround({ source, document }: ParsedFile, line: number, column: number): Set<number> {
  const before = source.text.split('\n').slice(0, line - 1)
  const at = before.reduce((sum, one) => sum + one.length + 1, 0) + column - 1
  const lines = new Set([line])
  const lineOf = (node: Node) => positionAt(source, ...rangeOf(node)).line
  visit(document, {
    Scalar(key, scalar, path) {
      const [start, end] = rangeOf(scalar)
      if (at < start || at >= end) return undefined
      lines.add(lineOf(scalar))
      const pair = path.at(-1)
      if (key === 'value' && isPair(pair) && isScalar(pair.key)) lines.add(lineOf(pair.key))
      return visit.BREAK
    },
  })
  return lines
}

/** Where the page says why it is a mistake, and what to do. */
export function pageOf(id: string): string {
  return `${RULES_PAGE}#${id in MISTAKES && !BY_ID.has(id) ? 'mistakes' : id}`
}

/** For people: with the rule that found it, which a comment can silence. */
export function withRule(finding: Finding): Finding {
  const { code, notes = [] } = finding
  if (!BY_ID.has(code)) return finding
  return { ...finding, notes: [...notes, `${code}: ${pageOf(code)}`] }
}
