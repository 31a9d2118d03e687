import type { FileExpression } from '../../workflow/file-expressions.ts'
import { asFindings } from '../../workflow/mistakes.ts'
import type { Operation } from '../../workflow/operations.ts'
import type { Pass, Plan } from '../plan.ts'
import {
  expressionProblems,
  IN_JOBS_FILE,
  nativeTarget,
  ONE_FILE_PLACES,
  referenceOperations,
} from '../rewrite.ts'
import { LISTENING_KEYS } from '../source-file.ts'

/** Replaces every `on.` in an expression by a context that GitHub knows. */
export const references: Pass = {
  run(plan, part) {
    if (part === 'listening') return {}
    const { file, expressions } = plan
    const isWhole = part === 'whole'
    const places = isWhole ? ONE_FILE_PLACES : IN_JOBS_FILE.places
    return {
      operations: isWhole ? inOneFile(plan) : inJobsFile(plan),
      findings: asFindings(expressionProblems(file, expressions, places), 'error'),
    }
  },
}

/** Leaves out parts of a condition that is rewritten. */
function inOneFile(plan: Plan): Operation[] {
  const byId = new Map(plan.jobs.map((one) => [one.job.id, one]))
  const jobOf = ({ path }: FileExpression) =>
    path[0] === 'jobs' ? byId.get(String(path[1])) : undefined
  const written = unmoved(plan).filter((expression) => {
    const isCondition = expression.path.length === 3 && expression.path[2] === 'if'
    return !isCondition || jobOf(expression)?.condition.parts === undefined
  })
  return referenceOperations(written, (expression) => {
    const one = jobOf(expression)
    const { needs = [] } = one?.job ?? {}
    return nativeTarget(plan.file, plan.native, needs, one?.condition.needs ?? needs)
  })
}

function inJobsFile(plan: Plan): Operation[] {
  const written = unmoved(plan).filter(({ path }) => !LISTENING_KEYS.includes(String(path[0])))
  return referenceOperations(written, () => IN_JOBS_FILE)
}

function unmoved({ moved, expressions }: Plan): FileExpression[] {
  const scalars = new Set<unknown>(moved.pairs.map(({ value }) => value))
  return expressions.filter(({ scalar }) => !scalars.has(scalar))
}
