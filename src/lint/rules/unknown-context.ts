import { ContextAccess } from '@actions/expressions/ast'
import type { Problem } from '../../wire/errors.ts'
import { isWithin, partsOf, spanOf } from '../../workflow/file-expressions.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { greetWithCondition } from './example-workflows.ts'

export const unknownContext: Rule = {
  id: 'unknown-context',
  level: 'error',
  page: {
    title: 'a context that is not available in this `if`',
    reason:
      'GitHub rejects the file. `secrets` is not available in any `if`; `env` and `matrix` are not available in the `if` of a job.',
    remedy:
      "Read a secret into `env:` of the job, and test `env.NAME != ''` in a step. Test matrix values in steps.",
    before: "if: secrets.TOKEN != ''",
    after: "if: vars.ENABLED == 'yes'",
    workflow: greetWithCondition,
  },
  check: unknownContexts,
}

/**
 * The parser reads a condition without braces as a string, so it does not report these.
 *
 * Source: `job-if` and `step-if` of GitHub's schema, workflow-v1.0.json (a test compares the two)
 */
export const CONTEXTS_OF_JOB_IF: readonly string[] = ['github', 'inputs', 'vars', 'needs']
export const CONTEXTS_OF_STEP_IF: readonly string[] = [
  ...CONTEXTS_OF_JOB_IF,
  'strategy',
  'matrix',
  'steps',
  'job',
  'runner',
  'env',
]

function unknownContexts(file: RuleFile): Problem[] {
  return file.expressions.flatMap((expression) => {
    const { path, tree } = expression
    if (path[0] !== 'jobs' || path.at(-1) !== 'if' || !tree) return []
    const isStep = isWithin(path, ['jobs.*.steps.*.if'])
    if (!isStep && path.length !== 3) return []
    const known = isStep ? CONTEXTS_OF_STEP_IF : CONTEXTS_OF_JOB_IF
    return partsOf(tree).flatMap((part): Problem[] => {
      if (!(part instanceof ContextAccess)) return []
      const name = part.name.lexeme.toLowerCase()
      // The compiler checks the context `on` of a source.
      if (known.includes(name) || (file.isSource && name === 'on')) return []
      const message = `the "if" of a ${isStep ? 'step' : 'job'} has no context "${part.name.lexeme}"`
      const notes = [`available contexts: ${known.join(', ')}`]
      return [file.problemAt(expression, spanOf(part.name), { message, notes })]
    })
  })
}
