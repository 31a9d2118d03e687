import { data, Evaluator } from '@actions/expressions'
import {
  ContextAccess,
  type Expr,
  FunctionCall,
  Grouping,
  Literal,
  Logical,
  Unary,
} from '@actions/expressions/ast'
import { truthy } from '@actions/expressions/result'
import type { Problem } from '../../wire/errors.ts'
import { expressionSpans } from '../../workflow/expressions.ts'
import {
  type FileExpression,
  partsOf,
  placeOf,
  type Reference,
  referencesIn,
  spanOf,
} from '../../workflow/file-expressions.ts'
import { childOf, type Place, textOf } from '../../workflow/nodes.ts'
import { HOOKLINE_ACTION, stepsOf, usesOf } from '../../workflow/steps.ts'
import { positionAt, rangeOf } from '../../workflow/yaml.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { guarded } from './examples.ts'

export const alwaysTrue: Rule = {
  id: 'always-true',
  level: 'warning',
  isStrict: true,
  finds: 'a condition that is true whatever happens',
  why: 'What stands outside of `${{ }}` makes a text of the condition, and every text but the empty one is true, `false` too.',
  fix: "Put all of it into one `${{ }}`, or leave them out; write `>-` for `|`; compare with `'true'`.",
  red: "if: ${{ needs.on.outputs.triggered }} == 'true'",
  green: "if: needs.on.outputs.triggered == 'true'",
  around: guarded,
  check: alwaysTrueConditions,
}

/** A condition of a job or a step: the text of an `if`. */
function alwaysTrueConditions(file: RuleFile): Problem[] {
  const seen = new Set<unknown>()
  return file.expressions.flatMap((expression) => {
    const { path, found } = expression
    if (path.at(-1) !== 'if' || path[0] !== 'jobs') return []
    const { value } = found.scalar
    const spans = expressionSpans(value)
    const [only] = spans
    const isWhole = spans.length === 1 && only?.start === 3 && only.end === value.length - 2
    if (spans.length > 0 && !isWhole) {
      if (seen.has(found.scalar)) return []
      seen.add(found.scalar)
      const [start, end] = rangeOf(found.scalar)
      const isBreak = spans.length === 1 && /^\s*\$\{\{.*\}\}\s*$/s.test(value)
      const message = isBreak
        ? 'this condition is always true: a line break stands behind its }}'
        : 'this condition is always true: what stands outside of ${{ }} makes a text of it'
      const hint = isBreak ? 'write "if: >-"' : 'put all of it into one ${{ }}, or leave them out'
      return [{ message, position: positionAt(file.file.source, start, end), hint }]
    }
    const constant = constantIn(file, expression)
    return constant ? [constant] : flagsIn(file, expression)
  })
}

/** `x == 'a' || 'b'`: the second text is true by itself. A mere `true` is meant so. */
function constantIn(file: RuleFile, expression: FileExpression): Problem | undefined {
  const { tree, text } = expression
  if (!tree || tree instanceof Literal) return undefined
  if (truthOf(tree) !== true) return undefined
  const hint = tree instanceof Logical ? "write x == 'a' || x == 'b'" : 'leave it out'
  const message = 'this condition is always true: nothing in it depends on the run'
  const isOr = tree instanceof Logical && tree.operator.lexeme === '||'
  const part = isOr ? tree.args.find((arg) => truthOf(arg) === true) : undefined
  const span =
    part instanceof Literal ? spanOf(part.token) : { start: 0, end: text.trimEnd().length }
  return file.problemAt(expression, span, {
    message: part ? 'this condition is always true: one side of || is true by itself' : message,
    hint,
  })
}

/** Whether a part is true or false in every run; `undefined` where that is not known. */
function truthOf(part: Expr): boolean | undefined {
  if (part instanceof Grouping) return truthOf(part.group)
  if (part instanceof Literal) return truthy(part.literal)
  if (part instanceof Logical) {
    const all = part.args.map(truthOf)
    const decisive = part.operator.lexeme === '||'
    if (all.includes(decisive)) return decisive
    return all.includes(undefined) ? undefined : !decisive
  }
  if (part instanceof Unary) {
    const truth = truthOf(part.expr)
    return truth === undefined ? undefined : !truth
  }
  const isComputed = partsOf(part).every(
    (one) =>
      !(one instanceof ContextAccess) &&
      !(one instanceof FunctionCall && !PURE.has(one.functionName.lexeme.toLowerCase())),
  )
  if (!isComputed) return undefined
  try {
    return truthy(new Evaluator(part, new data.Dictionary()).evaluate())
  } catch {
    return undefined // the run would fail; it is told elsewhere
  }
}

/** Functions whose result their arguments alone decide. */
const PURE = new Set(['contains', 'startswith', 'endswith', 'format', 'join', 'fromjson', 'tojson'])

/** Where `triggered`, which is the text `true` or `false`, stands as if it were a boolean. */
function flagsIn(file: RuleFile, expression: FileExpression): Problem[] {
  const { text } = expression
  const tree = /outputs/i.test(text) ? expression.tree : undefined
  if (!tree) return []
  const starts = new Set(operandsOf(tree).flatMap((part) => placeOf(part) ?? []))
  return ['needs', 'steps'].flatMap((context) =>
    referencesIn(text, context).flatMap((reference) => {
      if (!starts.has(reference.start) || !isFlag(file, expression, context, reference)) return []
      const end = reference.steps.at(-1)?.end ?? reference.end
      const name = text.slice(reference.start, end)
      const message = `"${name}" is the text 'true' or 'false', and both are true as a condition`
      const hint = `write ${name} == 'true'`
      return [file.problemAt(expression, { start: reference.start, end }, { message, hint })]
    }),
  )
}

/** The parts of a condition whose own truth counts. */
function operandsOf(tree: Expr): Expr[] {
  if (tree instanceof Grouping) return operandsOf(tree.group)
  if (tree instanceof Logical) return tree.args.flatMap(operandsOf)
  return tree instanceof Unary ? operandsOf(tree.expr) : [tree]
}

function isFlag(
  file: RuleFile,
  { path }: FileExpression,
  context: string,
  { steps }: Reference,
): boolean {
  const [owner, outputs, name, ...more] = steps.map((step) => step.name)
  if (owner === undefined || outputs?.toLowerCase() !== 'outputs' || name === undefined)
    return false
  if (more.length > 0) return false
  const jobs = childOf(file.top, 'jobs')
  if (context === 'steps') return isTriggered(file, childOf(jobs, String(path[1])), owner, name)
  const job = childOf(jobs, owner)
  const written = textOf(childOf(job, 'outputs', name)) ?? ''
  const [, id, output] = STEP_OUTPUT.exec(written) ?? []
  return id !== undefined && output !== undefined && isTriggered(file, job, id, output)
}

const STEP_OUTPUT = /^\s*\$\{\{\s*steps\.([\w-]+)\.outputs\.([\w-]+)\s*\}\}\s*$/i

function isTriggered(
  { file }: RuleFile,
  job: Place | undefined,
  id: string,
  output: string,
): boolean {
  if (output.toLowerCase() !== 'triggered') return false
  return stepsOf(job).some(
    (step) =>
      textOf(childOf(step, 'id'))?.toLowerCase() === id.toLowerCase() &&
      HOOKLINE_ACTION.test(usesOf(step, file.source)),
  )
}
