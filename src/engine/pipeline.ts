import type { Candidate, Found, StepContext, StepResult } from './candidate.ts'
import { deduplicate, filter, format, limit, project, skip, sort } from './steps.ts'

interface Step {
  readonly name: string
  readonly apply: (
    items: readonly Candidate[],
    settings: StepContext,
  ) => StepResult | Promise<StepResult>
}

/** The pipeline. Deduplication comes before `limit`, so that what is known uses up no place. */
export const STEPS: readonly Step[] = [
  { name: 'filter', apply: filter },
  { name: 'sort', apply: sort },
  { name: 'skip', apply: skip },
  { name: 'deduplicate', apply: deduplicate },
  { name: 'limit', apply: limit },
  { name: 'project', apply: project },
  { name: 'format', apply: format },
]

/** What becomes of the items that a trigger found. */
export interface PipelineResult {
  /** What the jobs get, in their order. */
  readonly kept: readonly Candidate[]
  /** What must come again with a later run. */
  readonly heldBack: readonly Candidate[]
  /** What is not handed on, but counts as seen from now on. */
  readonly recorded: readonly Candidate[]
  /** What happened on the way, in words: `filter dropped 3`. */
  readonly account: readonly string[]
  readonly notices: readonly string[]
}

/** @throws OptionError for a mistake in `config` that shows only now */
export async function runPipeline(
  found: readonly Found[],
  settings: StepContext,
): Promise<PipelineResult> {
  const kept = found.map((one, index) => ({ ...one, index }))
  let prepared: PipelineResult = { kept, heldBack: [], recorded: [], account: [], notices: [] }
  for (const { name, apply } of STEPS) {
    prepared = add(prepared, name, await apply(prepared.kept, settings))
  }
  return prepared
}

function add(before: PipelineResult, step: string, passed: StepResult): PipelineResult {
  const { kept, heldBack = [], recorded = [], notices = [] } = passed
  const dropped = before.kept.length - kept.length - heldBack.length - recorded.length
  return {
    kept,
    heldBack: [...before.heldBack, ...heldBack],
    recorded: [...before.recorded, ...recorded],
    account: [
      ...before.account,
      ...counted(`${step} dropped`, dropped),
      ...counted(`${step} held back`, heldBack.length),
      ...counted(`${step} only recorded`, recorded.length),
    ],
    notices: [...before.notices, ...notices],
  }
}

function counted(what: string, count: number): string[] {
  return count > 0 ? [`${what} ${count}`] : []
}
