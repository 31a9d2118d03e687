import {
  ContextAccess,
  type Expr,
  FunctionCall,
  Grouping,
  IndexAccess,
  Literal,
} from '@actions/expressions/ast'
import { RESERVED_OUTPUTS } from '../wire/output-names.ts'
import { type FileExpression, spanOf } from '../workflow/file-expressions.ts'
import { childOf, type Place, textOf } from '../workflow/nodes.ts'
import type { Span } from '../workflow/spans.ts'
import { actionSteps } from '../workflow/steps.ts'
import type { RuleFile } from './rule.ts'

/** A context and the names after it: `needs.on.outputs.body`. */
export interface ContextPath {
  readonly context: string
  /** In lower case; `undefined` for a name that only the run knows. */
  readonly names: readonly (string | undefined)[]
}

/** The path that an expression reads; `undefined` for an expression that computes something. */
export function contextPath(expr: Expr): ContextPath | undefined {
  const names: (string | undefined)[] = []
  let root = expr
  while (root instanceof IndexAccess || root instanceof Grouping) {
    if (root instanceof Grouping) root = root.group
    else {
      const { index } = root
      names.unshift(
        index instanceof Literal ? index.literal.coerceString().toLowerCase() : undefined,
      )
      root = root.expr
    }
  }
  return root instanceof ContextAccess
    ? { context: root.name.lexeme.toLowerCase(), names }
    : undefined
}

/** The characters of a path in the text of its expression. */
export function spanOfPath(expr: Expr, text: string): Span | undefined {
  if (expr instanceof Grouping) return spanOfPath(expr.group, text)
  if (expr instanceof ContextAccess) return spanOf(expr.name)
  if (!(expr instanceof IndexAccess) || !(expr.index instanceof Literal)) return undefined
  const start = spanOfPath(expr.expr, text)?.start
  const { end } = spanOf(expr.index.token)
  const bracket = /^\s*\]/.exec(text.slice(end))?.[0] ?? ''
  return start === undefined ? undefined : { start, end: end + bracket.length }
}

/** An output of a step that uses the action. */
export interface HooklineOutput {
  /** Its name in lower case. */
  readonly name: string
  readonly step: Place
  /** The id of the step, or the name of the job, by which the expression reads it. */
  readonly owner: string
  readonly context: 'steps' | 'needs'
}

const STEP_OUTPUT = /^\s*\$\{\{\s*steps\.([\w-]+)\.outputs\.([\w-]+)\s*\}\}\s*$/i

/** The output of the action that an expression reads, from a step or by way of an output of a job. */
export function hooklineOutput(
  file: RuleFile,
  { path }: Pick<FileExpression, 'path'>,
  expr: Expr,
): HooklineOutput | undefined {
  const { context, names = [] } = contextPath(expr) ?? {}
  const [owner, outputs, name] = names
  if (names.length !== 3 || outputs !== 'outputs' || !owner || !name) return undefined
  const jobs = childOf(file.top, 'jobs')
  if (context === 'steps') {
    const step = hooklineStep(file, childOf(jobs, String(path[1])), owner)
    return step && { name, step, owner, context }
  }
  if (context !== 'needs') return undefined
  const job = file.jobs.find((entry) => entry.name.toLowerCase() === owner)?.value
  const [, id, output] = STEP_OUTPUT.exec(textOf(childOf(job, 'outputs', name)) ?? '') ?? []
  const step = id === undefined ? undefined : hooklineStep(file, job, id.toLowerCase())
  return step && output ? { name: output.toLowerCase(), step, owner, context } : undefined
}

function hooklineStep({ file }: RuleFile, job: Place | undefined, id: string): Place | undefined {
  return actionSteps(job, file.source).find(
    (step) => textOf(childOf(step, 'id'))?.toLowerCase() === id,
  )
}

/** An output of the action as JSON if no event fired; `undefined` for an output that is no JSON. */
export function unfiredJson({ triggers }: RuleFile, name: string): string | undefined {
  if (name === 'on') return '{}'
  if (['items', 'deliveries', 'failed'].includes(name)) return '[]'
  if (RESERVED_OUTPUTS.some((reserved) => reserved === name)) return undefined
  const names = triggers.flatMap(({ definition }) => definition.jsonOutputs)
  const json = names.length > 0 ? names : ['body', 'headers', 'params', 'query']
  return json.some((output) => output.toLowerCase() === name) ? 'null' : undefined
}

export function isCallOf(part: Expr, name: string): part is FunctionCall {
  return part instanceof FunctionCall && part.functionName.lexeme.toLowerCase() === name
}

/** A literal in single quotes. */
export function isString(part: Expr | undefined): part is Literal {
  return part instanceof Literal && part.token.lexeme.startsWith("'")
}

/** The value of a literal in single quotes. */
export function stringOf(part: Expr | undefined): string | undefined {
  return isString(part) ? part.literal.coerceString() : undefined
}

/** `….name`, in any case. */
export function isProperty(part: Expr | undefined, name: string): part is IndexAccess {
  return (
    part instanceof IndexAccess &&
    part.index instanceof Literal &&
    part.index.literal.coerceString().toLowerCase() === name
  )
}
