import {
  Binary,
  ContextAccess,
  type Expr,
  FunctionCall,
  Grouping,
  IndexAccess,
  Literal,
  Logical,
  Unary,
} from '@actions/expressions/ast'
import { expressionSpans } from '../../workflow/expressions.ts'
import { isFault, parseExpression, partsOf } from '../../workflow/file-expressions.ts'
import type { Span } from '../../workflow/spans.ts'

/**
 * Of which events the texts count: all, those that bring a webhook, or those of a direct call alone.
 * `fields`: of all, but not an item as the action gives it, whole and unchanged. Whatever else reads a
 * context counts there, a sender's or not: it is asked only of what counts otherwise.
 */
export type CountedEvents = 'all' | 'webhooks' | 'calls' | 'fields'

/** Which values of the other contexts a sender worded; names are in lower case, `undefined` is any. */
export interface Scope {
  readonly events: CountedEvents
  env(name: string | undefined): boolean
  inputs(name: string | undefined): boolean
  /** Outputs of jobs, in those of a workflow that is called. */
  jobs(job: string | undefined, output: string | undefined): boolean
  matrix(key: string | undefined): boolean
  needs(job: string | undefined, output: string | undefined): boolean
  secrets(name: string | undefined): boolean
  steps(id: string | undefined, output: string | undefined): boolean
}

/** The expressions of a file: each is parsed once, and each text searched once. */
export class Expressions {
  readonly #parsed = new Map<string, Expr | undefined>()
  readonly #spans = new Map<string, readonly Span[]>()

  /** The insides of all `${{ }}` of a text. */
  spansOf(text: string): readonly Span[] {
    const spans = this.#spans.get(text) ?? expressionSpans(text)
    this.#spans.set(text, spans)
    return spans
  }

  /** Those of them that can hold text that the sender of an event chose. */
  untrusted(text: string, scope: Scope): Span[] {
    const spans = this.spansOf(text)
    if (scope.events === 'fields' && !isOneExpression(text, spans)) return [...spans]
    return spans.filter(({ start, end }) => this.isUntrusted(text.slice(start, end), scope))
  }

  /** True when the value of an expression can hold text that the sender of an event chose. */
  isUntrusted(text: string, scope: Scope): boolean {
    const tree = this.#treeOf(text)
    return tree !== undefined && isTainted(tree, scope)
  }

  /** The insides of those `${{ }}` in which such text says which one is read: `secrets[inputs.on]`. */
  chosen(context: string, text: string, scope: Scope): Span[] {
    if (!text.toLowerCase().includes(context)) return []
    return this.spansOf(text).filter(({ start, end }) => {
      const tree = this.#treeOf(text.slice(start, end))
      return tree !== undefined && partsOf(tree).some((part) => isChosen(context, part, scope))
    })
  }

  #treeOf(text: string): Expr | undefined {
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

function isChosen(context: string, part: Expr, scope: Scope): boolean {
  if (!(part instanceof IndexAccess)) return false
  let whole = part.expr
  while (whole instanceof Grouping) whole = whole.group
  const isOfContext = whole instanceof ContextAccess && whole.name.lexeme.toLowerCase() === context
  return isOfContext && isTainted(part.index, scope)
}

/** Functions whose result no sender can word. */
const HARMLESS: ReadonlySet<string> = new Set(
  'contains startswith endswith hashfiles success failure always cancelled'.split(' '),
)

/** Functions whose result is one of their arguments, in this form or that. */
const UNCHANGING: ReadonlySet<string> = new Set(['tojson', 'fromjson', 'case'])

/** How many steps into each context an item lies; what lies deeper is a part of one. */
const ITEM_DEPTH: ReadonlyMap<string, number> = new Map([
  ['on', 0],
  ...['env', 'inputs', 'matrix'].map((context) => [context, 1] as const),
  ...['jobs', 'needs', 'steps'].map((context) => [context, 3] as const),
])

function isTainted(expr: Expr, scope: Scope): boolean {
  if (expr instanceof Literal || expr instanceof Unary || expr instanceof Binary) return false
  if (expr instanceof Grouping) return isTainted(expr.group, scope)
  if (expr instanceof Logical) {
    // Of `a && b`, `a` is the result only when it is empty, zero or false.
    const results = expr.operator.lexeme === '&&' ? expr.args.slice(-1) : expr.args
    return results.some((arg) => isTainted(arg, scope))
  }
  if (expr instanceof FunctionCall) {
    const { functionName, args } = expr
    const name = functionName.lexeme.toLowerCase()
    const isResult = (at: number) => name !== 'case' || at % 2 === 1 || at === args.length - 1
    if (scope.events === 'fields' && !HARMLESS.has(name) && !UNCHANGING.has(name)) return true
    return !HARMLESS.has(name) && args.some((arg, at) => isResult(at) && isTainted(arg, scope))
  }
  // `on.webhook['outputs']` is its root `on` and the steps from there.
  const steps: (string | undefined)[] = []
  let root = expr
  for (; root instanceof IndexAccess; root = root.expr) {
    const { index } = root
    const isFixed = index instanceof Literal
    steps.unshift(isFixed ? index.literal.coerceString().toLowerCase() : undefined)
  }
  const isOfFields = scope.events === 'fields'
  if (!(root instanceof ContextAccess)) {
    // Of a list of items one, by its number.
    const isEntry = steps.length === 1 && /^\d+$/.test(steps[0] ?? '')
    return root !== expr && ((isOfFields && !isEntry) || isTainted(root, scope))
  }
  const context = root.name.lexeme.toLowerCase()
  const depth = isOfFields ? ITEM_DEPTH.get(context) : undefined
  if (depth !== undefined && (steps.length !== depth || steps.includes(undefined))) return true
  return CONTEXTS.get(context)?.(steps, scope) ?? false
}

/** Steps into a context; `undefined` for one that is only known at run time, or for all there are. */
type Steps = readonly (string | undefined)[]

/**
 * What anyone may word in the events of GitHub's own.
 *
 * Sources: actionlint's list of untrusted inputs; zizmor's context-capabilities for `workflow_run`,
 * `changes` and `merge_group`. `inputs.hookline` is a webhook that the relay handed on.
 */
const FROM_EVENTS = [
  'event.client_payload',
  'event.inputs.hookline',
  'event.answer.body',
  'event.changes.body.from',
  'event.changes.title.from',
  'event.check_run.check_suite.head_branch',
  'event.check_run.pull_requests.*.head.ref',
  'event.check_suite.head_branch',
  'event.check_suite.head_commit.author.email',
  'event.check_suite.head_commit.author.name',
  'event.check_suite.head_commit.committer.email',
  'event.check_suite.head_commit.committer.name',
  'event.check_suite.head_commit.message',
  'event.check_suite.pull_requests.*.head.ref',
  'event.comment.body',
  'event.commits.*.author.email',
  'event.commits.*.author.name',
  'event.commits.*.committer.email',
  'event.commits.*.committer.name',
  'event.commits.*.message',
  'event.discussion.body',
  'event.discussion.title',
  'event.head_commit.author.email',
  'event.head_commit.author.name',
  'event.head_commit.committer.email',
  'event.head_commit.committer.name',
  'event.head_commit.message',
  'event.issue.body',
  'event.issue.title',
  'event.merge_group.head_commit.author.name',
  'event.merge_group.head_commit.committer.name',
  'event.merge_group.head_commit.message',
  'event.pages.*.page_name',
  'event.pages.*.title',
  'event.pull_request.body',
  'event.pull_request.head.label',
  'event.pull_request.head.ref',
  'event.pull_request.head.repo.default_branch',
  'event.pull_request.head.repo.description',
  'event.pull_request.head.repo.homepage',
  'event.pull_request.title',
  'event.review.body',
  'event.review_comment.body',
  'event.workflow_run.display_title',
  'event.workflow_run.head_branch',
  'event.workflow_run.head_commit.author.email',
  'event.workflow_run.head_commit.author.name',
  'event.workflow_run.head_commit.committer.email',
  'event.workflow_run.head_commit.committer.name',
  'event.workflow_run.head_commit.message',
  'event.workflow_run.head_repository.description',
  'event.workflow_run.pull_requests.*.head.ref',
  'head_ref',
].map((path) => path.split('.'))

const COUNTED: Readonly<Record<CountedEvents, typeof FROM_EVENTS>> = {
  all: FROM_EVENTS,
  webhooks: FROM_EVENTS.slice(0, 2),
  calls: FROM_EVENTS.slice(1, 2),
  fields: FROM_EVENTS,
}

/** True for one of these values, for what lies in it, and for a whole that holds one. */
function isFromEvent(steps: Steps, { events }: Scope): boolean {
  return COUNTED[events].some((path) =>
    steps.every((step, at) => {
      const wanted = path[at]
      return wanted === undefined || wanted === '*' || step === undefined || step === wanted
    }),
  )
}

/** What of each context comes from a sender. */
const CONTEXTS: ReadonlyMap<string, (steps: Steps, scope: Scope) => boolean> = new Map([
  ['on', ([, field]: Steps, { events }: Scope) => events !== 'fields' && isOr(field, 'outputs')],
  ['github', isFromEvent],
  ['inputs', ([name]: Steps, { inputs }: Scope) => inputs(name)],
  ['env', ([name]: Steps, { env }: Scope) => env(name)],
  ['matrix', ([key]: Steps, { matrix }: Scope) => matrix(key)],
  ['secrets', ([name]: Steps, { secrets }: Scope) => secrets(name)],
  [
    'jobs',
    ([job, field, name]: Steps, { jobs }: Scope) => isOr(field, 'outputs') && jobs(job, name),
  ],
  [
    'needs',
    ([job, field, name]: Steps, { needs }: Scope) => isOr(field, 'outputs') && needs(job, name),
  ],
  [
    'steps',
    ([id, field, name]: Steps, { steps }: Scope) => isOr(field, 'outputs') && steps(id, name),
  ],
])

function isOr(name: string | undefined, wanted: string): boolean {
  return name === undefined || name === wanted
}
