import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  stringify,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import type { Problem } from '../wire/errors.ts'
import { DocumentLines, type NodePair, pairsOf } from '../workflow/document.ts'
import { fileExpressions, keyOf } from '../workflow/file-expressions.ts'
import type { Path } from '../workflow/options.ts'
import { entryLines, type Operation, type Where } from '../workflow/patch.ts'
import { indent, type Lines } from '../workflow/spans.ts'
import { positionAt, rangeOf } from '../workflow/yaml.ts'
import { envPairs, readsContext } from './on-job.ts'
import { expressionEdits, rewriteText, type Target } from './rewrite.ts'
import type { SourceFile, SourceJob } from './source-file.ts'

/** What a job says otherwise than in the source. */
interface JobChange {
  /** `undefined` where they stay as they are. */
  readonly needs: readonly string[] | undefined
  /** Parts of `if:` that all must hold; likewise. */
  readonly parts: readonly string[] | undefined
  /** Entries for `env:` and for `defaults.run`, in the order of the workflow's own. */
  readonly env: readonly Entry[]
  readonly defaults: readonly Entry[]
}

/** A key with its value, as lines at column 0. */
interface Entry {
  readonly name: string
  readonly lines: Lines
}

/** How a job is changed, and what stands against it. */
export interface ChangedJob {
  readonly operations: readonly Operation[]
  readonly problems: readonly Problem[]
}

/** What changes a job where it stands; everything else in it stays as it is. */
export function changedJob(
  file: SourceFile,
  { id, node }: SourceJob,
  change: JobChange,
): ChangedJob {
  if (!isMap(node)) return { operations: [], problems: [] }
  const { value: jobs } = file.jobs
  const isFlow = node.flow === true || (isMap(jobs) && jobs.flow === true)
  const job: Job = { file, path: ['jobs', id], node, isFlow }
  return {
    // In this order where they come to stand at the same place.
    operations: [
      ...(change.needs ? needsOperations(job, change.needs) : []),
      ...(change.parts ? conditionOperations(job, change.parts) : []),
      ...entryOperations(job, ['env'], change.env),
      ...entryOperations(job, ['defaults', 'run'], change.defaults),
    ],
    problems: [
      ...(change.needs ? sharedProblems(job, 'needs') : []),
      ...(change.parts ? sharedProblems(job, 'if') : []),
      ...(change.env.length > 0 ? mergeProblems(job, 'env') : []),
      ...(change.defaults.length > 0 ? mergeProblems(job, 'defaults') : []),
    ],
  }
}

interface Job {
  readonly file: SourceFile
  readonly path: Path
  readonly node: YAMLMap
  /** In braces, or in jobs that are: there everything stands on one line. */
  readonly isFlow: boolean
}

function pairOf(map: YAMLMap, name: string): NodePair | undefined {
  return pairsOf(map).find((pair) => keyOf(pair) === name)
}

/** After these a job says what it does; new keys stand behind them. */
const HEAD_KEYS = ['needs', 'if']

/** New keys stand together: behind what is said of the same, or after the job's name. */
function topOf({ node }: Job): Where {
  const names = pairsOf(node).map(keyOf)
  const head = names.findLast((name) => HEAD_KEYS.includes(name))
  const after = head ?? (names[0] === 'name' ? 'name' : undefined)
  return after === undefined ? 'first' : { after }
}

function needsOperations(job: Job, needs: readonly string[]): Operation[] {
  const { node, file, path } = job
  const list = needs.length === 1 ? String(needs[0]) : `[${needs.join(', ')}]`
  const pair = pairOf(node, 'needs')
  if (!pair) {
    const where = job.isFlow || !pairOf(node, 'if') ? topOf(job) : { before: 'if' }
    return [{ op: 'insert', path, lines: [`needs: ${list}`], where }]
  }
  const { value } = pair
  if (!isLongList(file.source.text, value)) {
    return [{ op: 'set', path: [...path, 'needs'], lines: [list] }]
  }
  const there = value.items.map((item) => String(isScalar(item) ? item.value : item))
  const names = needs.filter((id) => !there.includes(id))
  if (names.length === 0) return []
  const lines = names.map((name) => `- ${name}`)
  return [{ op: 'insert', path: [...path, 'needs'], lines, where: 'first' }]
}

/** Whether a list stands on several lines, so that names are better put in than written anew. */
function isLongList(text: string, node: Node | null): node is YAMLSeq {
  if (!isSeq(node)) return false
  const written = text.slice(...rangeOf(node)).trimEnd()
  return !node.flow || written.includes('\n')
}

function conditionOperations(job: Job, parts: readonly string[]): Operation[] {
  const [first = '', ...more] = conditionText(parts, job.isFlow)
  const { path } = job
  if (pairOf(job.node, 'if')) {
    return [{ op: 'set', path: [...path, 'if'], lines: [first, ...more] }]
  }
  return [{ op: 'insert', path, lines: [`if: ${first}`, ...indent(more, 2)], where: topOf(job) }]
}

/** Characters of an `if:` that still are read at one glance. */
const LONGEST_LINE = 100

/** The value of `if:`, and the lines that follow its key where it takes several. */
function conditionText(parts: readonly string[], isFlow: boolean): string[] {
  const lines = parts.map(ownLines)
  const joined = lines.map((own) => own.map((line) => line.trim()).join(' ')).join(' && ')
  // A text with a line break in it would lose it when lines are folded.
  const texts = parts.flatMap((part) => part.match(/'(?:[^']|'')*'/g) ?? [])
  if (texts.some((text) => text.includes('\n'))) return [JSON.stringify(parts.join(' && '))]
  if (isFlow) return [JSON.stringify(joined)]
  const isPlain = /^[\w(]/.test(joined) && !/: |:$| #/.test(joined)
  if (isPlain && joined.length <= LONGEST_LINE) return [joined]
  if (joined.length <= LONGEST_LINE) return ['>-', joined]
  return [
    '>-',
    ...lines.flatMap((own, at) =>
      at < parts.length - 1 ? [...own.slice(0, -1), `${own.at(-1)} &&`] : own,
    ),
  ]
}

/** Entries for a mapping of the job, but for names that it has itself. */
function entryOperations(
  job: Job,
  below: readonly string[],
  entries: readonly Entry[],
): Operation[] {
  const map: unknown = job.node.getIn(below, true)
  const own = isMap(map) ? pairsOf(map).map((pair) => keyOf(pair).toLowerCase()) : []
  const news = entries.filter(({ name }) => !own.includes(name.toLowerCase()))
  if (news.length === 0) return []
  const lines = news.flatMap((entry) => entry.lines)
  const path = [...job.path, ...below]
  // What is made for them stands at the top of the job, unless a part of it is there.
  const parent = below.length > 1 && job.node.has(below[0]) ? 'first' : topOf(job)
  return [{ op: 'insert', path, lines, where: 'first', parent }]
}

/** The lines of a part as they were written, at the margin; a text that lies over lines is one. */
function ownLines(part: string): string[] {
  const lines = part.split('\n').filter((line) => line.trim() !== '')
  const [first = '', ...more] = lines.map((line) => line.trimEnd())
  // The first line begins where the expression does; the others tell how far they stand in.
  const margin = Math.min(...more.map((line) => line.search(/\S/)))
  return [first.trim(), ...more.map((line) => line.slice(margin))]
}

/** A value that other places share by an anchor cannot change in this one alone. */
function sharedProblems(job: Job, name: string): Problem[] {
  const value = pairOf(job.node, name)?.value
  const anchor = isScalar(value) || isSeq(value) ? value.anchor : undefined
  if (!value || anchor === undefined) return []
  let isShared = false
  visit(job.file.document, {
    Alias(_, alias) {
      isShared ||= alias.source === anchor
    },
  })
  if (!isShared) return []
  return [
    {
      message: `"${name}" of a job is changed by the compiler, and "*${anchor}" would change with it`,
      position: positionAt(job.file.source, ...rangeOf(value)),
      hint: 'write the value out in both places',
    },
  ]
}

/** Where a mapping comes by an alias or an expression, nothing can be added to it. */
function mergeProblems(job: Job, name: string): Problem[] {
  const pair = pairOf(job.node, name)
  const value = pair?.value
  const isOpen = !value || isMap(value) || (isScalar(value) && value.value === null)
  if (isOpen) return []
  return [
    {
      message: `"${name}" of the workflow reads "on", so it is moved into the jobs, and this one is ${isAlias(value) ? 'an alias' : 'not a mapping'}`,
      position: positionAt(job.file.source, ...rangeOf(value)),
      hint: 'write it out here',
    },
  ]
}

/** Settings of the workflow that read `on`: there it cannot be read, in each job it can. */
export interface MovedSettings {
  readonly env: readonly NodePair[]
  readonly defaults: readonly NodePair[]
  readonly pairs: readonly NodePair[]
  readonly operations: readonly Operation[]
}

/** @param sections which of them have to move: `env` may read `inputs` where it stands */
export function movedSettings(
  file: SourceFile,
  sections: readonly ('env' | 'defaults')[],
): MovedSettings {
  const env = sections.includes('env')
    ? envPairs(file).filter((pair) => readsContext(file, pair, 'on'))
    : []
  const section = file.sections.get('defaults')?.value
  const runMap = isMap(section) ? section.get('run', true) : undefined
  const run = isMap(runMap) ? pairsOf(runMap) : []
  const defaults = run.filter((pair) => readsContext(file, pair, 'on'))
  const paths: Path[] = [
    ...env.map((pair) => ['env', keyOf(pair)]),
    ...defaults.map((pair) => ['defaults', 'run', keyOf(pair)]),
  ]
  return {
    env,
    defaults,
    pairs: [...env, ...defaults],
    operations: paths.map((path) => ({ op: 'remove', path })),
  }
}

/** Whether they have to be moved into a job: one that calls a workflow has none of its own. */
export function isMovedInto({ pairs }: MovedSettings, { content }: SourceJob): boolean {
  return pairs.length > 0 && !(isMap(content) && content.has('uses'))
}

/** The moved settings as entries of a job, each with its comments, and as it was written. */
export function movedEntries(file: SourceFile, { env, defaults }: MovedSettings, target: Target) {
  const lines = new DocumentLines(file.source.text, file.document)
  const entry =
    (section: Path) =>
    (pair: NodePair): Entry => {
      const path = [...section, keyOf(pair)]
      const { value } = pair
      const isNamed = value !== null && 'anchor' in value && value.anchor !== undefined
      if (lines.entry(path) && !isNamed) {
        const expressions = fileExpressions(file.source.text, value, path)
        const edits = expressionEdits(file, expressions, target)
        return { name: keyOf(pair), lines: entryLines(lines, path, pair, edits) }
      }
      const text = rewriteText(isScalar(value) ? String(value.value) : '', target)
      const written = stringify({ [keyOf(pair)]: text }, { lineWidth: 0 })
      return { name: keyOf(pair), lines: written.trimEnd().split('\n') }
    }
  return { env: env.map(entry(['env'])), defaults: defaults.map(entry(['defaults', 'run'])) }
}
