import { isMap, isScalar, isSeq, type Node, Pair } from 'yaml'
import { TRIGGERS } from '../triggers/index.ts'
import type { BoundTrigger, Trigger } from '../triggers/trigger.ts'
import type { Position } from '../wire/errors.ts'
import { NATIVE_EVENTS } from '../wire/events.ts'
import { LIMITS } from '../wire/limits.ts'
import { type Mistake, Refusal } from './mistakes.ts'
import { bindOptions, nodeAt, type Reading } from './options.ts'
import { didYouMean, quoted } from './suggestion.ts'
import { type NodePair, type Path, pairsOf, positionAt, rangeOf } from './yaml.ts'

/** A trigger that a workflow declares, with options that were checked. */
export interface DeclaredTrigger extends BoundTrigger {
  /** As the workflow calls it: the key under `on:`. */
  readonly name: string
  readonly definition: Trigger
  /** Where an option stands, for a mistake that shows only when it is used. */
  positionOf(option: Path): Position
}

/** A trigger as the file declares it. */
export interface SourceTrigger extends DeclaredTrigger {
  readonly nodes: NodePair
  /** Whether its options have mistakes: then it is bound to none of them. */
  readonly isBroken: boolean
}

/** An event of GitHub's own that a workflow listens to as well. */
export interface NativeEvent {
  readonly name: string
  readonly nodes: NodePair
}

/** What an `on:` section says, as far as it can be read, and everything that is wrong with it. */
export interface OnSection {
  readonly triggers: readonly SourceTrigger[]
  readonly native: readonly NativeEvent[]
  readonly problems: readonly Mistake[]
  /** False where a mistake hides what there is: then what else seems wrong may only follow from it. */
  readonly isWhole: boolean
}

/** Reads an `on:` section. A mistake of the user is never thrown: it is one of the problems. */
export function readOn(reading: Reading, on: Node | null): OnSection {
  const triggers: SourceTrigger[] = []
  const native: NativeEvent[] = []
  const problems: Mistake[] = []
  let isWhole = true
  const entries = onEntries(on)
  if (entries.length === 0 && !isMap(on)) {
    return { triggers, native, problems: [namesNothing(reading)], isWhole: false }
  }
  for (const nodes of entries) {
    const entry = readEntry(reading, nodes)
    problems.push(...(entry.problems ?? []))
    if (entry.trigger) triggers.push(entry.trigger)
    else if (entry.problems) isWhole = false
    else native.push({ name: String(nodes.key), nodes })
    if (problems.length >= LIMITS.problems) return { triggers, native, problems, isWhole: false }
  }
  return { triggers, native, problems, isWhole }
}

/** The keys of an `on:` section: `on: webhook`, `on: [webhook]` and the mapping are the same. */
function onEntries(on: Node | null): NodePair[] {
  if (isMap(on)) return pairsOf(on)
  const names = isSeq(on) ? (on.items as Node[]) : isScalar(on) && on.value !== null ? [on] : []
  return names.map((key) => new Pair(key, null))
}

function namesNothing({ source, document }: Reading): Mistake {
  // A trigger beside `on:`, where it should stand below.
  const root = document.contents
  const beside = isMap(root) ? pairsOf(root) : []
  const astray = beside.find(({ key }) => isScalar(key) && TRIGGERS.has(String(key.value)))?.key
  return {
    code: 'no-trigger',
    message: `${source.name} names no trigger under "on:"`,
    ...(astray && {
      position: positionAt(source, ...rangeOf(astray)),
      hint: 'indent it, and what belongs to it, under "on:"',
    }),
    notes: [`triggers: ${[...TRIGGERS.keys()].join(', ')}`],
  }
}

/** What a key under `on:` is: a trigger, mistakes, both, or (neither) an event of GitHub's own. */
interface EntryResult {
  readonly trigger?: SourceTrigger
  readonly problems?: readonly Mistake[]
}

function readEntry(reading: Reading, nodes: NodePair): EntryResult {
  const name = isScalar(nodes.key) ? String(nodes.key.value) : undefined
  if (name === undefined) {
    const problem: Mistake = {
      code: 'trigger-form',
      message: 'a list under "on:" holds names of triggers only',
      position: positionAt(reading.source, ...rangeOf(nodes.key)),
      hint: 'options need the form of a mapping',
      notes: ['example: on: {webhook: {method: post}}'],
    }
    return { problems: [problem] }
  }
  if (NATIVE_EVENTS.has(name)) return {}
  const definition = TRIGGERS.get(name)
  if (!definition) return { problems: [unknownTrigger(reading, nodes.key, name)] }
  const positionOf = (option: Path) =>
    positionAt(reading.source, ...rangeOf(nodeAt(reading, nodes, option)))
  const bound = boundOptions(reading, nodes, definition)
  if (!('problems' in bound)) {
    return { trigger: { name, definition, nodes, isBroken: false, positionOf, ...bound } }
  }
  const { problems } = bound
  const bare = isMap(nodes.value) ? definition.bind({}) : undefined
  if (!bare || 'issues' in bare) return { problems }
  return { problems, trigger: { name, definition, nodes, isBroken: true, positionOf, ...bare } }
}

function boundOptions(reading: Reading, nodes: NodePair, definition: Trigger) {
  try {
    return bindOptions(reading, nodes, definition)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { problems: error.problems }
  }
}

function unknownTrigger({ source }: Reading, key: Node, name: string): Mistake {
  const known = [...TRIGGERS.keys()]
  const isLacked = LACKED.has(name)
  const hint = isLacked ? undefined : didYouMean(name, [...known, ...NATIVE_EVENTS])
  return {
    code: 'unknown-trigger',
    message: `unknown trigger ${quoted(name)}`,
    position: positionAt(source, ...rangeOf(key)),
    ...(hint && { hint }),
    notes: [
      `triggers: ${known.join(', ')}; and GitHub's own events`,
      ...(isLacked ? [`what does the same: ${MOVING_PAGE}`] : []),
    ],
  }
}

/** Triggers of Actionsflow that poll a service: here a schedule and a step do. */
const LACKED: ReadonlySet<string> = new Set([
  'email',
  'graphql',
  'instagram',
  'npm',
  'poll',
  'reddit',
  'rss',
  'script',
  'twitter',
  'weather',
  'youtube',
])

const MOVING_PAGE =
  'https://github.com/hookline/hookline/blob/v1/docs/learn/comparison.md#triggers-that-poll-a-service'
