import { Binary, type Expr, Literal } from '@actions/expressions/ast'
import { TRIGGERS } from '../../triggers/index.ts'
import type { Problem } from '../../wire/errors.ts'
import { NATIVE_EVENTS } from '../../wire/events.ts'
import { type FileExpression, partsOf, spanOf } from '../../workflow/file-expressions.ts'
import { didYouMean, quoted } from '../../workflow/suggestion.ts'
import { contextPath, hooklineOutput, stringOf } from '../context-paths.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { withCondition } from './examples.ts'

export const neverTrue: Rule = {
  id: 'never-true',
  level: 'strict',
  page: {
    title: 'a comparison with a value that can never occur',
    reason:
      "GitHub compares strings and reports nothing: a job with `needs.on.result == 'succes'` is always skipped, and a job with `!=` always runs.",
    remedy: 'Write one of the values in the note.',
    before: "if: needs.on.result == 'succes'",
    after: "if: needs.on.result == 'success'",
    workflow: withCondition,
  },
  check: (file) =>
    file.expressions.flatMap((expression) => {
      const { tree, text } = expression
      if (!tree || !/[!=]=/.test(text)) return []
      return partsOf(tree).flatMap((part) => comparisonProblem(file, expression, part) ?? [])
    }),
}

const RESULTS = ['success', 'failure', 'cancelled', 'skipped']

/** Values of contexts, by path; `*` is any name. Source: the page "Contexts" of GitHub's reference. */
const VALUES: ReadonlyMap<string, readonly string[]> = new Map([
  ['needs.*.result', RESULTS],
  ['jobs.*.result', RESULTS],
  ['steps.*.outcome', RESULTS],
  ['steps.*.conclusion', RESULTS],
  ['on.*.outcome', RESULTS],
  ['job.status', ['success', 'failure', 'cancelled']],
  ['github.event_name', [...NATIVE_EVENTS, 'dynamic']],
  ['github.ref_type', ['branch', 'tag']],
  ['runner.os', ['Linux', 'Windows', 'macOS']],
  ['runner.arch', ['X86', 'X64', 'ARM', 'ARM64']],
])

function comparisonProblem(
  file: RuleFile,
  expression: FileExpression,
  part: Expr,
): Problem | undefined {
  if (!(part instanceof Binary) || !/^[!=]=$/.test(part.operator.lexeme)) return undefined
  const [value, literal] =
    stringOf(part.left) === undefined ? [part.left, part.right] : [part.right, part.left]
  const text = stringOf(literal)
  if (text === undefined || !(literal instanceof Literal)) return undefined
  const values = valuesOf(file, expression, value)
  // The compiler reports triggers of a source that are compared with the event's name.
  const isReported = file.isSource && TRIGGERS.has(text)
  const isKnown = values?.some((known) => known.toLowerCase() === text.toLowerCase())
  if (!values || isKnown || isReported) return undefined
  const always = part.operator.lexeme === '==' ? 'never' : 'always'
  const hint = didYouMean(text, values)
  return file.problemAt(expression, spanOf(literal.token), {
    message: `the value is never ${quoted(text)}, so this comparison is ${always} true`,
    ...(hint && { hint }),
    ...(values.length < 10 && { notes: [`possible values: ${values.filter(Boolean).join(', ')}`] }),
  })
}

/** The values that a context, or an output of the action, can have; `undefined` if any string can occur. */
function valuesOf(
  file: RuleFile,
  expression: FileExpression,
  part: Expr,
): readonly string[] | undefined {
  const output = hooklineOutput(file, expression, part)
  // The outputs of a skipped step are empty.
  if (output?.name === 'triggered') return ['true', 'false', '']
  if (output?.name === 'trigger' && file.triggers.length > 0) {
    return [...file.triggers.map(({ name }) => name), '']
  }
  const path = contextPath(part)
  if (!path || path.names.includes(undefined)) return undefined
  const { context, names } = path
  const pattern = names.length === 2 ? [context, '*', names[1]] : [context, ...names]
  return VALUES.get(pattern.join('.'))
}
