import {
  Binary,
  ContextAccess,
  type Expr,
  FunctionCall,
  Grouping,
  Literal,
  Logical,
  Star,
  Unary,
} from '@actions/expressions/ast'
import { FROM_GITHUB, FROM_WEBHOOK, highest, type Taint, TRUSTED } from '../../shell/taint-level.ts'
import { wordSet } from '../../wire/words.ts'
import { type EventFields, isWithin, WEBHOOK_FIELDS } from '../../workflow/event-fields.ts'
import { accessTo, expressionKey, nameOfIndex } from '../../workflow/expression-paths.ts'
import { expressionSpans } from '../../workflow/expressions.ts'
import { isFault, parseExpression } from '../../workflow/file-expressions.ts'
import type { Span } from '../../workflow/spans.ts'

/** The taint of a value by its name in lower case; `undefined` asks for the highest of all names. */
export type TaintLookup = (name: string | undefined) => Taint
export type OutputLookup = (owner: string | undefined, output: string | undefined) => Taint

/** The taints of the values that an expression can read. */
export interface TaintScope {
  /** Expressions that a condition compares with fixed values, by `expressionKey`. */
  readonly checked: ReadonlySet<string>
  readonly env: TaintLookup
  /** Untrusted fields of the events that start the workflow. */
  readonly fields: EventFields
  readonly inputs: TaintLookup
  /** Outputs of jobs, in the outputs of a called workflow. */
  readonly jobs: OutputLookup
  readonly matrix: TaintLookup
  readonly needs: OutputLookup
  readonly steps: OutputLookup
}

/** The expressions of a file: each is parsed once, and each string is searched once. */
export class Expressions {
  readonly #parsed = new Map<string, Expr | undefined>()
  readonly #spans = new Map<string, readonly Span[]>()

  /** The inside of every `${{ }}` of a string. */
  spansOf(text: string): readonly Span[] {
    const spans = this.#spans.get(text) ?? expressionSpans(text)
    this.#spans.set(text, spans)
    return spans
  }

  /** The spans whose value has at least this taint. */
  untrusted(text: string, scope: TaintScope, least: Taint): Span[] {
    return this.spansOf(text).filter(
      ({ start, end }) => this.taintOf(text.slice(start, end), scope) >= least,
    )
  }

  /** The taint of a string with `${{ }}` in it. @param keepsObjects whether objects stay objects */
  taintOfText(text: string, scope: TaintScope, keepsObjects = false): Taint {
    return highest(
      this.spansOf(text).map(({ start, end }) =>
        this.taintOf(text.slice(start, end), scope, keepsObjects),
      ),
    )
  }

  /** The taint of an expression without its braces. */
  taintOf(text: string, scope: TaintScope, keepsObjects = false): Taint {
    const tree = this.treeOf(text)
    return tree ? taintOf(tree, scope, keepsObjects) : TRUSTED
  }

  treeOf(text: string): Expr | undefined {
    const expression = text.trim()
    if (!this.#parsed.has(expression)) {
      const parsed = expression === '' ? undefined : parseExpression(expression)
      this.#parsed.set(expression, parsed && !isFault(parsed) ? parsed : undefined)
    }
    return this.#parsed.get(expression)
  }
}

/** Functions whose result is no part of their arguments. */
const HARMLESS = wordSet('contains startswith endswith hashfiles success failure always cancelled')

/** Functions that read objects and lists; everywhere else GitHub writes `Object` or `Array` for these. */
const KEEPS_OBJECTS: ReadonlySet<string> = new Set(['tojson', 'join'])

/** @param keepsObjects whether an object counts; as a string it is only the word `Object` */
function taintOf(expr: Expr, scope: TaintScope, keepsObjects: boolean): Taint {
  if (scope.checked.size > 0 && scope.checked.has(expressionKey(expr))) return TRUSTED
  if (expr instanceof Literal || expr instanceof Unary || expr instanceof Binary) return TRUSTED
  if (expr instanceof Grouping) return taintOf(expr.group, scope, keepsObjects)
  if (expr instanceof Logical) {
    // The result of `a && b` is `a` only if `a` is empty, zero or false.
    const results = expr.operator.lexeme === '&&' ? expr.args.slice(-1) : expr.args
    return highest(results.map((arg) => taintOf(arg, scope, keepsObjects)))
  }
  if (expr instanceof FunctionCall) {
    const { functionName, args } = expr
    const name = functionName.lexeme.toLowerCase()
    if (HARMLESS.has(name)) return TRUSTED
    const results = args.filter(
      (_, at) => name !== 'case' || at % 2 === 1 || at === args.length - 1,
    )
    const keeps = keepsObjects || KEEPS_OBJECTS.has(name)
    return highest(results.map((arg) => taintOf(arg, scope, keeps)))
  }
  const { root, indices } = accessTo(expr)
  const steps = indices.map((index) => (index instanceof Star ? '*' : nameOfIndex(index)))
  // A `*` gives a list, unless a number picks one of its entries.
  const isList = steps.includes('*') && !/^\d+$/.test(steps.at(-1) ?? '')
  if (isList && !keepsObjects) return TRUSTED
  if (root instanceof ContextAccess) {
    return taintOfPath(root.name.lexeme.toLowerCase(), steps, scope, keepsObjects)
  }
  return root === expr ? TRUSTED : taintOf(root, scope, true)
}

/** A name in lower case, `*` for all, or `undefined` for a name that only the run knows. */
type AccessStep = string | undefined

/** The number of steps from a context to a value in it. */
const DEPTH: ReadonlyMap<string, number> = new Map([
  ['env', 1],
  ['inputs', 1],
  ['matrix', 1],
  ['jobs', 3],
  ['needs', 3],
  ['steps', 3],
])

function taintOfPath(
  context: string,
  steps: readonly AccessStep[],
  scope: TaintScope,
  keepsObjects: boolean,
): Taint {
  if (context === 'github') {
    if (isWithin(WEBHOOK_FIELDS, steps, keepsObjects)) return FROM_WEBHOOK
    return isWithin(scope.fields.paths, steps, keepsObjects) ? FROM_GITHUB : TRUSTED
  }
  const names = steps.map((step) => (step === '*' ? undefined : step))
  const [name, field, output] = names
  // The context `on` of a source; `on.webhook.outputs` is an object.
  if (context === 'on') {
    if (field !== undefined && field !== 'outputs') return TRUSTED
    const isObject = names.length < 3 && !names.includes(undefined)
    return isObject && !keepsObjects ? TRUSTED : FROM_WEBHOOK
  }
  const depth = DEPTH.get(context)
  if (depth === undefined || (names.length < depth && !keepsObjects)) return TRUSTED
  if (context === 'env' || context === 'inputs' || context === 'matrix') return scope[context](name)
  if (field !== undefined && field !== 'outputs') return TRUSTED
  if (context === 'jobs') return scope.jobs(name, output)
  return context === 'needs' ? scope.needs(name, output) : scope.steps(name, output)
}

const HEAD = 'github["event"]["pull_request"]["head"]'
const HEAD_BRANCHES = ['github["head_ref"]', `${HEAD}["ref"]`, `${HEAD}["label"]`]

/** The expressions whose values nobody can choose freely if a condition is true. */
export function checkedBy(condition: Expr | undefined): string[] {
  if (condition instanceof Grouping) return checkedBy(condition.group)
  if (condition instanceof Logical) {
    const [first = [], ...others] = condition.args.map(checkedBy)
    return condition.operator.lexeme === '&&'
      ? [first, ...others].flat()
      : first.filter((key) => others.every((keys) => keys.includes(key)))
  }
  if (condition instanceof Binary && condition.operator.lexeme === '==') {
    const sides = [condition.left, condition.right]
    const keys = sides.map(expressionKey).filter((key) => key !== '')
    const compared = sides.some((side) => side instanceof Literal) ? keys : []
    // In a repository of their own, only people with write access create branches.
    return keys.includes(`${HEAD}["repo"]["full_name"]`)
      ? [...compared, ...HEAD_BRANCHES]
      : compared
  }
  if (condition instanceof FunctionCall && /^contains$/i.test(condition.functionName.lexeme)) {
    const [list, value] = condition.args
    const isFixedList =
      list instanceof FunctionCall && list.args.every((arg) => arg instanceof Literal)
    return isFixedList && value && expressionKey(value) !== '' ? [expressionKey(value)] : []
  }
  return []
}
