import type { Json } from '../wire/json.ts'
import { andOperands } from '../workflow/expressions.ts'
import {
  conditionText,
  evaluateParsed,
  type Parsed,
  type PartialContexts,
  parseForEvaluation,
  RESULTS,
  type Status,
  truthOf,
  unknownValue,
} from './evaluate-expression.ts'

/** The value of `needs.<id>.result`; `unknown` if only a run can know whether the job runs. */
export type JobResult = 'success' | 'failure' | 'cancelled' | 'skipped' | 'unknown'

/** The parts of a job that decide whether it runs. */
export interface JobShape {
  readonly id: string
  readonly needs: readonly string[]
  readonly condition: IfCondition | undefined
}

/** The parsed `if` of a job, for many events. */
interface IfCondition {
  /** The condition as one expression. */
  readonly text: string
  readonly parsed: ParseResult
  readonly operands: readonly Pick<IfCondition, 'text' | 'parsed'>[]
}

type ParseResult = Parsed | { readonly fails: string }

/** @param written the value of `if`; empty if the job has none */
export function readCondition(written: string): IfCondition | undefined {
  const text = conditionText(written)
  if (text === '') return undefined
  const parsed = parseForEvaluation(text)
  const operands = 'fails' in parsed ? [] : andOperands(text)
  return {
    text,
    parsed,
    operands: operands.map((operand) => ({ text: operand, parsed: parseForEvaluation(operand) })),
  }
}

export interface JobDecision {
  readonly id: string
  readonly verdict: 'runs' | 'skipped' | 'unknown' | 'fails'
  /** The reason for the decision. */
  readonly why: string
  readonly result: JobResult
  /** The results of the status functions in its condition. */
  readonly status: Status
  /** The contexts that its own expressions read, without `steps`. */
  readonly contexts: PartialContexts
}

/** The facts of a run that its workflow does not contain. */
interface RunFacts<Job extends JobShape> {
  /** Contexts that are the same for all jobs: `github`, `inputs`, `vars`, and for a source `on`. */
  readonly contexts: PartialContexts
  /** The results of jobs that run (default: success). */
  readonly ends?: Readonly<Record<string, JobResult>>
  /** Jobs that GitHub evaluates after the run was cancelled. */
  readonly afterCancel?: readonly string[]
  outputs(job: Job, contexts: PartialContexts): Json
  /** Returns the reason if the job fails before its first step, such as an empty matrix. */
  failure?(job: Job, contexts: PartialContexts): string | undefined
}

interface Done extends JobDecision {
  readonly ancestors: ReadonlySet<string>
  readonly outputs: Json
}

/**
 * Decides which jobs of a workflow run, as GitHub does. Sources: GitHub's documentation of status
 * functions, and actions/runner#491 on jobs behind a skipped job.
 *
 * @returns the decisions; every job comes after the jobs that it needs
 * @throws Error if `needs` has a cycle or names an unknown job; GitHub refuses such a file
 */
export function scheduleJobs<Job extends JobShape>(
  jobs: readonly Job[],
  run: RunFacts<Job>,
): JobDecision[] {
  const done = new Map<string, Done>()
  const waiting = new Set(jobs)
  while (waiting.size > 0) {
    const ready = [...waiting].filter(({ needs }) => needs.every((id) => done.has(id)))
    if (ready.length === 0) {
      throw new Error('"needs" has a cycle or names an unknown job')
    }
    for (const job of ready) {
      waiting.delete(job)
      done.set(job.id, decideJob(job, done, run))
    }
  }
  return [...done.values()]
}

function decideJob<Job extends JobShape>(
  job: Job,
  done: ReadonlyMap<string, Done>,
  run: RunFacts<Job>,
): Done {
  const { id, needs } = job
  const found = needs.flatMap((need) => done.get(need) ?? [])
  const ancestors = new Set(found.flatMap((one) => [one.id, ...one.ancestors]))
  const before = [...ancestors].flatMap((ancestor) => done.get(ancestor) ?? [])
  const isCancelled = run.afterCancel?.includes(id) ?? false
  const entries = found.map(({ id: need, result, outputs }): [string, Json] => {
    const known = result === 'unknown' ? unknownValue(`the result of ${need}`, RESULTS) : result
    return [need, { result: known, outputs }]
  })
  const contexts: PartialContexts = { ...run.contexts, needs: Object.fromEntries(entries) }
  const status = statusBefore(before, isCancelled)
  const decision = decideCondition(job.condition, contexts, status, before)
  const failure = decision.verdict === 'runs' ? run.failure?.(job, contexts) : undefined
  const { verdict, why } =
    failure === undefined ? decision : ({ verdict: 'fails', why: failure } as const)
  const result = resultOfVerdict(verdict, run.ends?.[id])
  const outputs = outputsOf(verdict, id, () => run.outputs(job, contexts))
  return { id, verdict, why, result, status, contexts, ancestors, outputs }
}

function outputsOf(verdict: JobDecision['verdict'], id: string, read: () => Json): Json {
  if (verdict === 'runs') return read()
  return verdict === 'unknown' ? unknownValue(`an output of ${id}`) : {}
}

function resultOfVerdict(verdict: JobDecision['verdict'], end: JobResult | undefined): JobResult {
  if (verdict === 'runs') return end ?? 'success'
  if (verdict === 'fails') return 'failure'
  return verdict
}

function statusBefore(before: readonly Done[], isCancelled: boolean): Status {
  const results = before.map(({ result }) => result)
  const isOpen = results.includes('unknown')
  const isBad = results.some((result) => result !== 'success' && result !== 'unknown')
  return {
    success: isCancelled || isBad ? false : isOpen ? undefined : true,
    failure: results.includes('failure') ? true : isOpen ? undefined : false,
    cancelled: isCancelled,
  }
}

type VerdictReason = Pick<JobDecision, 'verdict' | 'why'>

/** A condition with a status function is used as written; to any other GitHub adds `success()`. */
function decideCondition(
  condition: IfCondition | undefined,
  contexts: PartialContexts,
  status: Status,
  before: readonly Done[],
): VerdictReason {
  const parsed = condition?.parsed
  if (parsed && 'fails' in parsed) return { verdict: 'fails', why: `its if: ${parsed.fails}` }
  const isImplicit = !parsed?.callsStatus
  if (isImplicit && status.success === false) {
    const stopped = before.find(({ result }) => result !== 'success' && result !== 'unknown')
    const why = stopped ? `${stopped.id} ${ENDS[stopped.result]}` : 'the run is cancelled'
    return { verdict: 'skipped', why }
  }
  const outcome: VerdictReason =
    condition && parsed
      ? evaluateCondition(condition, parsed, contexts, status)
      : { verdict: 'runs', why: before.length > 0 ? 'its needs succeed' : 'no condition' }
  if (outcome.verdict !== 'runs' || !isImplicit || status.success) return outcome
  const open = before.find(({ result }) => result === 'unknown')
  return { verdict: 'unknown', why: `whether ${open?.id ?? 'a job'} runs is not known here` }
}

const ENDS: Readonly<Record<JobResult, string>> = {
  success: 'succeeds',
  failure: 'fails',
  cancelled: 'is cancelled',
  skipped: 'is skipped',
  unknown: 'may be skipped',
}

function evaluateCondition(
  { text, operands }: IfCondition,
  parsed: Parsed,
  contexts: PartialContexts,
  status: Status,
): VerdictReason {
  const outcome = evaluateParsed(parsed, contexts, status)
  if ('fails' in outcome) return { verdict: 'fails', why: `its if: ${outcome.fails}` }
  const truth = truthOf(outcome)
  if (truth === undefined) {
    const what = 'unknown' in outcome ? outcome.unknown : 'it'
    return { verdict: 'unknown', why: `its if reads ${what}: not known here` }
  }
  if (truth) return { verdict: 'runs', why: 'its if is true' }
  const wrong = operands.find(({ parsed: operand }) => {
    return !('fails' in operand) && truthOf(evaluateParsed(operand, contexts, status)) === false
  })
  return { verdict: 'skipped', why: `its if is false: ${wrong?.text ?? text}` }
}
