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
import { wordSet } from '../../wire/words.ts'
import { expressionSpans } from '../../workflow/expressions.ts'
import { isFault, parseExpression } from '../../workflow/file-expressions.ts'
import type { Span } from '../../workflow/spans.ts'

/** The person who chooses a value. */
export const TRUSTED = 0
/** Anyone who can open an issue or a pull request: a field of an event of GitHub. */
export const FROM_GITHUB = 1
/** The sender of a webhook. */
export const FROM_WEBHOOK = 2
export type Taint = typeof TRUSTED | typeof FROM_GITHUB | typeof FROM_WEBHOOK

export function highest(taints: Iterable<Taint>): Taint {
  let max: Taint = TRUSTED
  for (const taint of taints) if (taint > max) max = taint
  return max
}

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
const HARMLESS: ReadonlySet<string> = new Set(
  'contains startswith endswith hashfiles success failure always cancelled'.split(' '),
)

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
  return root === expr ? TRUSTED : taintOf(root, scope, true)
}

/** A name in lower case, `*` for all, or `undefined` for a name that only the run knows. */
type AccessStep = string | undefined

function stepOf(index: Expr | Star): AccessStep {
  if (index instanceof Star) return '*'
  return index instanceof Literal ? index.literal.coerceString().toLowerCase() : undefined
}

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
  if (context === 'github') return taintOfEvent(steps, scope.fields, keepsObjects)
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

/**
 * Fields of GitHub's events that anyone can choose, even without permissions in the repository.
 *
 * Sources: actionlint's list of untrusted inputs; zizmor's context-capabilities for `workflow_run`,
 * `changes` and `merge_group`.
 */
const GITHUB_FIELDS = pathsIn(`
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
  head_ref`)

/** The events of a pull request, and those of its reviews. */
const PULL_REQUEST =
  'pull_request pull_request_target pull_request_review pull_request_review_comment'

/**
 * The events that have a field, by the first name of the field.
 *
 * Source: https://docs.github.com/webhooks/webhook-events-and-payloads
 */
const EVENTS_OF_FIELD: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    answer: 'discussion',
    changes: `${PULL_REQUEST} discussion discussion_comment issue_comment issues`,
    check_run: 'check_run',
    check_suite: 'check_suite',
    comment: 'discussion_comment issue_comment pull_request_review_comment',
    commits: 'push',
    discussion: 'discussion discussion_comment',
    head_commit: 'push',
    head_ref: PULL_REQUEST,
    issue: 'issue_comment issues',
    merge_group: 'merge_group',
    pages: 'gollum',
    pull_request: PULL_REQUEST,
    review: 'pull_request_review',
    review_comment: 'pull_request_review_comment',
    workflow_run: 'workflow_run',
  }).map(([field, events]) => [field, wordSet(events)]),
)

/** Untrusted fields of the event, as expressions and as scripts read them. */
export interface EventFields {
  readonly paths: readonly (readonly string[])[]
  /** How JavaScript reads one of them: `payload.issue.title`, `pull_request?.head.ref`. */
  readonly inScript: RegExp
}

/** @param events under `on:`; without them any event may start the workflow */
export function eventFields(events?: readonly string[]): EventFields {
  const paths = GITHUB_FIELDS.filter(([first = '', second = '']) => {
    const known = EVENTS_OF_FIELD.get(first === 'event' ? second : first)
    return !events || !known || events.some((event) => known.has(event.toLowerCase()))
  })
  const names = paths.flatMap((path) => {
    if (path.includes('commits')) return 'commits'
    const [owner, name] = path.slice(-2)
    return name === undefined || owner === '*' ? [] : `${owner}\\??\\.${name}`
  })
  // Without a name, the pattern matches nothing.
  return { paths, inScript: names.length > 0 ? new RegExp(`\\b(?:${names.join('|')})\\b`) : /(?!)/ }
}

/** A webhook, as `repository_dispatch` and the input of `workflow_dispatch` carry it. */
const WEBHOOK_FIELDS = pathsIn('event.client_payload event.inputs.hookline')

function pathsIn(text: string): readonly (readonly string[])[] {
  return text
    .trim()
    .split(/\s+/)
    .map((path) => path.split('.'))
}

function taintOfEvent(
  steps: readonly AccessStep[],
  { paths }: EventFields,
  keepsObjects: boolean,
): Taint {
  if (isWithin(WEBHOOK_FIELDS, steps, keepsObjects)) return FROM_WEBHOOK
  return isWithin(paths, steps, keepsObjects) ? FROM_GITHUB : TRUSTED
}

/** Whether a path is one of these fields, or below one; with `keepsObjects`, also above one. */
function isWithin(
  fields: readonly (readonly string[])[],
  steps: readonly AccessStep[],
  keepsObjects: boolean,
): boolean {
  const isDynamic = steps.includes(undefined)
  return fields.some((path) => {
    const isAbove = steps.length < path.length || (path[1] === 'client_payload' && steps.length < 3)
    if (isAbove && !keepsObjects && !isDynamic) return false
    return steps.every((step, at) => {
      const wanted = path[at]
      return wanted === undefined || wanted === '*' || step === '*' || (step ?? wanted) === wanted
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
