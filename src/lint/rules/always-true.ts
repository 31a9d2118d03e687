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
import { type FileExpression, partsOf, spanOf } from '../../workflow/file-expressions.ts'
import type { Operation } from '../../workflow/operations.ts'
import type { Span } from '../../workflow/spans.ts'
import { positionAt, rangeOf } from '../../workflow/yaml.ts'
import { conditionOperands, hooklineOutput, spanOfPath } from '../context-paths.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { greetWithCondition } from './example-workflows.ts'

export const alwaysTrue: Rule = {
  id: 'always-true',
  level: 'strict',
  page: {
    title: 'a condition that is true in every run',
    reason:
      'Text outside of `${{ }}` makes a string of the whole condition, and every string that is not empty is true, also `false`. The job or step then runs for every event.',
    remedy:
      "Put the whole condition into one `${{ }}`, or remove the braces; write `>-` instead of `|`; compare an output with `'true'`. `--fix` compares `triggered`.",
    before: "if: ${{ needs.on.outputs.triggered }} == 'true'",
    after: "if: needs.on.outputs.triggered == 'true'",
    workflow: greetWithCondition,
  },
  check: alwaysTrueConditions,
  fix: triggeredOperations,
}

function conditionsOf({ expressions }: RuleFile): readonly FileExpression[] {
  return expressions.filter(({ path }) => path.at(-1) === 'if' && path[0] === 'jobs')
}

function alwaysTrueConditions(file: RuleFile): Problem[] {
  const seen = new Set<unknown>()
  return conditionsOf(file).flatMap((expression) => {
    const { found } = expression
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
        ? 'this condition is always true: a line break follows its }}'
        : 'this condition is always true: text outside of ${{ }} makes a string of it'
      const hint = isBreak
        ? 'write "if: >-"'
        : 'put the whole condition into one ${{ }}, or remove the braces'
      return [{ message, position: positionAt(file.file.source, start, end), hint }]
    }
    const constant = constantIn(file, expression)
    return constant ? [constant] : triggeredProblems(file, expression)
  })
}

/** `x == 'a' || 'b'`: the second string is true by itself. A condition `true` is intended. */
function constantIn(file: RuleFile, expression: FileExpression): Problem | undefined {
  const { tree, text } = expression
  if (!tree || tree instanceof Literal) return undefined
  if (constantTruth(tree) !== true) return undefined
  const hint = tree instanceof Logical ? "write x == 'a' || x == 'b'" : 'remove it'
  const message = 'this condition is always true: nothing in it depends on the run'
  const isOr = tree instanceof Logical && tree.operator.lexeme === '||'
  const part = isOr ? tree.args.find((arg) => constantTruth(arg) === true) : undefined
  const span =
    part instanceof Literal ? spanOf(part.token) : { start: 0, end: text.trimEnd().length }
  return file.problemAt(expression, span, {
    message: part ? 'this condition is always true: one side of || is true by itself' : message,
    hint,
  })
}

/** Whether a part is true or false in every run; `undefined` if that depends on the run. */
function constantTruth(part: Expr): boolean | undefined {
  if (part instanceof Grouping) return constantTruth(part.group)
  if (part instanceof Literal) return truthy(part.literal)
  if (part instanceof Logical) {
    const all = part.args.map(constantTruth)
    const decisive = part.operator.lexeme === '||'
    if (all.includes(decisive)) return decisive
    return all.includes(undefined) ? undefined : !decisive
  }
  if (part instanceof Unary) {
    const truth = constantTruth(part.expr)
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
    return undefined // GitHub fails the run; another rule reports it
  }
}

/** Functions whose result depends only on their arguments. */
const PURE = new Set(['contains', 'startswith', 'endswith', 'format', 'join', 'fromjson', 'tojson'])

/** Operands that are the output `triggered`, which is the string `true` or `false`. */
function triggeredIn(file: RuleFile, expression: FileExpression): Span[] {
  const { text, tree } = expression
  if (!tree || !/outputs/i.test(text)) return []
  return conditionOperands(tree).flatMap((part) => {
    const isTriggered = hooklineOutput(file, expression, part)?.name === 'triggered'
    return (isTriggered && spanOfPath(part, text)) || []
  })
}

function triggeredProblems(file: RuleFile, expression: FileExpression): Problem[] {
  return triggeredIn(file, expression).map((span) => {
    const name = expression.text.slice(span.start, span.end)
    const message = `"${name}" is the string 'true' or 'false', and both are true as a condition`
    return file.problemAt(expression, span, { message, hint: `write ${name} == 'true'` })
  })
}

/** `!x` becomes `!(x == 'true')`. */
function triggeredOperations(file: RuleFile): Operation[] {
  return conditionsOf(file).flatMap((expression): Operation[] => {
    const { found, start, text } = expression
    const edits = triggeredIn(file, expression).map((span) => {
      const comparison = `${text.slice(span.start, span.end)} == 'true'`
      const isNegated = /!\s*$/.test(text.slice(0, span.start))
      const replacement = isNegated ? `(${comparison})` : comparison
      return { start: start + span.start, end: start + span.end, text: replacement }
    })
    return edits.length === 0 ? [] : [{ op: 'rewriteText', path: found.path, edits }]
  })
}
