import { isAlias, isMap, isScalar, type Node, parse, type Scalar, visit } from 'yaml'
import type { Problem } from '../wire/errors.ts'
import type { Json } from '../wire/json.ts'
import { pairsOf } from '../workflow/document.ts'
import { hasExpression, textExpression } from '../workflow/expressions.ts'
import {
  type FileExpression,
  keyOf,
  NEEDS_PLACES,
  referencesIn,
} from '../workflow/file-expressions.ts'
import { patch } from '../workflow/patch.ts'
import {
  aboveComments,
  columnOf,
  type Edit,
  indent,
  linesOf,
  singleQuoted,
} from '../workflow/spans.ts'
import { positionAt, rangeOf } from '../workflow/yaml.ts'
import { concurrencyOperations } from './concurrency.ts'
import { type JobCondition, jobConditions, type SourceCondition } from './conditions.ts'
import { onSectionEdits, type Plan } from './events.ts'
import {
  changedJob,
  isMovedInto,
  type MovedSettings,
  movedEntries,
  movedSettings,
} from './job-edits.ts'
import {
  actionInputLines,
  emptiedEnv,
  envPairs,
  nativeCondition,
  onJobCondition,
  onJobLines,
  readByTriggers,
  readsContext,
  skippedContext,
} from './on-job.ts'
import { expressionEdits, rewriteExpression, type Target } from './rewrite.ts'
import {
  aliasProblems,
  isInTrigger,
  jobsOf,
  type SourceFile,
  type SourceJob,
  withoutOwnKey,
} from './source-file.ts'

/** Where the context `on` can be read: what GitHub reads too early is moved into the jobs. */
export const ONE_FILE_PLACES: readonly string[] = [...NEEDS_PLACES, 'env', 'defaults.run']

/** What makes a source the one file that runs, and what is to be said of it. */
interface OneFile {
  readonly edits: readonly Edit[]
  readonly problems: readonly Problem[]
  readonly notices: readonly Problem[]
}

/**
 * The source as GitHub runs it, where every event brings one item: its own jobs under their own
 * names, and one job `on` before them.
 */
export function oneFile(
  file: SourceFile,
  plan: Plan,
  expressions: readonly FileExpression[],
  options: { readonly uses: string; readonly state: string; readonly runsOn: Json },
): OneFile {
  const starts = { file, starting: plan.starting, webhooks: plan.webhooks }
  const native = nativeCondition(starts)
  const moved = movedSettings(file, ['env', 'defaults'])
  const jobs = plannedJobs(file, expressions, moved, native)
  const entries = movedEntries(file, moved, targetOf(file, native, undefined, []))
  const changed = jobs.map(({ job, condition, isMovedInto }) =>
    changedJob(file, job, {
      needs: condition.needs.join(' ') === job.needs.join(' ') ? undefined : condition.needs,
      parts: condition.parts,
      env: isMovedInto ? entries.env : [],
      defaults: isMovedInto ? entries.defaults : [],
    }),
  )
  const onJob = onJobLines({
    ...options,
    workflow: file.name,
    condition: onJobCondition(starts),
    env: emptiedEnv(file),
    outputs: ['triggered', 'on'],
    actionInputs: actionInputLines(file, options.state),
    isSerial: options.state !== 'none',
    writesState: options.state.startsWith('branch:'),
  })
  return {
    // In this order where several put something in at the same place: see `applyEdits`.
    edits: [
      ...onSectionEdits(file, plan.starting),
      insertedJob(file, onJob),
      ...rewritten(file, expressions, moved, jobs, native),
      ...patch(file.document, file.source.text, [
        ...withoutOwnKey(file),
        ...moved.operations,
        ...concurrencyOperations(file, plan),
        ...changed.flatMap(({ operations }) => operations),
      ]),
    ],
    problems: [
      ...jobs
        .filter(({ job }) => job.id.toLowerCase() === 'on')
        .map(({ job }) => ({
          message: 'a job cannot be named "on": the compiled file has one of this name',
          position: positionAt(file.source, ...rangeOf(job.key)),
          hint: 'give it another name',
        })),
      ...aliasProblems(file, (node) => (isInTrigger(file, node) ? 'action' : 'file')),
      ...variableProblems(file),
      ...changed.flatMap(({ problems }) => problems),
    ],
    notices: [],
  }
}

/** A job, and when it runs in the one file. */
interface PlannedJob {
  readonly job: SourceJob
  readonly condition: JobCondition
  /** Whether settings of the workflow are moved into it. */
  readonly isMovedInto: boolean
}

function plannedJobs(
  file: SourceFile,
  expressions: readonly FileExpression[],
  moved: MovedSettings,
  native: string | undefined,
): PlannedJob[] {
  const reads = onReader(file, expressions)
  const jobs = jobsOf(file).map((job) => ({
    job,
    isMovedInto: isMovedInto(moved, job),
  }))
  const conditions = jobConditions(
    new Map(
      jobs.map(({ job, isMovedInto }): [string, SourceCondition] => [
        job.id.toLowerCase(),
        {
          needs: job.needs,
          condition: conditionOf(file, job),
          readsOn: isMovedInto || reads(job.content),
        },
      ]),
    ),
    native,
    (condition, job, needs) => rewriteExpression(condition, targetOf(file, native, job, needs)),
  )
  return jobs.map((one) => {
    const same = { needs: one.job.needs, parts: undefined }
    return { ...one, condition: conditions.get(one.job.id.toLowerCase()) ?? same }
  })
}

/** The rewritten expressions, but for those that are moved, or part of a condition written anew. */
function rewritten(
  file: SourceFile,
  expressions: readonly FileExpression[],
  { pairs }: MovedSettings,
  jobs: readonly PlannedJob[],
  native: string | undefined,
): Edit[] {
  const byId = new Map(jobs.map((one) => [one.job.id, one]))
  const byJob = new Map<PlannedJob | undefined, FileExpression[]>()
  for (const expression of expressions) {
    const { path, found } = expression
    const one = path[0] === 'jobs' ? byId.get(String(path[1])) : undefined
    const isCondition = path.length === 3 && path[2] === 'if' && one?.condition.parts !== undefined
    if (isCondition || pairs.some(({ value }) => value === found.scalar)) continue
    const own = byJob.get(one) ?? []
    own.push(expression)
    byJob.set(one, own)
  }
  return [...byJob].flatMap(([one, own]) =>
    expressionEdits(file, own, targetOf(file, native, one?.job, one?.condition.needs ?? [])),
  )
}

/** Finds what reads the context `on`, by way of aliases too. */
function onReader(
  file: SourceFile,
  expressions: readonly FileExpression[],
): (node: Node | null | undefined) => boolean {
  const readers = new Set<Scalar>(
    expressions
      .filter(({ text }) => referencesIn(text, 'on').length > 0)
      .map(({ found }) => found.scalar),
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

/** `if:` of a job as one expression; `undefined` where it says nothing. */
function conditionOf({ document }: SourceFile, { content }: SourceJob): string | undefined {
  const node = isMap(content) ? content.get('if', true) : undefined
  const value: unknown = isAlias(node) ? node.resolve(document) : node
  if (!isScalar(value) || value.value === null) return undefined
  const text = String(value.value).trim()
  if (!hasExpression(text)) return text === '' ? undefined : text
  return textExpression(text)
}

/** What the context `on` is called in a job, and `needs` where it has more jobs in it than before. */
function targetOf(
  file: SourceFile,
  native: string | undefined,
  job: { readonly needs: readonly string[] } | undefined,
  needs: readonly string[],
): Target {
  const own = job?.needs ?? needs
  const added = needs.filter((id) => !own.includes(id))
  return {
    places: ONE_FILE_PLACES,
    name({ steps }) {
      if (native === undefined) return 'fromJSON(needs.on.outputs.on)'
      // Of a skipped trigger every output is missing, so nothing of its context has to be there.
      const [trigger, field, output] = steps
      const isOfTrigger = trigger?.name !== undefined && field?.name?.toLowerCase() === 'outputs'
      const readsOutput = isOfTrigger && output?.name !== undefined
      const skipped = readsOutput ? '{}' : skippedContext(file.triggers)
      return `fromJSON(needs.on.outputs.on || ${singleQuoted(skipped)})`
    },
    further: (text) => (added.length > 0 ? wholeNeedsEdits(text, own, added) : []),
  }
}

const NEEDS_RESULT = /^needs\s*\.\s*\*\s*\.\s*result\b/i

/**
 * `needs` as a whole is about the jobs that the user named, and so is `needs.*`: a gate that reads it
 * sees what it would in the source. Whether one of them failed or was cancelled stays true with the
 * job `on` among them.
 */
function wholeNeedsEdits(text: string, own: readonly string[], added: readonly string[]): Edit[] {
  const whole = referencesIn(text, 'needs').filter(({ steps }) => steps[0]?.name === undefined)
  return whole.flatMap(({ start, end }): Edit[] => {
    const found = NEEDS_RESULT.exec(text.slice(start))?.[0]
    if (found === undefined) return [{ start, end, text: needsOf(own) }]
    const after = start + found.length
    const isHarmless =
      added.every((id) => id === 'on') &&
      /contains\(\s*$/i.test(text.slice(0, start)) &&
      /^\s*,\s*'(failure|cancelled)'\s*\)/i.test(text.slice(after))
    if (isHarmless) return []
    const places = own.map((_, at) => `"{${at}}"`).join(', ')
    const results = own.map((id) => `needs.${id}.result`)
    const list = own.length > 0 ? `format('[${places}]', ${results.join(', ')})` : `'[]'`
    return [{ start, end: after, text: `fromJSON(${list})` }]
  })
}

/** The object of these jobs alone, as `needs` would be without the others. */
function needsOf(ids: readonly string[]): string {
  if (ids.length === 0) return `fromJSON('{}')`
  const entries = ids.map((id, at) => `"${id}":{${at}}`).join(',')
  return `fromJSON(format('{{${entries}}}', ${ids.map((id) => `toJSON(needs.${id})`).join(', ')}))`
}

/** The job `on` stands before the first job of the user, and what is said above that. */
function insertedJob({ source: { text }, jobs }: SourceFile, lines: readonly string[]): Edit {
  const { value } = jobs
  const first = isMap(value) ? pairsOf(value)[0] : undefined
  if (!isMap(value) || value.flow || !first) {
    const start = value ? rangeOf(value)[0] + 1 : jobs.end
    const job = JSON.stringify(parse(lines.join('\n'))).slice(1, -1)
    return { start, end: start, text: first ? `${job}, ` : job }
  }
  const [keyStart] = rangeOf(first.key)
  const start = aboveComments(text, linesOf(text, keyStart, keyStart).start)
  return {
    start,
    end: start,
    text: `${indent([...lines, ''], columnOf(text, keyStart)).join('\n')}\n`,
  }
}

/** Variables of the workflow that the job `on` cannot have, or cannot do with. */
function variableProblems(file: SourceFile): Problem[] {
  const read = readByTriggers(file, 'env').map((name) => name.toLowerCase())
  return envPairs(file).flatMap((pair): Problem[] => {
    const name = keyOf(pair)
    const position = positionAt(file.source, ...rangeOf(pair.key))
    const isOfEvent = readsContext(file, pair, 'on')
    // The action is found by the `PATH` of its runner.
    if (name.toUpperCase() === 'PATH' && !isOfEvent) {
      const message = 'PATH of the workflow would change what the job "on" runs'
      return [{ message, position, hint: 'move it into the "env:" of the jobs that need it' }]
    }
    // A variable that is made from the event cannot say which event is wanted.
    if (!isOfEvent || !read.includes(name.toLowerCase())) return []
    const made = 'which is made from "on" itself'
    return [{ message: `the "on:" section reads the variable "${name}", ${made}`, position }]
  })
}
