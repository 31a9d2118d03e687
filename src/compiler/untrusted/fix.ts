import { Scalar } from 'yaml'
import { keyOf } from '../expressions.ts'
import type { SourceFile } from '../source-file.ts'
import { applyEdits, type Edit, ScalarText } from '../spans.ts'
import { type Finding, findUntrusted, type JobStep } from './findings.ts'
import { languageOf } from './language.ts'
import { replacements } from './replacements.ts'
import { child, pairsOf } from './scopes.ts'
import { scriptOf } from './script.ts'
import { addToEnv, envNames, type Variable } from './step-env.ts'
import { variableName } from './variable-names.ts'

/** What `--fix` made of a file. */
export interface Fixed {
  readonly text: string
  /** How many findings are gone. */
  readonly count: number
}

/**
 * Moves untrusted text from scripts into `env:`, where that surely keeps what the script does. The
 * rest stays for a person.
 */
export function fixUntrusted(file: SourceFile): Fixed {
  const findings = findUntrusted(file)
  const fixes = [...new Set(findings.map(({ node }) => node))].map((script) =>
    fixScript(
      file,
      findings.filter(({ node }) => node === script),
    ),
  )
  const text = applyEdits(
    file.source.text,
    fixes.flatMap(({ edits }) => edits),
  )
  return { text, count: fixes.reduce((sum, { count }) => sum + count, 0) }
}

interface ScriptFix {
  readonly edits: readonly Edit[]
  readonly count: number
}

const NO_FIX: ScriptFix = { edits: [], count: 0 }

/** @param findings all of one script */
function fixScript(file: SourceFile, findings: readonly Finding[]): ScriptFix {
  const [first] = findings
  const language = first?.step && languageOf(file, first.key, first.step)
  if (!first?.step || !language) return NO_FIX
  const written = new ScalarText(file.source.text, first.node)
  const script = scriptOf(written.value)
  const all = replacements(script, language)
  const variables = new Variables(file, first.step, script.text)
  const edits = script.placeholders.flatMap(({ braces }, at) => {
    const inside = written.value.slice(braces.start + 3, braces.end - 2)
    const isFound = findings.some(({ expression }) => expression.text === inside)
    const replacement = isFound ? all[at] : undefined
    return replacement ? [replacement.edits(variables.nameFor(replacement.holds(inside)))] : []
  })
  const env = edits.length > 0 && addToEnv(file.source.text, first.step.node, variables.all)
  if (!env) return NO_FIX
  return { edits: [...inSource(written, first.node, edits.flat()), env], count: edits.length }
}

/** Edits of a value as edits of the file; two expressions in one string share its quotes. */
function inSource(written: ScalarText, { type }: Scalar, edits: readonly Edit[]): Edit[] {
  const once = new Map(edits.map((edit) => [edit.start, edit]))
  return [...once.values()].map(({ start, end, text }) => ({
    ...written.span(start, end),
    text: escaped(text, type),
  }))
}

function escaped(text: string, style: Scalar['type']): string {
  if (style === Scalar.QUOTE_SINGLE) return text.replaceAll("'", "''")
  return style === Scalar.QUOTE_DOUBLE ? JSON.stringify(text).slice(1, -1) : text
}

/** The variables that a step gets, one for each value, under names that nothing else has. */
class Variables {
  readonly #names = new Map<string, string>()
  readonly #taken: ReadonlySet<string>
  readonly #script: string

  constructor({ sections }: SourceFile, { job, node }: JobStep, script: string) {
    const outer = [sections.get('env')?.value, child(job.node, 'env')]
    this.#taken = new Set([...envNames(node), ...outer.flatMap((env) => pairsOf(env).map(keyOf))])
    this.#script = script
  }

  get all(): Variable[] {
    return [...this.#names].map(([expression, name]) => ({ name, expression }))
  }

  nameFor(expression: string): string {
    const known = this.#names.get(expression)
    const name = known ?? variableName(expression, (candidate) => this.#isTaken(candidate))
    this.#names.set(expression, name)
    return name
  }

  #isTaken(name: string): boolean {
    const own = [...this.#names.values()].includes(name)
    return own || this.#taken.has(name) || new RegExp(`\\b${name}\\b`).test(this.#script)
  }
}
