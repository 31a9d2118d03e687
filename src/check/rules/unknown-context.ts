import { ContextAccess, IndexAccess } from '@actions/expressions/ast'
import type { Problem } from '../../wire/errors.ts'
import { contextPath } from '../../workflow/expression-paths.ts'
import { isWithin, spanOf } from '../../workflow/file-expressions.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { greetWithCondition } from './example-workflows.ts'

export const unknownContext: Rule = {
  id: 'unknown-context',
  level: 'error',
  page: {
    title: 'a value of the event in an `if` where its context is not available',
    reason:
      'GitHub rejects the file. `steps` and `matrix` are not available in the `if` of a job, and `on` is available only in the files that Hookline compiles.',
    remedy: 'Read the outputs of the job that uses the action: `needs.on.outputs.triggered`.',
    before: "if: steps.hookline.outputs.triggered == 'true'",
    after: "if: needs.on.outputs.triggered == 'true'",
    workflow: greetWithCondition,
  },
  check: unknownContexts,
}

/** GitHub's parser reads a condition without braces as a string, so it does not report these. */
function unknownContexts(file: RuleFile): Problem[] {
  const uses = file.native?.uses ?? []
  const ids = uses.flatMap(({ step }) => step?.toLowerCase() ?? [])
  const [owner] = uses
  if (!owner) return []
  return file.typed.flatMap(({ expression, parts }) => {
    const { path } = expression
    if (path[0] !== 'jobs' || path.at(-1) !== 'if') return []
    const isStep = isWithin(path, ['jobs.*.steps.*.if'])
    if (!isStep && path.length !== 3) return []
    const keys = uses.flatMap(({ matrices }) =>
      matrices.filter(({ job }) => job === path[1]).map(({ key }) => key.toLowerCase()),
    )
    const isUnknown = (context: string, name: string) =>
      context === 'on' ||
      (!isStep && context === 'steps' && ids.includes(name)) ||
      (!isStep && context === 'matrix' && keys.includes(name))
    return parts.flatMap((part): Problem[] => {
      if (!(part instanceof IndexAccess) || !(part.expr instanceof ContextAccess)) return []
      const { context = '', names = [] } = contextPath(part) ?? {}
      if (!isUnknown(context, names[0] ?? '')) return []
      const message = `the "if" of a ${isStep ? 'step' : 'job'} has no context "${context}"`
      const place = path[1] === owner.job ? `steps.${owner.step ?? '<id>'}` : `needs.${owner.job}`
      const hint =
        isStep || path[1] !== owner.job
          ? `read the outputs of the action: ${place}.outputs`
          : `move it to the steps after the action, and read ${place}.outputs`
      return [file.problemAt(expression, spanOf(part.expr.name), { message, hint })]
    })
  })
}
