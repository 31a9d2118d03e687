import { type JobResult, type JobShape, scheduleJobs } from '../../../src/model/job-schedule.ts'
import { readWorkflowJobs, type WorkflowJobs } from '../../../src/model/workflow-jobs.ts'
import type { JsonObject } from '../../../src/wire/json.ts'

export type { JobResult } from '../../../src/model/job-schedule.ts'

/** What happens in a run, beside what its workflow says. */
export interface Run {
  /** Contexts that do not change: `github`, `inputs`, and for a source `on`. */
  readonly contexts: Readonly<Record<string, unknown>>
  /** How a job ends if it runs, and its outputs; success and none where nothing is said. */
  readonly ends?: Readonly<Record<string, JobResult>>
  readonly outputs?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Jobs that are looked at after the run was cancelled. */
  readonly afterCancel?: readonly string[]
}

/** How the jobs of a workflow end, by the model that `dev` and `build --explain` show. */
export function schedule(workflow: string, run: Run): Record<string, JobResult> {
  return scheduleAll(known(workflow).jobs, run)
}

/**
 * The results of the jobs of a called workflow, if GitHub's status functions also see the jobs before
 * the call. GitHub does not document whether they do.
 */
export function scheduleThrough(
  main: string,
  { caller, called }: { readonly caller: string; readonly called: string },
  run: Run,
): Record<string, JobResult> {
  const behind = known(called).jobs.map((job) => {
    return { ...job, needs: job.needs.length > 0 ? job.needs : [caller] }
  })
  const results = scheduleAll([...known(main).jobs, ...behind], run)
  return Object.fromEntries(behind.map(({ id }) => [id, results[id] ?? 'unknown']))
}

function scheduleAll(jobs: readonly JobShape[], run: Run): Record<string, JobResult> {
  const { ends, outputs, afterCancel } = run
  const contexts = { vars: {}, ...run.contexts } as JsonObject // tables write JSON
  const decisions = scheduleJobs(jobs, {
    contexts,
    ...(ends && { ends }),
    ...(afterCancel && { afterCancel }),
    outputs: ({ id }) => ({ ...outputs?.[id] }),
  })
  const open = decisions.find(({ verdict }) => verdict === 'unknown' || verdict === 'fails')
  if (open) throw new Error(`${open.id}: ${open.why}`)
  return Object.fromEntries(decisions.map(({ id, result }) => [id, result]))
}

/** The same few texts are asked for in many runs, and parsing takes most of the time. */
const PARSED = new Map<string, WorkflowJobs>()

function known(text: string): WorkflowJobs {
  const read = PARSED.get(text) ?? readWorkflowJobs({ name: 'hook.yml', file: 'hook.yml', text })
  PARSED.set(text, read)
  return read
}
