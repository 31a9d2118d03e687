import { isAlias, isMap, isScalar, isSeq, type Node, stringify, visit, type YAMLMap } from 'yaml'
import type { Problem } from '../wire/errors.ts'
import { type NodePair, pairsOf } from '../workflow/document.ts'
import { keyOf } from '../workflow/file-expressions.ts'
import { type Edit, indent, type Lines, linesOf } from '../workflow/spans.ts'
import { positionAt, rangeOf } from '../workflow/yaml.ts'
import { envPairs, readsContext } from './on-job.ts'
import { isLongList, type Operation, pairOf, patchEdits } from './patch.ts'
import { rewriteText, type Target } from './rewrite.ts'
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

/** What was found while a job was changed. */
export interface JobEdits {
  readonly edits: readonly Edit[]
  readonly problems: readonly Problem[]
}

/** The edits that change a job where it stands; everything else in it stays as it is. */
export function jobEdits(file: SourceFile, { key, node }: SourceJob, change: JobChange): JobEdits {
  if (!isMap(node)) return { edits: [], problems: [] }
  const { text } = file.source
  const { value: jobs } = file.jobs
  const isFlow = node.flow === true || (isMap(jobs) && jobs.flow === true)
  const job: Job = { file, key, node, isFlow }
  const operations = [
    ...(change.needs ? needsOperations(job, change.needs) : []),
    ...(change.parts ? conditionOperations(job, change.parts) : []),
    ...entryOperations(job, ['env'], change.env),
    ...entryOperations(job, ['defaults', 'run'], change.defaults),
  ]
  return {
    edits: patchEdits(text, operations),
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
  readonly key: Node
  readonly node: YAMLMap
  /** In braces, or in jobs that are: there everything stands on one line. */
  readonly isFlow: boolean
}

/** After these a job says what it does; new keys stand behind them. */
const HEAD_KEYS = ['needs', 'if']

/** New keys stand together: behind what is said of the same, or after the job's name. */
function atTop({ node, key }: Job, lines: Lines): Operation {
  const names = pairsOf(node).map(keyOf)
  const head = names.findLast((name) => HEAD_KEYS.includes(name))
  const after = head ?? (names[0] === 'name' ? 'name' : undefined)
  return { op: 'insert', map: node, lines, ...(after ? { where: { after } } : { owner: key }) }
}

function needsOperations(job: Job, needs: readonly string[]): Operation[] {
  const { node, file } = job
  const list = needs.length === 1 ? String(needs[0]) : `[${needs.join(', ')}]`
  const pair = pairOf(node, 'needs')
  if (!pair) {
    if (job.isFlow || !pairOf(node, 'if')) return [atTop(job, [`needs: ${list}`])]
    return [{ op: 'insert', map: node, lines: [`needs: ${list}`], where: { before: 'if' } }]
  }
  const { value } = pair
  if (!isSeq(value) || !isLongList(file.source.text, value)) {
    return [{ op: 'set', map: node, key: 'needs', value: [list] }]
  }
  const there = value.items.map((item) => String(isScalar(item) ? item.value : item))
  const names = needs.filter((id) => !there.includes(id))
  return [{ op: 'prepend', map: node, key: 'needs', names }]
}

function conditionOperations(job: Job, parts: readonly string[]): Operation[] {
  const [first = '', ...more] = conditionText(parts, job.isFlow)
  if (pairOf(job.node, 'if')) {
    return [{ op: 'set', map: job.node, key: 'if', value: [first, ...more] }]
  }
  return [atTop(job, [`if: ${first}`, ...indent(more, 2)])]
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
  path: readonly string[],
  entries: readonly Entry[],
): Operation[] {
  let map = job.node
  let missing = path
  for (const name of path) {
    const value = pairOf(map, name)?.value
    if (!isMap(value)) break
    map = value
    missing = missing.slice(1)
  }
  const own = missing.length === 0 ? pairsOf(map).map((pair) => keyOf(pair).toLowerCase()) : []
  const news = entries.filter(({ name }) => !own.includes(name.toLowerCase()))
  if (news.length === 0) return []
  const lines = missing.reduceRight<Lines>(
    (inner, name) => [`${name}:`, ...indent(inner, 2)],
    news.flatMap((entry) => entry.lines),
  )
  return [map === job.node ? atTop(job, lines) : { op: 'insert', map, lines }]
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
