import { LIMITS } from '../wire/limits.ts'
import type { TriggerRef } from './engine-ports.ts'
import { buildContexts, FailedRun, type OnContext } from './evaluation.ts'
import { reportFailed } from './failed-items.ts'
import type { Candidate, FailedItem, PipelineResult } from './pipeline.ts'

/** The quota of outputs that is left for the triggers of one run. */
export interface OutputBudget {
  /** UTF-16 units of outputs. */
  readonly units: number
  /** Jobs of one matrix. */
  readonly jobs: number
}

/** The quota of a run without outputs yet. */
export const FULL_BUDGET: OutputBudget = { units: LIMITS.itemsUnits, jobs: LIMITS.matrixJobs }

/** The quota that is left after these contexts. */
export function remainingBudget(
  contexts: readonly OnContext[],
  { units, jobs }: OutputBudget,
): OutputBudget {
  return { units: units - JSON.stringify(contexts).length, jobs: jobs - contexts.length }
}

/**
 * Leaves out the items that do not fit into the outputs.
 *
 * - Of a poll, the items beyond the budget come with a later run; an item that is too large by itself can
 *   never be passed on, so it fails.
 * - Of a batch, the largest items fail until the others fit, because none of them would come again.
 *
 * @param budget present for a polled trigger
 */
export function fitIntoOutputs(
  ref: TriggerRef,
  prepared: PipelineResult,
  folder: string,
  budget: OutputBudget | undefined,
): PipelineResult {
  const { batch, failOnItemError } = ref.trigger.config
  const weigh = (candidate: Candidate) => outputSize(ref, [candidate], folder)
  if (budget) return fitPolled(prepared, weigh, budget)
  if (!batch || failOnItemError) return prepared
  const doesFit = outputSize(ref, prepared.kept, folder) <= LIMITS.itemsUnits
  return doesFit ? prepared : fitBatch(prepared, weigh)
}

function fitPolled(
  prepared: PipelineResult,
  weigh: (item: Candidate) => number,
  budget: OutputBudget,
): PipelineResult {
  const tooLarge = prepared.kept.filter((candidate) => weigh(candidate) > FULL_BUDGET.units)
  const others = prepared.kept.filter((candidate) => !tooLarge.includes(candidate))
  const { fitting, beyond } = takeFitting(budget, others, weigh)
  return {
    ...prepared,
    kept: fitting,
    heldBack: [...prepared.heldBack, ...beyond],
    recorded: [...prepared.recorded, ...tooLarge],
    failed: [
      ...prepared.failed,
      ...tooLarge.map((candidate) => tooLargeFailure(candidate, weigh(candidate))),
    ],
    log: [
      ...prepared.log,
      ...(tooLarge.length > 0 ? [`${tooLarge.length} left out as too large`] : []),
      ...(beyond.length > 0 ? [`${beyond.length} would not fit into the outputs`] : []),
    ],
  }
}

/**
 * Splits items into those that fit into the outputs and into one matrix, and those that must wait.
 * The split follows the order of discovery, because a service can only forget every item before a
 * cursor.
 *
 * @param weigh units that an item takes
 */
function takeFitting(
  budget: OutputBudget,
  items: readonly Candidate[],
  weigh: (item: Candidate) => number,
): { readonly fitting: readonly Candidate[]; readonly beyond: readonly Candidate[] } {
  let left = budget.units
  let cut = Infinity
  for (const [place, item] of [...items].sort((a, b) => a.index - b.index).entries()) {
    left -= weigh(item)
    if (left >= 0 && place < budget.jobs) continue
    cut = item.index
    break
  }
  return {
    fitting: items.filter(({ index }) => index < cut),
    beyond: items.filter(({ index }) => index >= cut),
  }
}

/** A batch of one item is left to `refuseUnfit`, because no other item is in its way. */
function fitBatch(prepared: PipelineResult, weigh: (item: Candidate) => number): PipelineResult {
  const sizes = prepared.kept.map((candidate) => ({ candidate, size: weigh(candidate) }))
  // Two brackets, and a comma for each item at most.
  let total = sizes.reduce((sum, { size }) => sum + size - 1, 1)
  if (sizes.length < 2) return prepared
  const tooLarge = new Map<Candidate, number>()
  for (const { candidate, size } of sizes.toSorted((one, other) => other.size - one.size)) {
    if (total <= LIMITS.itemsUnits) break
    tooLarge.set(candidate, size)
    total -= size - 1
  }
  return {
    ...prepared,
    kept: prepared.kept.filter((candidate) => !tooLarge.has(candidate)),
    failed: [
      ...prepared.failed,
      ...[...tooLarge].map(([candidate, size]) => tooLargeFailure(candidate, size)),
    ],
    log: [...prepared.log, `${tooLarge.size} left out as too large`],
  }
}

function tooLargeFailure(candidate: Candidate, size: number): FailedItem {
  const limit = FULL_BUDGET.units
  const reason = `too large for the outputs of the job: ${size} of ${limit} characters`
  return { candidate, option: 'size', reason }
}

/** UTF-16 units of the output `items`. */
function outputSize(ref: TriggerRef, candidates: readonly Candidate[], folder: string): number {
  return JSON.stringify(buildContexts(ref, candidates, folder).contexts).length
}

/**
 * The items of a webhook must fit, because they do not come again. Checked before anything is claimed.
 *
 * @throws UserError
 */
export function refuseUnfit(ref: TriggerRef, { kept }: PipelineResult, folder: string): void {
  const { trigger } = ref
  const length = outputSize(ref, kept, folder)
  if (length <= LIMITS.itemsUnits) return
  const failed = kept.map((candidate) => tooLargeFailure(candidate, length))
  const problem = {
    message: `the output "items" would have ${length} characters; the limit of GitHub is about ${LIMITS.itemsUnits}`,
    position: trigger.positionOf([]),
    notes: [
      'reduce each item with "filterOutputs" or "format" under "config"',
      'or set "exportOutputs", so that later steps of this job read the items from files',
      `or let the sender send less${trigger.config.batch ? ': use a shorter "batch" in the endpoint' : ''}`,
    ],
  }
  throw new FailedRun(problem, reportFailed(ref, failed))
}
