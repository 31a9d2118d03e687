import { isAlias, isMap, isScalar, stringify } from 'yaml'
import { fileExpressions } from '../../workflow/file-expressions.ts'
import { asFindings, type Mistake } from '../../workflow/mistakes.ts'
import type { Operation } from '../../workflow/operations.ts'
import { namedEntries } from '../../workflow/patch.ts'
import type { Lines } from '../../workflow/spans.ts'
import {
  type NodePair,
  type Path,
  pairKey,
  pairsOf,
  positionAt,
  rangeOf,
} from '../../workflow/yaml.ts'
import { SETTINGS_KEY } from '../compiler-settings.ts'
import { concurrencyFindings, concurrencyOperations } from '../concurrency.ts'
import { envPairs, readByTriggers, readsContext } from '../on-job.ts'
import type { Pass, Plan, PlannedJob } from '../plan.ts'
import {
  IN_JOBS_FILE,
  nativeTarget,
  type RewriteTarget,
  referenceOperations,
  rewriteText,
} from '../rewrite.ts'
import {
  aliasProblems,
  isWithinNode,
  LISTENING_KEYS,
  type SourceFile,
  topOfJob,
} from '../source-file.ts'

/**
 * Moves the workflow's settings for all jobs to where they are valid: settings that read `on` go
 * into each job, the name goes into the listening file, and the group is changed to exclude
 * webhooks for other workflows.
 */
export const settings: Pass = {
  run(plan, part) {
    const { file, native } = plan
    if (part === 'listening') {
      return { operations: headOperations(file), findings: concurrencyFindings(plan) }
    }
    const isWhole = part === 'whole'
    const target = isWhole ? nativeTarget(file, native, [], []) : IN_JOBS_FILE
    const entries = movedEntries(plan, target)
    const jobs = plan.jobs.filter(({ isMovedInto }) => isMovedInto)
    const gone: Path[] = [
      ...[SETTINGS_KEY, ...(isWhole ? [] : LISTENING_KEYS)]
        .filter((key) => file.sections.has(key))
        .map((key) => [key]),
      ...entries.map(({ section, name }) => [...section, name]),
    ]
    const obstacles = [
      ...(isWhole ? variableProblems(file) : []),
      ...jobs.flatMap((one) => mergeProblems(file, one, entries)),
      ...aliasProblems(file, (node) =>
        plan.moved.pairs.some(({ value }) => isWithinNode(value, node)) ? 'moved' : 'file',
      ),
    ]
    return {
      operations: [
        ...gone.map((path): Operation => ({ op: 'remove', path })),
        ...(isWhole ? concurrencyOperations(file, plan) : []),
        ...jobs.flatMap((one) => entryOperations(one, entries)),
      ],
      findings: [...(isWhole ? concurrencyFindings(plan) : []), ...asFindings(obstacles, 'error')],
      isBlocked: obstacles.length > 0,
    }
  },
}

/** The settings of the whole workflow, for the listening file. */
function headOperations({ lines: written, sections }: SourceFile): Operation[] {
  const keys = LISTENING_KEYS.filter((key) => sections.has(key))
  if (keys.length === 0) return []
  const there = namedEntries(written, [])
  const lines = keys.flatMap((key) => there.find(({ name }) => name === key)?.lines ?? [])
  return [{ op: 'insert', path: [], lines, where: 'first' }]
}

/** A setting that is moved with its comments, as written. */
interface MovedSetting {
  readonly section: Path
  readonly name: string
  /** Lines at column 0. */
  readonly lines: Lines
}

function movedEntries({ file, moved }: Plan, target: RewriteTarget): MovedSetting[] {
  const entriesOf = (section: Path, pairs: readonly NodePair[]): MovedSetting[] => {
    if (pairs.length === 0) return []
    const expressions = pairs.flatMap((pair) =>
      fileExpressions(file.source.text, pair.value, [...section, pairKey(pair)]),
    )
    const operations = referenceOperations(expressions, () => target)
    const there = namedEntries(file.lines, section, operations)
    return pairs.map((pair) => {
      const name = pairKey(pair)
      const { value } = pair
      // An anchor cannot be copied into several jobs.
      const isNamed = value !== null && 'anchor' in value && value.anchor !== undefined
      if (!isNamed) {
        return { section, name, lines: there.find((entry) => entry.name === name)?.lines ?? [] }
      }
      const text = rewriteText(isScalar(value) ? String(value.value) : '', target)
      const written = stringify({ [name]: text }, { lineWidth: 0 })
      return { section, name, lines: written.trimEnd().split('\n') }
    })
  }
  return [...entriesOf(['env'], moved.env), ...entriesOf(['defaults', 'run'], moved.defaults)]
}

/** Adds moved settings to a job, except names that the job has itself. */
function entryOperations({ job }: PlannedJob, entries: readonly MovedSetting[]): Operation[] {
  const { id } = job
  const node = job.pair.value
  if (!isMap(node)) return []
  const sections = [...new Set(entries.map(({ section }) => section))]
  return sections.flatMap((section): Operation[] => {
    const map: unknown = node.getIn(section, true)
    const own = isMap(map) ? pairsOf(map).map((pair) => pairKey(pair).toLowerCase()) : []
    const news = entries.filter(
      (one) => one.section === section && !own.includes(one.name.toLowerCase()),
    )
    if (news.length === 0) return []
    const lines = news.flatMap((one) => one.lines)
    const path = ['jobs', id, ...section]
    // A new mapping goes to the top of the job, unless the job has a part of it.
    const parent = section.length > 1 && node.has(section[0]) ? 'first' : topOfJob(node)
    return [{ op: 'insert', path, lines, where: 'first', parent }]
  })
}

/** Nothing can be added to a mapping that is an alias or an expression. */
function mergeProblems(
  { source }: SourceFile,
  { job }: PlannedJob,
  entries: readonly MovedSetting[],
): Mistake[] {
  const names = [...new Set(entries.map(({ section: [name] }) => String(name)))]
  return names.flatMap((name): Mistake[] => {
    const { value: node } = job.pair
    const pairs = isMap(node) ? pairsOf(node) : []
    const value = pairs.find((pair) => pairKey(pair) === name)?.value
    const isOpen = !value || isMap(value) || (isScalar(value) && value.value === null)
    if (isOpen) return []
    return [
      {
        code: 'alias-moved',
        message: `"${name}" of the workflow reads "on", so it is moved into the jobs, and this one is ${isAlias(value) ? 'an alias' : 'not a mapping'}`,
        position: positionAt(source, ...rangeOf(value)),
        hint: 'write it out here',
      },
    ]
  })
}

/** Variables of the workflow that would break the job `on`, or that it cannot read. */
function variableProblems(file: SourceFile): Mistake[] {
  const read = readByTriggers(file, 'env').map((name) => name.toLowerCase())
  return envPairs(file).flatMap((pair): Mistake[] => {
    const name = pairKey(pair)
    const position = positionAt(file.source, ...rangeOf(pair.key))
    const isOfEvent = readsContext(file, pair, 'on')
    // The runner finds the action by `PATH`.
    if (name.toUpperCase() === 'PATH' && !isOfEvent) {
      const message = 'PATH of the workflow would apply to the job "on", which runs the action'
      const hint = 'move it to "env:" of the jobs that need it'
      return [{ code: 'env-of-event', message, position, hint }]
    }
    // A variable that reads the event cannot be used to choose the event.
    if (!isOfEvent || !read.includes(name.toLowerCase())) return []
    const message = `the "on:" section reads the variable "${name}", which depends on the context "on"`
    return [{ code: 'env-of-event', message, position }]
  })
}
