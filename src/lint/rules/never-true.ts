import {
  type ConstantComparison,
  constantComparisons,
  possibleContexts,
} from '../../model/constant-comparisons.ts'
import { type PartialContexts, unknownValue } from '../../model/evaluate-expression.ts'
import { TRIGGERS } from '../../triggers/index.ts'
import type { Problem } from '../../wire/errors.ts'
import { NATIVE_EVENTS } from '../../wire/events.ts'
import type { FileExpression } from '../../workflow/file-expressions.ts'
import { childOf, entriesOf, type Place, textOf } from '../../workflow/nodes.ts'
import { actionSteps, stepsOf } from '../../workflow/steps.ts'
import { didYouMean, quoted } from '../../workflow/suggestion.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { greetWithCondition } from './example-workflows.ts'

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
    workflow: greetWithCondition,
  },
  check: neverTrueComparisons,
}

function neverTrueComparisons(file: RuleFile): Problem[] {
  const contexts = new Map<unknown, PartialContexts>()
  return file.expressions.flatMap((expression) => {
    if (expression.path[0] !== 'jobs' || !/[!=]=/.test(expression.text)) return []
    const [, job] = expression.path
    const known = contexts.get(job) ?? contextsOf(file, childOf(file.top, 'jobs', String(job)))
    contexts.set(job, known)
    return constantComparisons(expression.text, known).flatMap(
      (comparison) => comparisonProblem(file, expression, comparison) ?? [],
    )
  })
}

function comparisonProblem(
  file: RuleFile,
  expression: FileExpression,
  { start, end, literal, result, values }: ConstantComparison,
): Problem | undefined {
  if (typeof literal !== 'string') return undefined
  // The compiler reports triggers of a source that are compared with the event's name.
  if (file.isSource && TRIGGERS.has(literal)) return undefined
  const names = values.map(String).filter((value) => value !== '')
  const hint = didYouMean(literal, names)
  return file.problemAt(
    expression,
    { start, end },
    {
      message: `the value is never ${quoted(literal)}, so this comparison is ${result ? 'always' : 'never'} true`,
      ...(hint && { hint }),
      ...(names.length < 10 && { notes: [`possible values: ${names.join(', ')}`] }),
    },
  )
}

/** The values that expressions of a job can read. Any event counts, since jobs are copied around. */
function contextsOf(file: RuleFile, job: Place | undefined): PartialContexts {
  const idOf = (step: Place) => textOf(childOf(step, 'id')) ?? []
  const { source } = file.file
  const needs = file.jobs.map(({ name, value }) => {
    const ids = actionSteps(value, source).flatMap(idOf)
    const passing = entriesOf(childOf(value, 'outputs')).filter(({ value: output }) => {
      const [, id] =
        /\bsteps\.([\w-]+)\.outputs\.triggered\s*\}\}\s*$/.exec(textOf(output) ?? '') ?? []
      return id !== undefined && ids.includes(id)
    })
    return [name, passing.map((output) => output.name)] as const
  })
  const possible = possibleContexts({
    needs: Object.fromEntries(needs),
    steps: stepsOf(job).flatMap(idOf),
    actionSteps: actionSteps(job, source).flatMap(idOf),
    ...(file.isSource && { triggers: file.triggers.map(({ name }) => name) }),
  })
  return {
    ...possible,
    github: {
      event_name: unknownValue('the event', [...NATIVE_EVENTS, 'dynamic']),
      ref_type: unknownValue('the type of the ref', ['branch', 'tag']),
    },
    runner: {
      os: unknownValue('the operating system', ['Linux', 'Windows', 'macOS']),
      arch: unknownValue('the architecture', ['X86', 'X64', 'ARM', 'ARM64']),
    },
  }
}
