import type { Scalar } from 'yaml'
import type { FileExpression } from '../../workflow/file-expressions.ts'
import { asFindings } from '../../workflow/mistakes.ts'
import type { Operation } from '../../workflow/operations.ts'
import type { Pass, Plan, PlannedJob } from '../plan.ts'
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
      operations: isWhole ? inOneFile(plan) : referenceOperations(inJobsFile(plan), IN_JOBS_FILE),
      findings: asFindings(expressionProblems(file, expressions, places), 'error'),
    }
  },
}

/** Leaves out expressions that are moved, or part of a condition that is rewritten. */
function inOneFile(plan: Plan): Operation[] {
  const isMoved = movedScalars(plan)
  const byId = new Map(plan.jobs.map((one) => [one.job.id, one]))
  const byJob = new Map<PlannedJob | undefined, FileExpression[]>()
  for (const expression of plan.expressions) {
    const { path, scalar } = expression
    const one = path[0] === 'jobs' ? byId.get(String(path[1])) : undefined
    const isCondition = path.length === 3 && path[2] === 'if' && one?.condition.parts !== undefined
    if (isCondition || isMoved(scalar)) continue
    const own = byJob.get(one) ?? []
    own.push(expression)
    byJob.set(one, own)
  }
  return [...byJob].flatMap(([one, own]) => {
    const { needs = [] } = one?.job ?? {}
    const target = nativeTarget(plan.file, plan.native, needs, one?.condition.needs ?? needs)
    return referenceOperations(own, target)
  })
}

function inJobsFile(plan: Plan): FileExpression[] {
  const isMoved = movedScalars(plan)
  return plan.expressions.filter(
    ({ path, scalar }) => !LISTENING_KEYS.includes(String(path[0])) && !isMoved(scalar),
  )
}

function movedScalars({ moved }: Plan): (scalar: Scalar) => boolean {
  const scalars = new Set<unknown>(moved.pairs.map(({ value }) => value))
  return (scalar) => scalars.has(scalar)
}
