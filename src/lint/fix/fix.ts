import { TokenType } from '@actions/expressions/lexer'
import { isMap, isScalar, type Node } from 'yaml'
import { DocumentLines } from '../../workflow/document.ts'
import { expressionSpans } from '../../workflow/expressions.ts'
import { tokensOf } from '../../workflow/file-expressions.ts'
import { childOf, entriesOf, type ParsedFile, type Place } from '../../workflow/nodes.ts'
import type { Operation } from '../../workflow/operations.ts'
import { patch } from '../../workflow/patch.ts'
import { applyEdits, type Edit, singleQuoted } from '../../workflow/spans.ts'
import { keyOf, pairsOf, parseYaml } from '../../workflow/yaml.ts'
import type { JobFlow, StepFlow } from '../flow/flow.ts'
import { type Placeholder, type Script, scriptOf } from '../flow/script.ts'
import { isGoverning } from '../flow/sink-names.ts'
import { type Finding, findUntrusted } from '../untrusted.ts'
import { safeInJavaScript } from './safe-javascript.ts'
import { safeInShell } from './safe-shell.ts'

/** What `--fix` made of a file. */
interface Fixed {
  readonly text: string
  /** How many findings are gone. */
  readonly count: number
}

/**
 * Moves untrusted text from scripts into `env:` where it surely is text then, and the script does
 * what it did. Everything else stays for a person, and stays a finding.
 */
export function fixUntrusted(file: ParsedFile): Fixed {
  const scripts = new Map<Node, Finding[]>()
  const before = findUntrusted(file)
  for (const finding of before) {
    const { text, isExpression, step } = finding
    if (!isExpression || text.isShared || !step || step.place.isShared) continue
    const others = scripts.get(text.node)
    if (others) others.push(finding)
    else scripts.set(text.node, [finding])
  }
  const fixes = [...scripts.values()].map(fixScript)
  const { text } = file.source
  const edits = patch(
    new DocumentLines(text, file.document),
    fixes.flatMap((fix) => fix.operations),
  )
  const count = fixes.reduce((sum, fix) => sum + fix.count, 0)
  const nothing = { text, count: 0 }
  if (count === 0) return nothing
  const source = { ...file.source, text: applyEdits(text, edits) }
  // A place that is told in another way now was made no better.
  const left = findUntrusted({ source, document: parseYaml(source) })
  return left.length <= before.length - count ? { text: source.text, count } : nothing
}

interface ScriptFix {
  readonly operations: readonly Operation[]
  readonly count: number
}

const NO_FIX: ScriptFix = { operations: [], count: 0 }

/** @param findings all of one script */
function fixScript(findings: readonly Finding[]): ScriptFix {
  const [first] = findings
  if (!first?.step || !first.job) return NO_FIX
  const { text, step, job } = first
  const value = text.node.value
  const script = scriptOf(value, expressionSpans(value))
  const names = new VariableNames(job, step, script.text)
  const found = new Set(findings.map(({ at }) => at.start - '${{'.length))
  const edits = replacements(first, script).flatMap((replace, at) => {
    const placeholder = script.placeholders[at]
    const isFound = placeholder && found.has(placeholder.braces.start)
    return replace && isFound ? [replace(placeholder, names)] : []
  })
  if (edits.length === 0) return NO_FIX
  const { variables } = names
  const env = variables.length > 0 ? envOperation(step.place, variables) : []
  if (!env) return NO_FIX
  // Two expressions in one string share its quotes.
  const once = new Map(edits.flat().map((edit) => [edit.start, edit]))
  const rewritten = { op: 'rewriteText', path: text.path, edits: [...once.values()] } as const
  return { operations: [rewritten, ...[env].flat()], count: edits.length }
}

/** The edits of a script that make a variable of one expression. */
type Replace = (placeholder: Placeholder, names: VariableNames) => readonly Edit[]

function replacements({ key, step }: Finding, script: Script): (Replace | undefined)[] {
  if (key === 'run' && step?.shell === 'posix') {
    return safeInShell(script).map(
      (text) =>
        text &&
        (({ braces, expression }, names) => [
          { ...braces, text: text(names.of(expression.trim())) },
        ]),
    )
  }
  if (key !== 'script' || !/^actions\/github-script@/i.test(step?.uses ?? '')) return []
  return safeInJavaScript(script).map((safe, at) => {
    const expression = script.placeholders[at]?.expression.trim() ?? ''
    // Of other code only its author knows what it is: a text, a number, a list.
    if (!safe || (safe.isJson && !/^toJSON\([^()]*\)$/i.test(expression))) return undefined
    return (_, names) => safe.edits(names.of(expression))
  })
}

/** A variable that a step is to get. */
interface Variable {
  readonly name: string
  /** The inside of `${{ }}`. */
  readonly expression: string
}

/** Steps that say nothing about what a value is. */
const IDLE = new Set(['on', 'outputs', 'github', 'event', 'tojson', 'fromjson', 'format', 'join'])

/** The variables that a step gets, one for each value, under names that nothing else has. */
class VariableNames {
  readonly #names = new Map<string, string>()
  /** Those that are there already, by their names in lower case. */
  readonly #declared: ReadonlyMap<string, string>
  readonly #taken: Set<string>

  constructor(job: JobFlow, step: StepFlow, script: string) {
    const env = [job.top, job.place, step.place].flatMap((place) =>
      entriesOf(childOf(place, 'env')),
    )
    this.#declared = new Map(env.map(({ name }) => [name.toLowerCase(), name]))
    this.#taken = new Set([...env.map(({ name }) => name), ...(script.match(/\w+/g) ?? [])])
  }

  get variables(): Variable[] {
    return [...this.#names].map(([expression, name]) => ({ name, expression }))
  }

  /** `on.webhook.outputs.body.title` → `WEBHOOK_BODY_TITLE`. */
  of(expression: string): string {
    // What the context env has is a variable of the step as it is.
    const [, own = ''] = /^env\.([\w-]+)$/i.exec(expression) ?? []
    const declared = this.#declared.get(own.toLowerCase())
    if (declared !== undefined) return declared
    const name =
      this.#names.get(expression) ?? this.#free(wordsOf(expression).join('_').slice(0, 60))
    this.#names.set(expression, name)
    this.#taken.add(name)
    return name
  }

  #free(name: string): string {
    const own = isGoverning(name) ? `EVENT_${name}` : name
    for (let count = 1; ; count++) {
      const candidate = count === 1 ? own : `${own}_${count}`
      if (!this.#taken.has(candidate)) return candidate
    }
  }
}

function wordsOf(expression: string): string[] {
  const words = tokensOf(expression)
    .filter(({ type }) => type === TokenType.IDENTIFIER || type === TokenType.STRING)
    .map(({ lexeme }) => lexeme.replaceAll(/[^A-Za-z0-9]+/g, '_').replaceAll(/^_+|_+$/g, ''))
    .filter((word) => word !== '' && !IDLE.has(word.toLowerCase()))
    .slice(0, 4)
    .map((word) => word.toUpperCase())
  if (words.length > 1) return /^\d/.test(words[0] ?? '') ? ['', ...words] : words
  return words.length === 1 ? ['EVENT', ...words] : ['UNTRUSTED', 'TEXT'] // one word alone may be PATH
}

/**
 * What adds variables to the `env:` of a step, or gives it one after its script.
 *
 * @returns `undefined` where there is no place for them: a step in braces, or an `env:` that is
 * itself an expression, or stands in several places
 */
function envOperation(step: Place, variables: readonly Variable[]): Operation | undefined {
  if (!isMap(step.node) || step.node.flow) return undefined
  const names = pairsOf(step.node).map(keyOf)
  const script = names.findLast((name) => ['run', 'with'].includes(name))
  const env = childOf(step, 'env')
  if (script === undefined) return undefined
  if (env) {
    const isEmpty = env.node === null || (isScalar(env.node) && env.node.value === null)
    if (env.isShared || !(isEmpty || isMap(env.node))) return undefined
  }
  const lines = variables.map(({ name, expression }) => {
    const value = template(expression)
    return `${name}: ${/: | #/.test(value) ? singleQuoted(value) : value}`
  })
  return {
    op: 'insert',
    path: [...step.path, 'env'],
    lines,
    where: 'first',
    parent: { after: script },
  }
}

function template(expression: string): string {
  return `\${{ ${expression.replaceAll(/\s*[\r\n]\s*/g, ' ')} }}`
}
