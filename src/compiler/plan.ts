import { isMap, isScalar, type Node, Scalar, visit } from 'yaml'
import type { Finding } from '../wire/errors.ts'
import { type DispatchEvent, dispatchEvent } from '../wire/payload.ts'
import { hasExpression } from '../workflow/expression-text.ts'
import { textExpression } from '../workflow/expressions.ts'
import { type FileExpression, referencesIn } from '../workflow/file-expressions.ts'
import type { Mistake } from '../workflow/mistakes.ts'
import type { SourceTrigger } from '../workflow/on.ts'
import type { Operation } from '../workflow/operations.ts'
import { dedent } from '../workflow/spans.ts'
import { type NodePair, nodeBelow, pairOf, pairsOf, rangeOf } from '../workflow/yaml.ts'
import type { ActionLock } from './action-lock.ts'
import type { CompileSettings } from './compiler-settings.ts'
import { type CronSchedule, scheduleOf } from './cron-schedule.ts'
import { type JobCondition, jobConditions, type SourceCondition } from './job-conditions.ts'
import { envPairs, nativeCondition, readsContext } from './on-job.ts'
import { nativeTarget, rewriteExpression } from './rewrite.ts'
import { jobsOf, listensTo, type SourceFile, type SourceJob } from './source-file.ts'

/**
 * A compiled file of a source: `whole`, if one file is enough. If one event may bring several
 * items, there are two: `listening`, which GitHub starts and which begins as an empty document, and
 * `jobs`, which contains the jobs and is called.
 */
export type CompiledPart = 'whole' | 'listening' | 'jobs'

export interface PassResult {
  readonly operations?: readonly Operation[]
  /** Mistakes of the source as errors, and facts that the user should know as warnings. */
  readonly findings?: readonly Finding[]
  /** True if a finding prevents the file; otherwise GitHub's parser also reads the file. */
  readonly isBlocked?: boolean
}

/** One step of the compilation, which changes nothing itself and returns operations. */
export interface Pass {
  run(plan: Plan, part: CompiledPart): PassResult
}

export interface WorkflowStarts {
  readonly file: SourceFile
  readonly webhooks: readonly SourceTrigger[]
  readonly polled: readonly PolledTrigger[]
  /** The event by which a webhook starts the workflow; `undefined` if no trigger receives webhooks. */
  readonly starting: DispatchEvent | undefined
  /**
   * Whether the listening file also needs `workflow_dispatch`, for a manual run or a
   * cron service.
   */
  readonly isStartedByHand: boolean
}

export interface PolledTrigger {
  readonly trigger: SourceTrigger
  /** `undefined` if the source has its own schedule, or `skipSchedule`. */
  readonly schedule: CronSchedule | undefined
}

interface PlanOptions extends CompileSettings {
  readonly existing?: ReadonlyMap<string, string> | undefined
  /** GitHub's lock file of actions. */
  readonly lock?: ActionLock | undefined
}

/** The plan for the compiled files of a source; the passes turn it into edits. */
export interface Plan extends WorkflowStarts {
  readonly options: PlanOptions
  /**
   * True if one file is enough, because every run has one item; otherwise one file listens and
   * calls the other.
   */
  readonly isOne: boolean
  /** The condition that is true for a native event; `undefined` if there is none. */
  readonly native: string | undefined
  /** Every expression outside of the `on:` section. */
  readonly expressions: readonly FileExpression[]
  readonly moved: MovedSettings
  readonly jobs: readonly PlannedJob[]
}

/** A job and its condition in the one-file form. */
export interface PlannedJob {
  readonly job: SourceJob
  readonly condition: JobCondition
  /** Whether settings of the workflow are moved into it. */
  readonly isMovedInto: boolean
}

/** Settings of the workflow that read `on`. Only in a job can they do that. */
interface MovedSettings {
  readonly env: readonly NodePair[]
  readonly defaults: readonly NodePair[]
  readonly pairs: readonly NodePair[]
}

/** Returns a problem if nothing can start the workflow. */
export function noTriggerProblems(file: SourceFile): Mistake[] {
  if (file.native.length > 0 || file.triggers.some(({ config }) => config.active)) return []
  return [
    {
      code: 'no-trigger',
      message: `no trigger of ${file.source.name} is active`,
      notes: ['Activate a trigger, add an event, or move the file out of the folder.'],
    },
  ]
}

export function planOf(file: SourceFile, options: PlanOptions): Plan {
  const starts = startsOf(file, dispatchEvent(options.dispatch))
  const isOne = !bringsMany(starts)
  const native = nativeCondition(starts)
  const expressions = file.expressions.filter(({ path }) => path[0] !== 'on')
  // The jobs file reads `inputs`, which the workflow's own `env` can read, so `env` need not move.
  const moved = movedSettings(file, isOne)
  const jobs = plannedJobs(file, expressions, moved, native)
  return { ...starts, options, isOne, native, expressions, moved, jobs }
}

function startsOf(file: SourceFile, event: DispatchEvent): WorkflowStarts {
  const active = file.triggers.filter(({ config }) => config.active)
  const webhooks = active.filter((trigger) => trigger.takesWebhooks || mayTakeWebhooks(trigger))
  const hasOwn = listensTo(file, 'schedule')
  const polled = active
    .filter(({ poll }) => poll)
    .map((trigger) => {
      const { every, timeZone, skipSchedule } = trigger.config
      const isChosen = Boolean(every?.cron ?? every?.minutes)
      const isNeeded = !skipSchedule && (isChosen || !hasOwn)
      const schedule = isNeeded ? scheduleOf(every ?? {}, timeZone, file.name) : undefined
      return { trigger, schedule }
    })
  const starting = webhooks.length > 0 ? event : undefined
  const heard = [starting, ...file.native.map(({ name }) => name)]
  const isStartedByHand =
    !heard.includes(BY_HAND) &&
    polled.some(({ trigger }) => trigger.config.manualRunEvent.includes(BY_HAND))
  return { file, webhooks, polled, starting, isStartedByHand }
}

/** The event of a manual run, and of a cron service that calls GitHub. */
const BY_HAND = 'workflow_dispatch'

/**
 * Whether one run may have several items: of a poll, or of a batch that is not combined into one.
 */
function bringsMany({ webhooks, polled }: WorkflowStarts): boolean {
  const isMany = ({ config }: SourceTrigger) => config.batch && config.outputsMode !== 'combine'
  return polled.length > 0 || webhooks.some(isMany)
}

/** For `webhook: ${{ vars.WEBHOOK }}` only a run knows the value, so both ways must work. */
function mayTakeWebhooks({ receive, nodes: { value: options } }: SourceTrigger): boolean {
  const node = receive && pairOf(options, 'webhook')?.value
  return isScalar(node) && typeof node.value === 'string' && hasExpression(node.value)
}

function movedSettings(file: SourceFile, isOne: boolean): MovedSettings {
  const env = isOne ? envPairs(file).filter((pair) => readsContext(file, pair, 'on')) : []
  const section = file.sections.get('defaults')?.value
  const runMap = nodeBelow(file.document, section, 'run')
  const run = isMap(runMap) ? pairsOf(runMap) : []
  const defaults = run.filter((pair) => readsContext(file, pair, 'on'))
  return { env, defaults, pairs: [...env, ...defaults] }
}

function plannedJobs(
  file: SourceFile,
  expressions: readonly FileExpression[],
  { pairs }: MovedSettings,
  native: string | undefined,
): PlannedJob[] {
  const reads = onReader(file, expressions)
  const jobs = jobsOf(file).map((job) => ({
    job,
    // A job that calls a workflow has no such settings.
    isMovedInto: pairs.length > 0 && !(isMap(job.content) && job.content.has('uses')),
  }))
  const sources = jobs.map(({ job, isMovedInto }): [string, SourceCondition] => {
    const readsOn = isMovedInto || reads(job.content)
    return [job.id.toLowerCase(), { needs: job.needs, condition: jobCondition(file, job), readsOn }]
  })
  const conditions = jobConditions(new Map(sources), native, (condition, job, needs) =>
    rewriteExpression(condition, nativeTarget(file, native, job.needs, needs)),
  )
  return jobs.map((one) => {
    const same = { needs: one.job.needs, parts: undefined }
    return { ...one, condition: conditions.get(one.job.id.toLowerCase()) ?? same }
  })
}

/** Finds a node that reads the context `on`, also through aliases. */
function onReader(
  file: SourceFile,
  expressions: readonly FileExpression[],
): (node: Node | null | undefined) => boolean {
  const readers = new Set<Scalar>(
    expressions
      .filter(({ text }) => referencesIn(text, 'on').length > 0)
      .map(({ scalar }) => scalar),
  )
  const reads = (node: Node | null | undefined): boolean => {
    let found = false
    visit(node ?? null, {
      Scalar(_, scalar) {
        found ||= readers.has(scalar)
      },
      Alias(_, alias) {
        found ||= reads(alias.resolve(file.document))
      },
    })
    return found
  }
  return reads
}

/** `if:` of a job as one expression, on the lines of the source; `undefined` if the job has none. */
function jobCondition(
  { document, source }: SourceFile,
  { content }: SourceJob,
): string | undefined {
  const value = nodeBelow(document, content, 'if')
  if (!isScalar(value) || value.value === null) return undefined
  const text = (conditionSource(value, source.text) ?? String(value.value)).trim()
  if (!hasExpression(text)) return text === '' ? undefined : text
  return textExpression(text)
}

/**
 * The lines of a plain or folded condition, as written. YAML folds line breaks to spaces, which is
 * equivalent between the parts of an expression, but not in a string or around `${{ }}`.
 */
function conditionSource(scalar: Scalar, text: string): string | undefined {
  const isFolded = scalar.type === Scalar.BLOCK_FOLDED
  if (!isFolded && scalar.type !== Scalar.PLAIN) return undefined
  const [start, end] = rangeOf(scalar)
  const written = text.slice(start, end).replace(isFolded ? /^[^\n]*\n/ : /^/, '')
  const lines = dedent(written.trimEnd().split('\n'), Math.max(0, written.search(/\S/)))
  const joined = lines.join('\n').trim()
  const isSame =
    joined.replaceAll(/\s+/g, ' ') === String(scalar.value).trim().replaceAll(/\s+/g, ' ')
  const hasString = /'[^'\n]*\n/.test(joined.replaceAll(/'[^'\n]*'/g, ''))
  const hasText = joined.includes('${{') && !/^\$\{\{(?:(?!\$\{\{).)*\}\}$/s.test(joined)
  return isSame && !hasString && !hasText ? joined : undefined
}
