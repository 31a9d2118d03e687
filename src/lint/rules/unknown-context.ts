import { ContextAccess } from '@actions/expressions/ast'
import type { Problem } from '../../wire/errors.ts'
import { isWithin, partsOf, spanOf } from '../../workflow/file-expressions.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { guarded } from './examples.ts'

export const unknownContext: Rule = {
  id: 'unknown-context',
  level: 'error',
  isStrict: false,
  finds: 'a context that GitHub does not have in this `if`',
  why: 'GitHub refuses the file. An `if` has no `secrets`, that of a job neither `env` nor `matrix`.',
  fix: "Read a secret into `env:` of the job, and ask in a step `env.NAME != ''`; ask the matrix in the steps.",
  red: "if: secrets.TOKEN != ''",
  green: "if: vars.ENABLED == 'yes'",
  around: guarded,
  check: unknownContexts,
}

/**
 * GitHub's parser here takes a condition without braces for mere text.
 *
 * Source: `job-if` and `step-if` of GitHub's own schema, workflow-v1.0.json (a test compares the two)
 */
export const CONTEXTS_OF_JOB_IF: readonly string[] = ['github', 'inputs', 'vars', 'needs']
export const CONTEXTS_OF_STEP_IF: readonly string[] = [
  ...CONTEXTS_OF_JOB_IF,
  ...['strategy', 'matrix', 'steps', 'job', 'runner', 'env'],
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
      // A source has `on`, of which the compiler tells.
      if (known.includes(name) || (file.isSource && name === 'on')) return []
      const message = `the "if" of a ${isStep ? 'step' : 'job'} has no context "${part.name.lexeme}"`
      const notes = [`contexts: ${known.join(', ')}`]
      return [file.problemAt(expression, spanOf(part.name), { message, notes })]
    })
  })
}
