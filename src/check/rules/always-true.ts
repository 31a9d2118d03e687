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
import type { Shape } from '../../model/types/shapes.ts'
import type { Problem } from '../../wire/errors.ts'
import { contextPath, isCallOf, stringOf } from '../../workflow/expression-paths.ts'
import { expressionSpans } from '../../workflow/expressions.ts'
import { type FileExpression, partsOf, spanOf } from '../../workflow/file-expressions.ts'
import type { Operation } from '../../workflow/operations.ts'
import type { Edit, Span } from '../../workflow/spans.ts'
import { positionAt, rangeOf } from '../../workflow/yaml.ts'
import type { Rule, RuleFile, TypedExpression } from '../rule.ts'
import { greetWithCondition } from './example-workflows.ts'

export const alwaysTrue: Rule = {
  id: 'always-true',
  level: 'strict',
  page: {
    title: 'a condition about the event that is the same in every run',
    reason:
      "Text outside of `${{ }}` makes a string of the whole condition, and every string that is not empty is true, also `false`. The output `triggered` is the string `true` or `false`, and an output that holds JSON is the string `null`, `[]` or `{}` if nothing fired, so that `fromJSON` never fails. For the same reason, `triggered && 'a' || 'b'` in a value is always `a`. In the event, each trigger exists with its `outcome` and `outputs` also if it did not fire. The job or step then runs for every event.",
    remedy:
      "Put the whole condition into one `${{ }}`, or remove the braces; write `>-` instead of `|`. Test `triggered == 'true'` or `.webhook.outcome == 'success'`, or compare a JSON output with its empty value: `(needs.on.outputs.body || 'null') != 'null'`. `--fix` writes these comparisons.",
    before: 'if: needs.on.outputs.triggered',
    after: "if: needs.on.outputs.triggered == 'true'",
    workflow: greetWithCondition,
  },
  check: alwaysTrueConditions,
  fix: (file) =>
    conditionsOf(file).flatMap((condition): Operation[] => {
      const { path, start } = condition.expression
      const tests = isPartOfText(condition.expression) ? [] : truthTests(file, condition)
      const edits = tests.map(({ edit }) => ({
        start: start + edit.start,
        end: start + edit.end,
        text: edit.text,
      }))
      return edits.length === 0 ? [] : [{ op: 'rewriteText', path, edits }]
    }),
}

/** The conditions that read the event: outputs of Hookline, or the event of GitHub that starts the run. */
function conditionsOf({ typed }: RuleFile): readonly TypedExpression[] {
  return typed.filter(({ expression: { path }, parts, shapeOf }) => {
    if (path.at(-1) !== 'if' || path[0] !== 'jobs') return false
    return parts.some((part) => {
      if (!(part instanceof IndexAccess)) return false
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
      .flatMap((part) => truthTests(file, { ...value, tree: part }))
      .filter(({ canBeEmpty }) => !canBeEmpty)
      .map(({ edit, message }) =>
        file.problemAt(expression, edit, { message, hint: `write ${edit.text}` }),
      )
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
    return truthTests(file, condition).map(({ edit, message }) =>
      file.problemAt(expression, edit, { message, hint: `write ${edit.text}` }),
    )
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

/** A test of an output that has the same result in every run, and its replacement. */
interface TruthTest {
  /** In the text of the expression. */
  readonly edit: Edit
  readonly message: string
  /** Whether the value can still be empty, if its job was skipped. */
  readonly canBeEmpty?: boolean
}

/** The outcome of the trigger that an object belongs to: the object of the trigger, or its `outputs`. */
function outcomeOf(name: string, shape: Shape & { readonly kind: 'object' }): string | undefined {
  if (shape.names.has('outcome')) return `${name}.outcome`
  const [trigger] = /^.*(?=\.outputs$)/is.exec(name) ?? []
  return trigger && `${trigger}.outcome`
}

function truthTests(file: RuleFile, condition: TypedExpression): TruthTest[] {
  const { expression, tree, shapeOf, spanOf: spanOfPart } = condition
  const { text } = expression
  return testsBelow(tree, false)

  function testsBelow(part: Expr, isNegated: boolean): TruthTest[] {
    if (part instanceof Grouping) return testsBelow(part.group, false)
    if (part instanceof Logical) return part.args.flatMap((arg) => testsBelow(arg, false))
    if (part instanceof Unary) return testsBelow(part.expr, true)
    if (!(part instanceof Binary)) return testOf(part, isNegated)
    const { left, right, operator } = part
    const [value, literal] = left instanceof Literal ? [right, left] : [left, right]
    if (!/^[!=]=$/.test(operator.lexeme) || !(literal instanceof Literal)) return []
    if (stringOf(literal) !== '' && literal.token.lexeme !== 'null') return []
    return testOf(value, false, { operator: operator.lexeme, literal: spanOf(literal.token) })
  }

  /** @param compared with an empty string */
  function testOf(
    value: Expr,
    isNegated: boolean,
    compared?: { readonly operator: string; readonly literal: Span },
  ): TruthTest[] {
    const shape = shapeOf(value)
    const output = shape.kind === 'text' ? shape.output : undefined
    if (!output) return compared ? [] : outcomeTests(value, shape)
    if (!contextPath(value)) return []
    const span = spanOfPart(value)
    const name = text.slice(span.start, span.end)
    const replacedBy = (comparison: string): Edit => ({
      start: Math.min(span.start, compared?.literal.start ?? span.start),
      end: Math.max(span.end, compared?.literal.end ?? span.end),
      text: isNegated ? `(${comparison})` : comparison,
    })
    if (output.name === 'triggered') {
      // `triggered` is empty if the job `on` was skipped.
      if (compared) return []
      const message = `"${name}" is the string 'true' or 'false', and both are true as a condition`
      return [{ edit: replacedBy(`${name} == 'true'`), message }]
    }
    const empty = unfiredJson(shape)
    if (empty === undefined || !file.native) return []
    const message = `"${name}" holds JSON, which is never empty: this test is the same in every run`
    const operator = compared?.operator ?? '!='
    const edit = replacedBy(`(${name} || '${empty}') ${operator} '${empty}'`)
    return [{ edit, message, canBeEmpty: true }]
  }

  /** `on.webhook`, `on.webhook.outputs` and `on.webhook.outcome` exist also if another trigger fired, or none. */
  function outcomeTests(value: Expr, shape: Shape): TruthTest[] {
    const span = spanOfPart(value)
    const name = text.slice(span.start, span.end)
    if (!shape.isHookline) return []
    let whole: string | undefined
    if (shape.kind === 'object') whole = outcomeOf(name, shape)
    else if (shape.kind === 'text' && shape.values?.includes('skipped')) whole = name
    if (whole === undefined) return []
    const message = `"${name}" also exists if its trigger did not fire: as a condition it is always true`
    const canBeEmpty = shape.kind === 'object'
    return [{ edit: { ...span, text: `${whole} == 'success'` }, message, canBeEmpty }]
  }
}
