import { isAlias, isMap, isScalar, type Node, parse, type Scalar, stringify, visit } from 'yaml'
import type { Problem } from '../protocol/errors.ts'
import type { Json } from '../protocol/json.ts'
import { hasExpression } from '../workflow/expression-spans.ts'
import { positionAt, rangeOf } from '../workflow/source.ts'
import { aliasProblems, isInTrigger } from './aliases.ts'
import { type JobCondition, jobConditions, type SourceCondition } from './conditions.ts'
import { onSectionEdits } from './events.ts'
import {
  type FileExpression,
  keyOf,
  NEEDS_PLACES,
  type Reference,
  referencesIn,
} from './expressions.ts'
import { type Entry, jobEdits } from './job-edits.ts'
import {
  actionInputLines,
  emptiedEnv,
  envPairs,
  nativeCondition,
  onJobCondition,
  onJobLines,
  readByTriggers,
  readsContext,
} from './on-job.ts'
import type { Plan } from './plan.ts'
import { expressionEdits, rewriteExpression, rewriteText, type Target } from './rewrite.ts'
import {
  jobsOf,
  type NodePair,
  OWN_KEY,
  pairsOf,
  type SourceFile,
  type SourceJob,
} from './source-file.ts'
import { columnOf, type Edit, linesOf } from './spans.ts'
import { aboveComments, indent, quoted } from './yaml-lines.ts'

/** Where the context `on` can be read: what GitHub reads too early is moved into the jobs. */
export const ONE_FILE_PLACES: readonly string[] = [...NEEDS_PLACES, 'env', 'defaults.run']

/** What makes a source the one file that runs, and what is to be said of it. */
export interface OneFile {
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
  const reader = onReader(file, expressions)
  const moved = movedSettings(file)
  const jobs = jobsOf(file)
  const isMovedInto = (job: SourceJob) => moved.pairs.length > 0 && !isCall(job)
  const conditions = jobConditions(
    new Map(
      jobs.map((job): [string, SourceCondition] => [
        job.id.toLowerCase(),
        {
          needs: job.needs,
          condition: conditionOf(file, job),
          readsOn: reader.reads(job.content) || isMovedInto(job),
        },
      ]),
    ),
    native,
    (condition, job, needs) => rewriteExpression(condition, targetOf(file, native, job, needs)),
  )
  const conditionFor = (id: string) => conditions.get(id.toLowerCase())
  const entries = movedEntries(moved, targetOf(file, native, undefined, []))
  const changed = jobs.map((job) =>
    jobEdits(file, job, {
      ...changeOf(job, conditionFor(job.id)),
      env: isMovedInto(job) ? entries.env : [],
      defaults: isMovedInto(job) ? entries.defaults : [],
    }),
  )
  const byJob = new Map(jobs.map((job) => [job.id, job]))
  const inPlace = expressions.filter((expression) => isInPlace(expression, moved, conditionFor))
  const rewritten = new Map<string, FileExpression[]>()
  for (const expression of inPlace) {
    const id = expression.path[0] === 'jobs' ? String(expression.path[1]) : ''
    rewritten.set(id, [...(rewritten.get(id) ?? []), expression])
  }
  return {
    edits: [
      ...onSectionEdits(file, plan.starting),
      ...cutSection(file, OWN_KEY),
      ...moved.edits,
      insertedJob(file, [
        ...onJobLines({
          ...options,
          workflow: file.name,
          condition: onJobCondition(starts),
          env: emptiedEnv(file),
          outputs: ['triggered', 'on'],
          actionInputs: actionInputLines(file, options.state),
          isSerial: options.state !== 'none',
          writesState: options.state.startsWith('branch:'),
        }),
      ]),
      ...[...rewritten].flatMap(([id, own]) => {
        const target = targetOf(file, native, byJob.get(id), conditionFor(id)?.needs ?? [])
        return expressionEdits(file, own, target)
      }),
      ...changed.flatMap(({ edits }) => edits),
    ],
    problems: [
      ...jobs.filter(({ id }) => id.toLowerCase() === 'on').map((job) => takenName(file, job)),
      ...aliasProblems(file, (node) => (isInTrigger(file, node) ? 'action' : 'file')),
      ...pathProblems(file),
      ...circularProblems(file),
      ...changed.flatMap(({ problems }) => problems),
    ],
    notices: jobs.flatMap((job) =>
      wholeNeedsNotices(file, job, conditionFor(job.id)?.needs ?? [], expressions),
    ),
  }
}

/** Finds what reads the context `on`, by way of aliases too. */
function onReader(file: SourceFile, expressions: readonly FileExpression[]) {
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
  return { reads }
}

/** `if:` of a job as one expression; `undefined` where it says nothing. */
function conditionOf({ document }: SourceFile, { content }: SourceJob): string | undefined {
  const node = isMap(content) ? content.get('if', true) : undefined
  const value: unknown = isAlias(node) ? node.resolve(document) : node
  if (!isScalar(value) || value.value === null) return undefined
  const text = String(value.value).trim()
  if (!hasExpression(text)) return text === '' ? undefined : text
  const [, only] = /^\$\{\{((?:[^']|'(?:[^']|'')*')*?)\}\}$/s.exec(text) ?? []
  return only === undefined ? formatted(text) : only.trim()
}

/** A text with expressions in it, as GitHub reads it: `format('a {0}', x)`, which is always true. */
function formatted(text: string): string {
  const parts: string[] = []
  const pattern = text.replaceAll(
    /\$\{\{((?:[^']|'(?:[^']|'')*')*?)\}\}|[{}']/g,
    (found, inner) => {
      if (inner === undefined) return found.repeat(2)
      return `{${parts.push(String(inner).trim()) - 1}}`
    },
  )
  return `format('${pattern}', ${parts.join(', ')})`
}

function isCall({ content }: SourceJob): boolean {
  return isMap(content) && content.has('uses')
}

function changeOf({ needs }: SourceJob, condition: JobCondition | undefined) {
  const isSame = condition?.needs.join(' ') === needs.join(' ')
  return { needs: isSame ? undefined : condition?.needs, parts: condition?.parts }
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
    name(reference) {
      if (native === undefined) return 'fromJSON(needs.on.outputs.on)'
      const skipped = readsOutput(reference) ? '{}' : skippedContext(file)
      return `fromJSON(needs.on.outputs.on || ${quoted(skipped)})`
    },
    further: (text) => (added.length > 0 ? needsResultEdits(text, own, added) : []),
  }
}

/** Of a skipped trigger every output is missing, so nothing of its context has to be there. */
function readsOutput({ steps }: Reference): boolean {
  const [trigger, field, output] = steps
  const isNamed = trigger?.name !== undefined && field?.name?.toLowerCase() === 'outputs'
  return isNamed && output?.name !== undefined
}

/** The context `on` of a run that another event started. */
function skippedContext({ triggers }: SourceFile): string {
  const skipped = { outcome: 'skipped', conclusion: 'skipped', outputs: {} }
  return JSON.stringify(Object.fromEntries(triggers.map(({ name }) => [name, skipped])))
}

const NEEDS_RESULT = /^needs\s*\.\s*\*\s*\.\s*result\b/i

/**
 * `needs.*.result` is about the jobs that the user named. Whether one of them failed or was cancelled
 * stays true with the job `on` among them; anything else is asked of these jobs alone.
 */
function needsResultEdits(text: string, own: readonly string[], added: readonly string[]): Edit[] {
  return referencesIn(text, 'needs').flatMap(({ start }): Edit[] => {
    const found = NEEDS_RESULT.exec(text.slice(start))?.[0]
    if (found === undefined) return []
    const end = start + found.length
    const isHarmless =
      added.every((id) => id === 'on') &&
      /contains\(\s*$/i.test(text.slice(0, start)) &&
      /^\s*,\s*'(failure|cancelled)'\s*\)/i.test(text.slice(end))
    if (isHarmless) return []
    const places = own.map((_, at) => `"{${at}}"`).join(', ')
    const results = own.map((id) => `needs.${id}.result`)
    const list = own.length > 0 ? `format('[${places}]', ${results.join(', ')})` : `'[]'`
    return [{ start, end, text: `fromJSON(${list})` }]
  })
}

/** Settings of the workflow that read `on`: there it cannot be read, in each job it can. */
interface MovedSettings {
  readonly env: readonly NodePair[]
  readonly defaults: readonly NodePair[]
  readonly pairs: readonly NodePair[]
  readonly edits: readonly Edit[]
}

function movedSettings(file: SourceFile): MovedSettings {
  const env = envPairs(file).filter((pair) => readsContext(file, pair, 'on'))
  const run = runDefaults(file)
  const defaults = run.filter((pair) => readsContext(file, pair, 'on'))
  const isEmptied = run.length === defaults.length
  return {
    env,
    defaults,
    pairs: [...env, ...defaults],
    edits: [
      ...withoutPairs(file, 'env', file.sections.get('env')?.value, envPairs(file), env),
      ...(defaults.length > 0 && isEmptied
        ? cutSection(file, 'defaults')
        : withoutPairs(file, 'defaults', undefined, run, defaults)),
    ],
  }
}

function runDefaults({ sections }: SourceFile): NodePair[] {
  const defaults = sections.get('defaults')?.value
  const run = isMap(defaults) ? defaults.get('run', true) : undefined
  return isMap(run) ? pairsOf(run) : []
}

/** A mapping without some of its pairs: their lines are cut, or the rest is written anew. */
function withoutPairs(
  file: SourceFile,
  section: string,
  map: Node | null | undefined,
  all: readonly NodePair[],
  cut: readonly NodePair[],
): Edit[] {
  if (cut.length === 0) return []
  const { text } = file.source
  const isFlow = isMap(map) && map.flow === true
  if (isFlow && cut.length === all.length) return cutSection(file, section)
  if (isFlow) {
    const kept = all.filter((pair) => !cut.includes(pair))
    const parts = kept.map(({ key, value }) =>
      text.slice(rangeOf(key)[0], rangeOf(value ?? key)[1]),
    )
    const [start, end] = rangeOf(map)
    return [{ start, end, text: `{${parts.join(', ')}}` }]
  }
  const head = file.sections.get(section)?.key
  const keys = cut.length === all.length && head ? [{ key: head, value: null }, ...cut] : cut
  return keys.map(({ key, value }) => ({
    ...linesOf(text, rangeOf(key)[0], rangeOf(value ?? key)[1]),
    text: '',
  }))
}

function cutSection({ sections }: SourceFile, key: string): Edit[] {
  const section = sections.get(key)
  return section ? [{ start: section.start, end: section.end, text: '' }] : []
}

function movedEntries({ env, defaults }: MovedSettings, target: Target) {
  const entry = (pair: NodePair): Entry => {
    const value = isScalar(pair.value) ? String(pair.value.value) : ''
    const text = stringify({ [keyOf(pair)]: rewriteText(value, target) }, { lineWidth: 0 })
    return { name: keyOf(pair), lines: text.trimEnd().split('\n') }
  }
  return { env: env.map(entry), defaults: defaults.map(entry) }
}

/** Not moved, and not part of a condition that is written anew. */
function isInPlace(
  { path, found }: FileExpression,
  { pairs }: MovedSettings,
  conditionFor: (id: string) => JobCondition | undefined,
): boolean {
  if (pairs.some(({ value }) => value === found.scalar)) return false
  const isCondition = path.length === 3 && path[0] === 'jobs' && path[2] === 'if'
  return !isCondition || conditionFor(String(path[1]))?.parts === undefined
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

function takenName({ source }: SourceFile, { key }: SourceJob): Problem {
  return {
    message: 'a job cannot be named "on": the compiled file has one of this name',
    position: positionAt(source, ...rangeOf(key)),
    hint: 'give it another name',
  }
}

/** The action is found by the `PATH` of its runner, and cannot do without. */
function pathProblems(file: SourceFile): Problem[] {
  return envPairs(file)
    .filter((pair) => keyOf(pair).toUpperCase() === 'PATH' && !readsContext(file, pair, 'on'))
    .map(({ key }) => ({
      message: 'PATH of the workflow would change what the job "on" runs',
      position: positionAt(file.source, ...rangeOf(key)),
      hint: 'move it into the "env:" of the jobs that need it',
    }))
}

/** A variable that is made from the event cannot say which event is wanted. */
function circularProblems(file: SourceFile): Problem[] {
  const read = readByTriggers(file, 'env').map((name) => name.toLowerCase())
  return envPairs(file)
    .filter((pair) => read.includes(keyOf(pair).toLowerCase()) && readsContext(file, pair, 'on'))
    .map(({ key }) => ({
      message: `the "on:" section reads the variable "${keyOf({ key, value: null } as NodePair)}", which is made from "on" itself`,
      position: positionAt(file.source, ...rangeOf(key)),
    }))
}

/** Where `needs` is read as a whole, the job `on` is in it, though the user did not name it. */
function wholeNeedsNotices(
  file: SourceFile,
  job: SourceJob,
  needs: readonly string[],
  expressions: readonly FileExpression[],
): Problem[] {
  const added = needs.filter((id) => !job.needs.includes(id))
  if (added.length === 0) return []
  const names = added.map((id) => `"${id}"`).join(' and ')
  return expressions
    .filter(({ path }) => path[0] === 'jobs' && path[1] === job.id)
    .flatMap((expression) =>
      referencesIn(expression.text, 'needs')
        .filter(({ steps }) => steps[0]?.name === undefined)
        .filter(({ start }) => !NEEDS_RESULT.test(expression.text.slice(start)))
        .map(({ start, end }) => {
          const place = expression.span(start, end)
          return {
            message: `"needs" is read as a whole here, and in the compiled file ${names} ${added.length > 1 ? 'are' : 'is'} among them`,
            position: positionAt(file.source, place.start, place.end),
            hint: 'name the jobs that are meant',
          }
        }),
    )
}
