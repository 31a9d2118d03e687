import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parse,
  stringify,
  visit,
  type YAMLMap,
} from 'yaml'
import type { Problem } from '../wire/errors.ts'
import { positionAt, rangeOf } from '../workflow/yaml.ts'
import { keyOf } from './expressions.ts'
import { envPairs, readsContext } from './on-job.ts'
import { rewriteText, type Target } from './rewrite.ts'
import { type NodePair, pairsOf, type SourceFile, type SourceJob } from './source-file.ts'
import { columnOf, type Edit, indent, type Lines, linesOf, type Span, trimmedEnd } from './spans.ts'

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

/** What was found while a job was changed. */
export interface JobEdits {
  readonly edits: readonly Edit[]
  readonly problems: readonly Problem[]
}

/** The edits that change a job where it stands; everything else in it stays as it is. */
export function jobEdits(file: SourceFile, { key, node }: SourceJob, change: JobChange): JobEdits {
  if (!isMap(node)) return { edits: [], problems: [] }
  const { text } = file.source
  const pairs = pairsOf(node)
  const { value: jobs } = file.jobs
  const isFlow = node.flow === true || (isMap(jobs) && jobs.flow === true)
  const job: Job = { file, text, key, node, pairs, isFlow }
  const needs = change.needs ? needsEdits(job, change.needs) : []
  const condition = change.parts ? conditionEdits(job, change.parts) : []
  return {
    // In this order where they come to stand at the same place: `needs`, `if`, `env`, `defaults`.
    edits: atTop(job, [
      ...needs,
      ...condition,
      ...entryEdits(job, ['env'], change.env),
      ...entryEdits(job, ['defaults', 'run'], change.defaults),
    ]),
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
  readonly text: string
  readonly key: Node
  readonly node: YAMLMap
  readonly pairs: readonly NodePair[]
  /** In braces, or in jobs that are: there everything stands on one line. */
  readonly isFlow: boolean
}

/** Lines that come to stand before the other keys of a job. */
interface NewLines {
  readonly lines: Lines
}

function pairOf({ pairs }: Job, name: string): NodePair | undefined {
  return pairs.find((pair) => keyOf(pair) === name)
}

/** After these a job says what it does; new keys stand behind them. */
const HEAD_KEYS = ['needs', 'if']

/** New keys stand together: behind what is said of the same, or after the job's name. */
function atTop(job: Job, changes: readonly (Edit | NewLines)[]): Edit[] {
  const edits = changes.filter((change): change is Edit => 'text' in change)
  const lines = changes.flatMap((change) => ('lines' in change ? change.lines : []))
  if (lines.length === 0) return edits
  const [first] = job.pairs
  if (job.isFlow || !first) {
    const start = rangeOf(job.node)[0] + 1
    const separator = job.pairs.length > 0 ? ', ' : ''
    return [...edits, { start, end: start, text: inline(lines) + separator }]
  }
  const column = columnOf(job.text, rangeOf(first.key)[0])
  const head = job.pairs.findLast((pair) => HEAD_KEYS.includes(keyOf(pair)))
  const last = head ?? (keyOf(first) === 'name' ? first : undefined)
  const { end } = last ? linesOfPair(job.text, last) : linesOf(job.text, ...rangeOf(job.key))
  return [...edits, { start: end, end, text: asLines(lines, column) }]
}

/** Lines of block YAML as entries that stand within braces. */
function inline(lines: Lines): string {
  const value: unknown = parse(lines.join('\n'))
  return JSON.stringify(value).slice(1, -1)
}

function asLines(lines: Lines, column: number): string {
  return indent(lines, column)
    .map((line) => `${line}\n`)
    .join('')
}

function linesOfPair(text: string, { key, value }: NodePair): Span {
  return linesOf(text, rangeOf(key)[0], Math.max(rangeOf(key)[1], value ? rangeOf(value)[1] : 0))
}

/** Where the value of a key stands; where it has none, after its colon. */
function valueSpan(text: string, { key, value }: NodePair): Span & { readonly isEmpty: boolean } {
  const [start, end] = value ? rangeOf(value) : [0, 0]
  if (end > start) return { start, end: trimmedEnd(text, start, end), isEmpty: false }
  const colon = text.indexOf(':', rangeOf(key)[1]) + 1
  return { start: colon, end: colon, isEmpty: true }
}

function needsEdits(job: Job, needs: readonly string[]): (Edit | NewLines)[] {
  const pair = pairOf(job, 'needs')
  const list = needs.length === 1 ? String(needs[0]) : `[${needs.join(', ')}]`
  if (!pair) {
    const condition = pairOf(job, 'if')
    if (job.isFlow || !condition) return [{ lines: [`needs: ${list}`] }]
    const { start } = linesOfPair(job.text, condition)
    const column = columnOf(job.text, rangeOf(condition.key)[0])
    return [{ start, end: start, text: asLines([`needs: ${list}`], column) }]
  }
  const { value } = pair
  const span = valueSpan(job.text, pair)
  const isLong =
    isSeq(value) && (!value.flow || job.text.slice(span.start, span.end).includes('\n'))
  if (!isLong) return [{ ...span, text: `${span.isEmpty ? ' ' : ''}${list}` }]
  const there = value.items.map((item) => String(isScalar(item) ? item.value : item))
  const added = needs.filter((id) => !there.includes(id))
  if (value.flow) {
    const start = span.start + 1
    return [{ start, end: start, text: added.map((id) => `${id}, `).join('') }]
  }
  const { start } = linesOf(job.text, span.start, span.start)
  const lines = added.map((id) => `- ${id}`)
  return [{ start, end: start, text: asLines(lines, columnOf(job.text, span.start)) }]
}

function conditionEdits(job: Job, parts: readonly string[]): (Edit | NewLines)[] {
  const pair = pairOf(job, 'if')
  const [first = '', ...more] = conditionText(parts, job.isFlow)
  if (!pair) {
    const needs = pairOf(job, 'needs')
    const lines = [`if: ${first}`, ...indent(more, 2)]
    if (job.isFlow || !needs) return [{ lines }]
    const { end } = linesOfPair(job.text, needs)
    return [{ start: end, end, text: asLines(lines, columnOf(job.text, rangeOf(needs.key)[0])) }]
  }
  const span = valueSpan(job.text, pair)
  const written = job.text.slice(span.start, span.end)
  const comment = /^[|>][-+\d]*[ \t]+(#[^\n]*)/.exec(written)?.[1]
  const head = `${span.isEmpty ? ' ' : ''}${first}${comment ? ` ${comment}` : ''}`
  const column = columnOf(job.text, rangeOf(pair.key)[0])
  const lineEnd = linesOf(job.text, span.start, span.end).end
  if (more.length === 0) return [{ start: span.start, end: span.end, text: head }]
  const isLastLine = job.text[lineEnd - 1] !== '\n'
  const body = asLines(more, column + 2)
  return [
    { start: span.start, end: span.end, text: head },
    { start: lineEnd, end: lineEnd, text: isLastLine ? `\n${body.trimEnd()}` : body },
  ]
}

/** Characters of an `if:` that still are read at one glance. */
const LONGEST_LINE = 100

/** The value of `if:`, and the lines that follow its key where it takes several. */
function conditionText(parts: readonly string[], isFlow: boolean): string[] {
  const lines = parts.map((part) =>
    part
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  )
  const joined = lines.map((own) => own.join(' ')).join(' && ')
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
function entryEdits(
  job: Job,
  path: readonly string[],
  entries: readonly Entry[],
): (Edit | NewLines)[] {
  let pairs: readonly NodePair[] = job.pairs
  let map: YAMLMap | undefined
  let missing = path
  for (const name of path) {
    const value = pairs.find((pair) => keyOf(pair) === name)?.value
    if (!isMap(value)) break
    map = value
    pairs = pairsOf(value)
    missing = missing.slice(1)
  }
  const own = missing.length === 0 ? pairs.map((pair) => keyOf(pair).toLowerCase()) : []
  const news = entries.filter(({ name }) => !own.includes(name.toLowerCase()))
  if (news.length === 0) return []
  const lines = missing.reduceRight<Lines>(
    (inner, name) => [`${name}:`, ...indent(inner, 2)],
    news.flatMap((entry) => entry.lines),
  )
  if (!map) return [{ lines }]
  const start = rangeOf(map)[0]
  if (map.flow || pairs.length === 0) {
    const separator = pairs.length > 0 ? ', ' : ''
    return [{ start: start + 1, end: start + 1, text: inline(lines) + separator }]
  }
  const line = linesOf(job.text, start, start).start
  return [{ start: line, end: line, text: asLines(lines, columnOf(job.text, start)) }]
}

/** A value that other places share by an anchor cannot change in this one alone. */
function sharedProblems(job: Job, name: string): Problem[] {
  const value = pairOf(job, name)?.value
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
  const pair = pairOf(job, name)
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
  readonly edits: readonly Edit[]
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
  const isEmptied = run.length === defaults.length
  return {
    env,
    defaults,
    pairs: [...env, ...defaults],
    edits: [
      ...withoutPairs(file, 'env', file.sections.get('env')?.value, envPairs(file), env),
      ...(defaults.length > 0 && isEmptied
        ? cutSection(file, 'defaults')
        : withoutPairs(file, 'defaults', runMap, run, defaults)),
    ],
  }
}

/** Whether they have to be moved into a job: one that calls a workflow has none of its own. */
export function isMovedInto({ pairs }: MovedSettings, { content }: SourceJob): boolean {
  return pairs.length > 0 && !(isMap(content) && content.has('uses'))
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

/** Without a section, and the empty lines behind it. */
export function cutSection({ source: { text }, sections }: SourceFile, key: string): Edit[] {
  const section = sections.get(key)
  if (!section) return []
  const empty = /^(?:[ \t]*\n)*/.exec(text.slice(section.end))?.[0] ?? ''
  return [{ start: section.start, end: section.end + empty.length, text: '' }]
}

export function movedEntries({ env, defaults }: MovedSettings, target: Target) {
  const entry = (pair: NodePair): Entry => {
    const value = isScalar(pair.value) ? String(pair.value.value) : ''
    const text = stringify({ [keyOf(pair)]: rewriteText(value, target) }, { lineWidth: 0 })
    return { name: keyOf(pair), lines: text.trimEnd().split('\n') }
  }
  return { env: env.map(entry), defaults: defaults.map(entry) }
}
