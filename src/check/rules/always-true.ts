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
import { evaluateTree, truthOf, UNKNOWN_STATUS } from '../../model/evaluate-expression.ts'
import { unfiredJson } from '../../model/types/outputs.ts'
import type { OutputShape, Shape } from '../../model/types/shapes.ts'
import type { Problem } from '../../wire/errors.ts'
import { accessTo, contextPath, isCallOf, stringOf } from '../../workflow/expression-paths.ts'
import { expressionSpans } from '../../workflow/expressions.ts'
import { type FileExpression, partsOf, spanOf } from '../../workflow/file-expressions.ts'
import { childOf, textOf } from '../../workflow/nodes.ts'
import type { Operation } from '../../workflow/operations.ts'
import type { Span } from '../../workflow/spans.ts'
import { positionAt, rangeOf } from '../../workflow/yaml.ts'
import type { Rule, RuleFile, TypedExpression } from '../rule.ts'
import { greetWithCondition } from './example-workflows.ts'

export const alwaysTrue: Rule = {
  id: 'always-true',
  level: 'strict',
  page: {
    title: 'a condition about the event that is the same in every run',
    reason:
      "Text outside of `${{ }}` makes a string of the whole condition, and every string that is not empty is true, also `false`. The output `triggered` is the string `true` or `false`, `count` can be the string `0`, and an output that holds JSON is the string `null`, `[]` or `{}` if nothing fired, so that `fromJSON` never fails. For the same reason, `triggered && 'a' || 'b'` in a value is always `a`. In the event, each trigger exists with its `outcome` and `outputs` also if it did not fire. The job or step then runs for every event.",
    remedy:
      "Put the whole condition into one `${{ }}`, or remove the braces; write `>-` instead of `|`. Test `triggered == 'true'` or `.webhook.outcome == 'success'`, or compare another JSON output with its empty value: `(needs.on.outputs.body || 'null') != 'null'`. `--fix` writes the comparison that the finding shows. After `always()`, `failure()` or `cancelled()`, an output is also empty if its job or step was skipped, so the rule does not report a test for an empty output there.",
    before: 'if: needs.on.outputs.triggered',
    after: "if: needs.on.outputs.triggered == 'true'",
    workflow: greetWithCondition,
  },
  check: alwaysTrueConditions,
  fix: (file) =>
    conditionsOf(file).flatMap((condition): Operation[] => {
      const { path, start } = condition.expression
      const tests = isPartOfText(condition.expression) ? [] : testsInCondition(file, condition)
      const edits = tests.flatMap(({ span, comparison }) =>
        comparison === undefined
          ? []
          : [{ start: start + span.start, end: start + span.end, text: comparison }],
      )
      return edits.length === 0 ? [] : [{ op: 'rewriteText', path, edits }]
    }),
}

/** The conditions that read the event: outputs of Hookline, or the event of GitHub that starts the run. */
function conditionsOf({ typed }: RuleFile): readonly TypedExpression[] {
  return typed.filter(({ expression: { path }, parts, shapeOf }) => {
    if (path.at(-1) !== 'if' || path[0] !== 'jobs') return false
    return parts.some((part) => {
      const { context, names } = contextPath(part) ?? {}
      const { isHookline, isUntrusted } = shapeOf(part)
      const isEvent = context === 'github' && /^event(?:_name)?$/.test(names?.[0] ?? '')
      return isEvent || isHookline === true || isUntrusted === true
    })
  })
}

/** `triggered && 'a' || 'b'` and `case(triggered, …)` in a value. */
function testsInValues(file: RuleFile): Problem[] {
  return file.typed.flatMap((value) => {
    const { expression, parts } = value
    if (expression.path.at(-1) === 'if') return []
    const tested = parts.flatMap((part) => {
      if (part instanceof Logical && part.operator.lexeme === '&&') return part.args.slice(0, -1)
      const args = part instanceof FunctionCall && isCallOf(part, 'case') ? part.args : []
      return args.filter((_, at) => at % 2 === 0 && at < args.length - 1)
    })
    return tested
      .filter((part) => part instanceof IndexAccess)
      .flatMap((part) => truthTests({ ...value, tree: part }))
      .filter(({ canBeEmpty }) => !canBeEmpty)
      .map((test) => problemOf(file, expression, test))
  })
}

function alwaysTrueConditions(file: RuleFile): Problem[] {
  const seen = new Set<unknown>()
  const inConditions = conditionsOf(file).flatMap((condition) => {
    const { expression } = condition
    const { scalar } = expression
    if (isPartOfText(expression)) {
      if (seen.has(scalar)) return []
      seen.add(scalar)
      const { value, type } = scalar
      const isBlank = expressionSpans(value).length === 1 && /^\s*\$\{\{.*\}\}\s*$/s.test(value)
      const isBreak = isBlank && type?.startsWith('BLOCK') && value.endsWith('}}\n')
      const what = isBreak
        ? 'a line break follows its }}'
        : 'text outside of ${{ }} makes a string of it'
      const message = `this condition is always true: ${what}`
      const hint = isBreak
        ? 'write "if: >-"'
        : isBlank
          ? 'remove the white space around ${{ }}'
          : 'put the whole condition into one ${{ }}, or remove the braces'
      return [{ message, position: positionAt(file.file.source, ...rangeOf(scalar)), hint }]
    }
    const constant = constantIn(file, condition)
    if (constant) return [constant]
    return testsInCondition(file, condition).map((test) => problemOf(file, expression, test))
  })
  return [...inConditions, ...testsInValues(file)]
}

/** Whether a condition contains text outside of `${{ }}`. */
function isPartOfText({ scalar: { value } }: FileExpression): boolean {
  const [only, ...others] = expressionSpans(value)
  const isWhole = others.length === 0 && only?.start === 3 && only.end === value.length - 2
  return only !== undefined && !isWhole
}

const READS_RUN = /^(?:success|failure|cancelled|always|hashfiles)$/i

/** Whether a part is true in every run, because it reads nothing of the run. */
function isAlwaysTrue(part: Expr): boolean {
  if (part instanceof Grouping) return isAlwaysTrue(part.group)
  if (part instanceof Logical) {
    return part.operator.lexeme === '||'
      ? part.args.some(isAlwaysTrue)
      : part.args.every(isAlwaysTrue)
  }
  const readsRun = partsOf(part).some(
    (one) =>
      one instanceof ContextAccess ||
      (one instanceof FunctionCall && READS_RUN.test(one.functionName.lexeme)),
  )
  return !readsRun && truthOf(evaluateTree(part, {}, UNKNOWN_STATUS)) === true
}

/** `x == 'a' || 'b'`: the second string is true by itself. A condition `true` is intended. */
function constantIn(file: RuleFile, { expression, tree }: TypedExpression): Problem | undefined {
  const { text } = expression
  if (tree instanceof Literal) return undefined
  const isOr = tree instanceof Logical && tree.operator.lexeme === '||'
  const part = isOr ? tree.args.find(isAlwaysTrue) : undefined
  if (!part && !isAlwaysTrue(tree)) return undefined
  const span =
    part instanceof Literal ? spanOf(part.token) : { start: 0, end: text.trimEnd().length }
  return file.problemAt(expression, span, {
    message: part
      ? 'this condition is always true: one side of || is true by itself'
      : 'this condition is always true: nothing in it depends on the run',
    hint: tree instanceof Logical ? "write x == 'a' || x == 'b'" : 'remove it',
  })
}

/** A value that is true as a condition, also where its author means false. */
interface Truth {
  readonly message: string
  /** The comparison that the author means; `undefined` if it is not certain. */
  readonly comparison: string | undefined
  /** The advice if there is no comparison. */
  readonly otherwise?: string
  /** Whether the value is empty if its step or job was skipped. */
  readonly canBeEmpty?: boolean
}

interface TruthTest extends Truth {
  /** What the comparison replaces, in the text of the expression. */
  readonly span: Span
}

function problemOf(file: RuleFile, expression: FileExpression, test: TruthTest): Problem {
  const { span, message, comparison, otherwise } = test
  const hint = comparison === undefined ? otherwise : `write ${comparison}`
  return file.problemAt(expression, span, { message, ...(hint !== undefined && { hint }) })
}

/** The tests of a condition. If a step or job before can be skipped, a test for its empty output is correct. */
function testsInCondition(file: RuleFile, condition: TypedExpression): TruthTest[] {
  const tests = truthTests(condition)
  if (!tests.some(({ canBeEmpty }) => canBeEmpty)) return tests
  const { expression, parts, shapeOf } = condition
  const job = file.jobs.find(({ name }) => name === expression.path[1])
  const conditions = [expression.text, textOf(childOf(job?.value, 'if')) ?? '']
  const canFollow = conditions.some((one) => /\b(?:always|failure|cancelled)\s*\(/i.test(one))
  const canBeSkipped = parts.some((part) => {
    const shape = shapeOf(part)
    return shape.kind === 'text' && shape.output && childOf(shape.output.step, 'if')
  })
  return tests.filter(({ canBeEmpty }) => !canBeEmpty || !(canFollow || canBeSkipped))
}

function truthTests({ expression: { text }, tree, shapeOf, ...types }: TypedExpression) {
  return testsBelow(tree, false)

  function testsBelow(part: Expr, isNegated: boolean): TruthTest[] {
    if (part instanceof Grouping) return testsBelow(part.group, false)
    if (part instanceof Logical) return part.args.flatMap((arg) => testsBelow(arg, false))
    if (part instanceof Unary) return testsBelow(part.expr, true)
    if (part instanceof Binary) return testsOfComparison(part)
    const span = types.spanOf(part)
    const truth = truthOfValue(part, text.slice(span.start, span.end), shapeOf)
    if (!truth) return []
    const { comparison } = truth
    const isInGroup = comparison !== undefined && isNegated
    return [{ ...truth, span, comparison: isInGroup ? `(${comparison})` : comparison }]
  }

  /** An output that is compared with an empty string, or with `null`. */
  function testsOfComparison({ left, right, operator: { lexeme } }: Binary): TruthTest[] {
    const [value, literal] = left instanceof Literal ? [right, left] : [left, right]
    if (!/^[!=]=$/.test(lexeme) || !(literal instanceof Literal)) return []
    if (stringOf(literal) !== '' && literal.token.lexeme !== 'null') return []
    const shape = shapeOf(value)
    const empty = unfiredJson(shape)
    if (shape.kind !== 'text' || empty === undefined || !contextPath(value)) return []
    // A body can be an empty string, and `triggered` is empty if the job `on` was skipped.
    if (shape.json?.kind !== 'object' && shape.json?.kind !== 'list') return []
    const [span, other] = [types.spanOf(value), spanOf(literal.token)]
    const name = text.slice(span.start, span.end)
    const fired = firedTest(shape.output?.triggered, lexeme === '!=')
    const isEvent = shape.output?.name === 'on'
    return [
      {
        span: { start: Math.min(span.start, other.start), end: Math.max(span.end, other.end) },
        message: `"${name}" holds JSON, which is never empty: this test is the same in every run`,
        comparison: isEvent ? fired : `(${name} || '${empty}') ${lexeme} '${empty}'`,
        otherwise: TEST_TRIGGERED,
        canBeEmpty: true,
      },
    ]
  }
}

const TEST_TRIGGERED = 'test the output "triggered" instead'

/** @param triggered the expression of this output, if it can be read */
function firedTest(triggered: string | undefined, isFired = true): string | undefined {
  return triggered && `${triggered} ${isFired ? '==' : '!='} 'true'`
}

/** @param name the value as it is written */
function truthOfValue(
  value: Expr,
  name: string,
  shapeOf: TypedExpression['shapeOf'],
): Truth | undefined {
  const shape = shapeOf(value)
  const { root, indices } = accessTo(value)
  const context = root instanceof ContextAccess ? root.name.lexeme.toLowerCase() : undefined
  // A list has no item if nothing fired.
  const isOfItem = indices.length > 0 && shapeOf(root).kind === 'list'
  // Another job or trigger has another value.
  const isComputed = indices.some((index) => !(index instanceof Literal))
  if (!shape.isHookline || isOfItem || isComputed) return undefined
  if (shape.kind === 'text' && shape.output) {
    return context === undefined ? undefined : truthOfOutput(name, shape, shape.output)
  }
  if (context === 'steps' || context === 'needs') return truthOfStep(name, shape)
  if (indices.length > 0) return truthOfTrigger(name, shape)
  const [json] = isCallOf(root, 'fromjson') ? root.args : []
  const parsed = json && shapeOf(json)
  const output = parsed?.kind === 'text' ? parsed.output : undefined
  if (output && shape.kind === 'list') {
    const message = `"${name}" is a list, and an empty list is true as a condition`
    return { message, comparison: `${name}[0]` }
  }
  if (context !== 'on' && output?.name !== 'on') return undefined
  const otherwise = context === 'on' ? 'test the outcome of a trigger instead' : TEST_TRIGGERED
  return { message: existsAlways(name), comparison: firedTest(output?.triggered), otherwise }
}

function existsAlways(name: string): string {
  return `"${name}" exists in every run: as a condition it is always true`
}

function truthOfOutput(name: string, shape: Shape, output: OutputShape): Truth | undefined {
  if (shape.kind === 'text' && shape.json?.kind === 'boolean') {
    const message = `"${name}" is the string 'true' or 'false', and both are true as a condition`
    return { message, comparison: `${name} == 'true'`, canBeEmpty: output.name !== 'triggered' }
  }
  if (output.name === 'count') {
    const message = `"${name}" is a string, and the string '0' is true as a condition`
    return { message, comparison: `${name} > 0`, canBeEmpty: true }
  }
  const empty = unfiredJson(shape)
  if (empty === undefined) return undefined
  const message = `"${name}" holds JSON also if nothing fired, and is then true as a condition`
  const comparison =
    output.name === 'on' ? firedTest(output.triggered) : `(${name} || '${empty}') != '${empty}'`
  return { message, comparison, otherwise: TEST_TRIGGERED, canBeEmpty: true }
}

/** `steps.hookline`, its outputs, and its results; the same of a job in `needs`. */
function truthOfStep(name: string, shape: Shape): Truth | undefined {
  if (shape.kind === 'text') {
    if (!shape.values?.includes('skipped')) return undefined
    const message = `"${name}" is never empty: as a condition it is always true`
    return { message, comparison: undefined, otherwise: "compare it with 'success'" }
  }
  if (shape.kind !== 'object') return undefined
  const outputs = shape.names.get('outputs')?.shape ?? shape
  const inside = outputs.kind === 'object' ? [...outputs.names.values()] : []
  const read = inside.flatMap(({ shape: one }) => (one.kind === 'text' && one.output) || [])
  // A job can pass the outputs of several steps.
  const [only, ...others] = new Set(read.map(({ triggered }) => triggered))
  const comparison = others.length === 0 ? firedTest(only) : undefined
  return { message: existsAlways(name), comparison, otherwise: TEST_TRIGGERED }
}

/** `on.webhook`, `on.webhook.outputs` and `on.webhook.outcome` exist also if another trigger fired, or none. */
function truthOfTrigger(name: string, shape: Shape): Truth | undefined {
  const message = `"${name}" also exists if its trigger did not fire: as a condition it is always true`
  if (shape.kind === 'text' && shape.values?.includes('skipped')) {
    return { message, comparison: `${name} == 'success'` }
  }
  if (shape.kind !== 'object') return undefined
  const trigger = shape.names.has('outcome') ? name : /^.*(?=\.outputs$)/is.exec(name)?.[0]
  if (trigger === undefined) return undefined
  return { message, comparison: `${trigger}.outcome == 'success'`, canBeEmpty: true }
}
