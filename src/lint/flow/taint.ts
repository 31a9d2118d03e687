import {
  Binary,
  ContextAccess,
  type Expr,
  FunctionCall,
  Grouping,
  IndexAccess,
  Literal,
  Logical,
  Star,
  Unary,
} from '@actions/expressions/ast'
import { expressionSpans } from '../../workflow/expressions.ts'
import { isFault, parseExpression, partsOf } from '../../workflow/file-expressions.ts'
import type { Span } from '../../workflow/spans.ts'

/** How much of a value the sender of an event can choose. */
export const TRUSTED = 0
/** A whole item, as the action outputs it: the sender chooses its fields, and not its form. */
export const WHOLE_ITEM = 1
export const UNTRUSTED = 2
export type Taint = typeof TRUSTED | typeof WHOLE_ITEM | typeof UNTRUSTED

export function highest(taints: Iterable<Taint>): Taint {
  let max: Taint = TRUSTED
  for (const taint of taints) if (taint > max) max = taint
  return max
}

/** The events whose fields count: all, those of webhooks, or those of `workflow_dispatch` by the relay. */
export type CountedEvents = 'all' | 'webhooks' | 'calls'

/** The taint of a value by its name in lower case; `undefined` asks for the highest of all names. */
export type TaintLookup = (name: string | undefined) => Taint
export type OutputLookup = (owner: string | undefined, output: string | undefined) => Taint

/** The taints of the values that an expression can read. */
export interface TaintScope {
  readonly events: CountedEvents
  /** Expressions that a condition compares with fixed values, by `expressionKey`. */
  readonly checked: ReadonlySet<string>
  readonly env: TaintLookup
  readonly inputs: TaintLookup
  /** Outputs of jobs, in the outputs of a called workflow. */
  readonly jobs: OutputLookup
  readonly matrix: TaintLookup
  readonly needs: OutputLookup
  readonly secrets: TaintLookup
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
  untrusted(text: string, scope: TaintScope, least: Taint = WHOLE_ITEM): Span[] {
    const spans = this.spansOf(text)
    const isPart = !isOneExpression(text, spans)
    return spans.filter(({ start, end }) => {
      const taint = this.taintOf(text.slice(start, end), scope)
      // An item inside of another string has lost its form.
      return taint >= (isPart ? WHOLE_ITEM : least)
    })
  }

  /** The taint of a string with `${{ }}` in it. @param keepsObjects whether objects stay objects */
  taintOfText(text: string, scope: TaintScope, keepsObjects = false): Taint {
    const spans = this.spansOf(text)
    const taint = highest(
      spans.map(({ start, end }) => this.taintOf(text.slice(start, end), scope, keepsObjects)),
    )
    return taint === TRUSTED || isOneExpression(text, spans) ? taint : UNTRUSTED
  }

  /** The taint of an expression without its braces. */
  taintOf(text: string, scope: TaintScope, keepsObjects = false): Taint {
    const tree = this.treeOf(text)
    return tree ? taintOf(tree, scope, keepsObjects) : TRUSTED
  }

  /** The spans in which untrusted input chooses a value of a context: `secrets[inputs.on]`. */
  chosen(context: string, text: string, scope: TaintScope): Span[] {
    if (!text.toLowerCase().includes(context)) return []
    return this.spansOf(text).filter(({ start, end }) => {
      const tree = this.treeOf(text.slice(start, end))
      return tree !== undefined && partsOf(tree).some((part) => isChosen(context, part, scope))
    })
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

function isOneExpression(text: string, [only, ...others]: readonly Span[]): boolean {
  const around = only && `${text.slice(0, only.start)}${text.slice(only.end)}`.trim()
  return others.length === 0 && around === '${{}}'
}

function isChosen(context: string, part: Expr, scope: TaintScope): boolean {
  if (!(part instanceof IndexAccess) || part.index instanceof Star) return false
  let whole = part.expr
  while (whole instanceof Grouping) whole = whole.group
  const isOfContext = whole instanceof ContextAccess && whole.name.lexeme.toLowerCase() === context
  return isOfContext && taintOf(part.index, scope, false) > TRUSTED
}

/** Functions whose result is no part of their arguments. */
const HARMLESS: ReadonlySet<string> = new Set(
  'contains startswith endswith hashfiles success failure always cancelled'.split(' '),
)

/** Functions whose result is one of their arguments, in the same or another form. */
const UNCHANGING: ReadonlySet<string> = new Set(['tojson', 'fromjson', 'case'])

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
    const taint = highest(results.map((arg) => taintOf(arg, scope, keeps)))
    return taint === TRUSTED || UNCHANGING.has(name) ? taint : UNTRUSTED
  }
  // `on.webhook['outputs']` has the root `on`, and two steps.
  const steps: AccessStep[] = []
  let root = expr
  for (; root instanceof IndexAccess; root = root.expr) steps.unshift(stepOf(root.index))
  // A `*` gives a list, unless a number picks one of its entries.
  const isList = steps.includes('*') && !/^\d+$/.test(steps.at(-1) ?? '')
  if (isList && !keepsObjects) return TRUSTED
  if (root instanceof ContextAccess) {
    return taintOfPath(root.name.lexeme.toLowerCase(), steps, scope, keepsObjects)
  }
  if (root === expr) return TRUSTED
  const taint = taintOf(root, scope, true)
  // One entry of a list of items, by its number, is an item.
  const isEntry = steps.length === 1 && /^\d+$/.test(steps[0] ?? '')
  return taint === TRUSTED || isEntry ? taint : UNTRUSTED
}

/** A name in lower case, `*` for all, or `undefined` for a name that only the run knows. */
type AccessStep = string | undefined

function stepOf(index: Expr | Star): AccessStep {
  if (index instanceof Star) return '*'
  return index instanceof Literal ? index.literal.coerceString().toLowerCase() : undefined
}

/** The number of steps to a value that can be an item; a longer path reads a field of it. */
const DEPTH: ReadonlyMap<string, number> = new Map([
  ['on', 0],
  ['env', 1],
  ['inputs', 1],
  ['matrix', 1],
  ['secrets', 1],
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
  if (context === 'github') return isFromEvent(steps, scope, keepsObjects) ? UNTRUSTED : TRUSTED
  const depth = DEPTH.get(context)
  if (depth === undefined) return TRUSTED
  const names = steps.map((step) => (step === '*' ? undefined : step))
  if (context === 'on') return taintOfOn(names, keepsObjects)
  if (names.length < depth && !keepsObjects) return TRUSTED
  const taint = contextTaint(context, names, scope)
  return taint === TRUSTED || names.length === depth ? taint : UNTRUSTED
}

function contextTaint(
  context: string,
  [name, field, output]: readonly AccessStep[],
  scope: TaintScope,
): Taint {
  switch (context) {
    case 'env':
      return scope.env(name)
    case 'inputs':
      return scope.inputs(name)
    case 'matrix':
      return scope.matrix(name)
    case 'secrets':
      return scope.secrets(name)
    default: {
      const isOutput = field === undefined || field === 'outputs'
      if (!isOutput) return TRUSTED
      if (context === 'jobs') return scope.jobs(name, output)
      return context === 'needs' ? scope.needs(name, output) : scope.steps(name, output)
    }
  }
}

/** The context `on` of a source is an item, and `on.webhook.outputs` an object in it. */
function taintOfOn(names: readonly AccessStep[], keepsObjects: boolean): Taint {
  const [, field] = names
  if (field !== undefined && field !== 'outputs') return TRUSTED
  if (names.length < 3 && !names.includes(undefined) && !keepsObjects) return TRUSTED
  return names.length === 0 ? WHOLE_ITEM : UNTRUSTED
}

/**
 * Fields of GitHub's events that anyone can choose, even without permissions in the repository.
 *
 * Sources: actionlint's list of untrusted inputs; zizmor's context-capabilities for `workflow_run`,
 * `changes` and `merge_group`. `inputs.hookline` is a webhook that the relay dispatched.
 */
const FROM_EVENTS = `
  event.client_payload
  event.inputs.hookline
  event.answer.body
  event.changes.body.from
  event.changes.title.from
  event.check_run.check_suite.head_branch
  event.check_run.pull_requests.*.head.ref
  event.check_suite.head_branch
  event.check_suite.head_commit.author.email
  event.check_suite.head_commit.author.name
  event.check_suite.head_commit.committer.email
  event.check_suite.head_commit.committer.name
  event.check_suite.head_commit.message
  event.check_suite.pull_requests.*.head.ref
  event.comment.body
  event.commits.*.author.email
  event.commits.*.author.name
  event.commits.*.committer.email
  event.commits.*.committer.name
  event.commits.*.message
  event.discussion.body
  event.discussion.title
  event.head_commit.author.email
  event.head_commit.author.name
  event.head_commit.committer.email
  event.head_commit.committer.name
  event.head_commit.message
  event.issue.body
  event.issue.title
  event.merge_group.head_commit.author.name
  event.merge_group.head_commit.committer.name
  event.merge_group.head_commit.message
  event.pages.*.page_name
  event.pages.*.title
  event.pull_request.body
  event.pull_request.head.label
  event.pull_request.head.ref
  event.pull_request.head.repo.default_branch
  event.pull_request.head.repo.description
  event.pull_request.head.repo.homepage
  event.pull_request.title
  event.review.body
  event.review_comment.body
  event.workflow_run.display_title
  event.workflow_run.head_branch
  event.workflow_run.head_commit.author.email
  event.workflow_run.head_commit.author.name
  event.workflow_run.head_commit.committer.email
  event.workflow_run.head_commit.committer.name
  event.workflow_run.head_commit.message
  event.workflow_run.head_repository.description
  event.workflow_run.pull_requests.*.head.ref
  head_ref`
  .trim()
  .split(/\s+/)
  .map((path) => path.split('.'))

const COUNTED: Readonly<Record<CountedEvents, typeof FROM_EVENTS>> = {
  all: FROM_EVENTS,
  webhooks: FROM_EVENTS.slice(0, 2),
  calls: FROM_EVENTS.slice(1, 2),
}

/** Whether a path is one of these fields, or below one; with `keepsObjects`, also above one. */
function isFromEvent(
  steps: readonly AccessStep[],
  { events }: TaintScope,
  keepsObjects: boolean,
): boolean {
  const isDynamic = steps.includes(undefined)
  return COUNTED[events].some((path) => {
    const isAbove = steps.length < path.length || (path[1] === 'client_payload' && steps.length < 3)
    if (isAbove && !keepsObjects && !isDynamic) return false
    return steps.every((step, at) => {
      const wanted = path[at]
      return (
        wanted === undefined ||
        wanted === '*' ||
        step === '*' ||
        step === undefined ||
        step === wanted
      )
    })
  })
}

/** One spelling for all ways to write an expression; empty for an operator. */
export function expressionKey(expr: Expr | Star): string {
  if (expr instanceof Grouping) return expressionKey(expr.group)
  if (expr instanceof ContextAccess) return expr.name.lexeme.toLowerCase()
  if (expr instanceof Literal) return JSON.stringify(expr.literal.coerceString().toLowerCase())
  if (expr instanceof IndexAccess)
    return `${expressionKey(expr.expr)}[${expressionKey(expr.index)}]`
  if (expr instanceof FunctionCall) {
    return `${expr.functionName.lexeme.toLowerCase()}(${expr.args.map(expressionKey).join()})`
  }
  return expr instanceof Star ? '*' : ''
}

/** The expressions that a condition compares with fixed strings: each has one of these values then. */
export function checkedBy(condition: Expr | undefined): string[] {
  if (condition instanceof Grouping) return checkedBy(condition.group)
  if (condition instanceof Binary && condition.operator.lexeme === '==') {
    const [value, fixed] =
      condition.left instanceof Literal
        ? [condition.right, condition.left]
        : [condition.left, condition.right]
    return fixed instanceof Literal && expressionKey(value) !== '' ? [expressionKey(value)] : []
  }
  if (
    condition instanceof FunctionCall &&
    condition.functionName.lexeme.toLowerCase() === 'contains'
  ) {
    const [list, value] = condition.args
    const isFixedList =
      list instanceof FunctionCall && list.args.every((arg) => arg instanceof Literal)
    return isFixedList && value && expressionKey(value) !== '' ? [expressionKey(value)] : []
  }
  if (!(condition instanceof Logical)) return []
  const [first = [], ...others] = condition.args.map(checkedBy)
  return condition.operator.lexeme === '&&'
    ? [first, ...others].flat()
    : first.filter((key) => others.every((keys) => keys.includes(key)))
}
