import { Binary, type Expr, Grouping, Logical, Unary } from '@actions/expressions/ast'
import type { Problem } from '../../wire/errors.ts'
import { type FileExpression, spanOf } from '../../workflow/file-expressions.ts'
import type { Operation } from '../../workflow/operations.ts'
import type { Edit } from '../../workflow/spans.ts'
import { hooklineOutput, spanOfPath, stringOf, unfiredJson } from '../context-paths.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { greetWithCondition } from './example-workflows.ts'

export const jsonCondition: Rule = {
  id: 'json-condition',
  level: 'strict',
  page: {
    title: 'an output that holds JSON as a condition',
    reason:
      'If nothing fired, such an output is the string `null`, `[]` or `{}`, so that `fromJSON` never fails. Every string that is not empty is true, so the condition is true in every run.',
    remedy:
      "Compare with the empty JSON value, or test `triggered == 'true'`. `--fix` writes the comparison.",
    before: 'if: needs.on.outputs.body',
    after: "if: (needs.on.outputs.body || 'null') != 'null'",
    workflow: greetWithCondition,
  },
  check: (file) =>
    conditions(file).flatMap((expression) =>
      testsIn(file, expression).map(({ edit, name, isFixable }): Problem => {
        const message = `"${name}" holds JSON, which is never empty: this test is the same in every run`
        const hint = isFixable ? `write ${edit.text}` : "test triggered == 'true'"
        return file.problemAt(expression, edit, { message, hint })
      }),
    ),
  fix: (file) =>
    conditions(file).flatMap((expression): Operation[] => {
      const { found, start } = expression
      const edits = testsIn(file, expression).map(({ edit }) => ({
        start: start + edit.start,
        end: start + edit.end,
        text: edit.text,
      }))
      return edits.length === 0 ? [] : [{ op: 'rewriteText', path: found.path, edits }]
    }),
}

function conditions({ expressions, native }: RuleFile): readonly FileExpression[] {
  if (!native) return []
  return expressions.filter(({ path }) => path[0] === 'jobs' && path.at(-1) === 'if')
}

interface TruthTest {
  /** In the text of the expression. */
  readonly edit: Edit
  /** The output as it is written. */
  readonly name: string
  readonly isFixable: boolean
}

function testsIn(file: RuleFile, expression: FileExpression): TruthTest[] {
  const { tree, text, found } = expression
  // Text outside of the braces makes a string of the condition: another rule reports it.
  const around = found.scalar.value.replace(text, '').trim()
  const isWhole = around === '' || around === '${{}}'
  return tree && isWhole && /outputs/i.test(text) ? testsBelow(tree, false) : []

  function testsBelow(part: Expr, isNegated: boolean): TruthTest[] {
    if (part instanceof Grouping) return testsBelow(part.group, false)
    if (part instanceof Logical) return part.args.flatMap((arg) => testsBelow(arg, false))
    if (part instanceof Unary) return testsBelow(part.expr, true)
    if (!(part instanceof Binary)) return test(part, '!=', isNegated)
    const { left, right, operator } = part
    if (!/^[!=]=$/.test(operator.lexeme)) return []
    const [value, literal] = stringOf(left) === undefined ? [left, right] : [right, left]
    if (stringOf(literal) !== '' || !('token' in literal)) return []
    const empty = spanOf((literal as { readonly token: Parameters<typeof spanOf>[0] }).token)
    return test(value, operator.lexeme, false).map((one) => ({
      ...one,
      edit: {
        start: Math.min(one.edit.start, empty.start),
        end: Math.max(one.edit.end, empty.end),
        text: one.edit.text,
      },
    }))
  }

  function test(value: Expr, operator: string, isNegated: boolean): TruthTest[] {
    const output = hooklineOutput(file, expression, value)
    const span = output && spanOfPath(value, text)
    const empty = output && unfiredJson(file, output.name)
    if (!span || empty === undefined) return []
    const name = text.slice(span.start, span.end)
    const comparison = `(${name} || '${empty}') ${operator} '${empty}'`
    const edit = { ...span, text: isNegated ? `(${comparison})` : comparison }
    return [{ edit, name, isFixable: true }]
  }
}
