import { isPair, isScalar, type Node, Scalar, visit } from 'yaml'
import type { Finding, Level, Position } from '../wire/errors.ts'
import { asFindings, MISTAKES, STRICT_MISTAKES } from '../workflow/mistakes.ts'
import type { ParsedFile } from '../workflow/nodes.ts'
import { didYouMean } from '../workflow/suggestion.ts'
import { offsetOf, positionAt, rangeOf, yamlWarnings } from '../workflow/yaml.ts'
import { levelWithoutStrict, type Rule, type RuleFile } from './rule.ts'
import { RULES } from './rules.ts'

/** The address of the page of all rules; the section of a rule is its anchor. */
const RULES_PAGE = 'https://github.com/hookline/hookline/blob/v1/docs/reference/rules.md'

/** Findings that no rule of `RULES` makes, by id; SARIF lists them too. */
export const OTHER_FINDINGS: Readonly<Record<string, string>> = {
  'unused-ignore': 'a `# hookline: ignore[…]` that suppresses nothing, or names no rule',
  ...MISTAKES,
}

const BY_ID: ReadonlyMap<string, Rule> = new Map(RULES.map((rule) => [rule.id, rule]))

/** The findings of all rules, without those that a comment in the file suppresses. */
export function checkFile(file: RuleFile): Finding[] {
  const found = RULES.flatMap((rule) => {
    const level = levelWithoutStrict(rule)
    return file.findings(rule).map((problem): Finding => ({ ...problem, code: rule.id, level }))
  })
  const { source, document } = file.file
  const warnings = asFindings(yamlWarnings(source, document), 'warning')
  return withoutIgnored(file.file, onceALine([...found, ...warnings]))
}

/** Leaves out a mistake that is the same as an earlier one in its line. */
function onceALine(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>()
  return findings.filter(({ code, message, position }) => {
    const key = `${code}:${position?.source.file}:${position?.line}:${message}`
    if (position && seen.has(key)) return false
    seen.add(key)
    return true
  })
}

export function levelOf({ code, level }: Finding, isStrict: boolean): Level {
  const isOfStrict = BY_ID.get(code)?.level === 'strict' || STRICT_MISTAKES.has(code)
  return isStrict && isOfStrict ? 'error' : level
}

/** `# hookline: ignore[id, id] reason` */
const IGNORE = /#[ \t]*hookline:[ \t]*ignore\[([^\]\n]*)\]/g

interface Ignore {
  readonly id: string
  readonly start: number
  readonly end: number
  /** The line, counted from 1, on which the node that it covers begins. */
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
    const lines = linesAround({ source, document }, position)
    const matching = ignores.filter(({ id, line }) => id === code && lines.has(line))
    for (const ignore of matching) used.add(ignore)
    return matching.length === 0
  })
  const unused = ignores.filter((ignore) => !used.has(ignore))
  return [...left, ...unused.map((ignore) => unusedIgnore({ source, document }, ignore))]
}

function unusedIgnore({ source }: ParsedFile, { id, start, end }: Ignore): Finding {
  const hint = BY_ID.has(id) ? 'remove it' : didYouMean(id, [...BY_ID.keys()])
  const message = BY_ID.has(id) ? `"${id}" has no finding here` : `there is no rule "${id}"`
  const position = positionAt(source, start, end)
  return { code: 'unused-ignore', level: 'warning', message, position, ...(hint && { hint }) }
}

/** The ignores in comments; inside of a string, `#` belongs to the string. */
function ignoresIn({ source, document }: ParsedFile): Ignore[] {
  const texts: (readonly [start: number, end: number])[] = []
  visit(document, {
    Scalar(_, scalar) {
      const [start, end] = rangeOf(scalar)
      const isBlock = scalar.type === Scalar.BLOCK_LITERAL || scalar.type === Scalar.BLOCK_FOLDED
      // The line on which a block scalar begins can end in a comment.
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

/** The lines on which a position, its node, and the key of that node begin. */
function linesAround({ source, document }: ParsedFile, position: Position): Set<number> {
  const at = offsetOf(position)
  const lines = new Set([position.line])
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

/** The address of the section that explains a finding. */
export function pageOf(id: string): string {
  return `${RULES_PAGE}#${id in MISTAKES && !BY_ID.has(id) ? 'mistakes' : id}`
}

/** A finding with a note that names its rule, for people. */
export function withRule(finding: Finding): Finding {
  const { code, notes = [] } = finding
  if (!BY_ID.has(code)) return finding
  return { ...finding, notes: [...notes, `${code}: ${pageOf(code)}`] }
}
