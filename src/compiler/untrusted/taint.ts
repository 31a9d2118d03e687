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
import { isFault, parseExpression } from '../expressions.ts'

/** Which values of the other contexts were made from an event. Names are in lower case. */
export interface Scope {
  readonly env: ReadonlySet<string>
  /** `job.output` of earlier jobs. */
  readonly needs: ReadonlySet<string>
  readonly matrix: boolean
}

/** Steps into a context; `undefined` for one that is only known at run time, or for all there are. */
type Steps = readonly (string | undefined)[]

/** Functions whose result no sender can word. */
const HARMLESS = new Set(
  [
    'contains',
    'startsWith',
    'endsWith',
    'hashFiles',
    'success',
    'failure',
    'always',
    'cancelled',
  ].map((name) => name.toLowerCase()),
)

/** True when the value of an expression can hold text that the sender of an event chose. */
export function isUntrusted(expression: string, scope: Scope): boolean {
  const parsed = parseExpression(expression)
  return !isFault(parsed) && isTainted(parsed, scope)
}

function isTainted(expr: Expr, scope: Scope): boolean {
  if (expr instanceof Literal || expr instanceof Unary || expr instanceof Binary) return false
  if (expr instanceof Grouping) return isTainted(expr.group, scope)
  if (expr instanceof Logical) return expr.args.some((arg) => isTainted(arg, scope))
  if (expr instanceof FunctionCall) {
    const isHarmless = HARMLESS.has(expr.functionName.lexeme.toLowerCase())
    return !isHarmless && expr.args.some((arg) => isTainted(arg, scope))
  }
  const { root, steps } = chainOf(expr)
  if (!(root instanceof ContextAccess)) return root !== expr && isTainted(root, scope)
  return CONTEXTS.get(root.name.lexeme.toLowerCase())?.(steps, scope) ?? false
}

/** `on.webhook['outputs']` as its root `on` and the steps from there. */
function chainOf(expr: Expr): { readonly root: Expr; readonly steps: Steps } {
  if (!(expr instanceof IndexAccess)) return { root: expr, steps: [] }
  const { root, steps } = chainOf(expr.expr)
  return { root, steps: [...steps, nameOf(expr.index)] }
}

function nameOf(index: Expr): string | undefined {
  return index instanceof Literal ? index.literal.coerceString().toLowerCase() : undefined
}

/** What of each context comes from a sender. */
const CONTEXTS = new Map<string, (steps: Steps, scope: Scope) => boolean>([
  ['on', ([, field]) => field === undefined || field === 'outputs'],
  ['inputs', ([name]) => name === undefined || name === 'on'],
  [
    'github',
    ([first, second]) =>
      isOr(first, 'event') && (first === undefined || isOr(second, 'client_payload')),
  ],
  ['env', ([name], { env }) => (name === undefined ? env.size > 0 : env.has(name))],
  ['matrix', (_, { matrix }) => matrix],
  ['needs', ([job, , output], { needs }) => needsTainted(needs, job, output)],
])

function isOr(name: string | undefined, wanted: string): boolean {
  return name === undefined || name === wanted
}

function needsTainted(
  needs: ReadonlySet<string>,
  job: string | undefined,
  output: string | undefined,
): boolean {
  return [...needs].some((key) => {
    const [ownJob, ownOutput] = key.split('.')
    return isOr(job, ownJob ?? '') && isOr(output, ownOutput ?? '')
  })
}
