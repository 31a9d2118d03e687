import { isMap, isScalar, isSeq, type Node, Pair, Scalar } from 'yaml'
import type { BoundTrigger, Trigger } from '../triggers/trigger.ts'
import type { Position } from '../wire/errors.ts'
import { NATIVE_EVENTS } from '../wire/events.ts'
import { LIMITS } from '../wire/limits.ts'
import { FatalMistake, type Mistake } from './mistakes.ts'
import { childOf, entriesOf, itemsOf, type Place, type TextPlace, textsAt } from './nodes.ts'
import { bindOptions, nearestNode, type Reading } from './options.ts'
import { didYouMean, quoted } from './suggestion.ts'
import { type NodePair, type Path, pairsOf, positionAt, rangeOf } from './yaml.ts'

/** A trigger of a workflow, with checked options. */
export interface DeclaredTrigger extends BoundTrigger {
  /** The trigger's key under `on:`. */
  readonly name: string
  readonly definition: Trigger
  /** The position of an option, for a mistake that only its use shows. */
  positionOf(option: Path): Position
}

/** A webhook URL may contain any name of a trigger: its name in the file, its own name, or an alias. */
export function urlNames({ name, definition }: DeclaredTrigger): string[] {
  return [...new Set([name, definition.name, ...definition.aliases])]
}

/** A trigger in the file, valid or not. */
export interface SourceTrigger extends DeclaredTrigger {
  readonly nodes: NodePair
  /** True if its options have mistakes; the trigger then has no options. */
  readonly isBroken: boolean
}

/** An event of GitHub's own that the workflow also listens to. */
export interface NativeEvent {
  readonly name: string
  readonly nodes: NodePair
}

/** A key or an item under `on:`, and the node that names it. */
export interface EventName {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** The events and triggers under `on:`, each where it is written. @param top of the file */
export function eventNames(top: Place): EventName[] {
  const on = childOf(top, 'on')
  const nodes = [
    ...entriesOf(on).map(({ name, key }) => ({ name, node: key })),
    ...textsAt(on).map(({ node }) => ({ name: node.value, node })),
  ]
  return nodes.map(({ name, node }) => {
    const [start, end] = rangeOf(node)
    return { name, start, end }
  })
}

/**
 * The types of `repository_dispatch`; none means all of them. GitHub reads a number or a boolean as a
 * string.
 *
 * @param top of the file
 */
export function typesOfDispatch(top: Place): TextPlace[] {
  const types = childOf(top, 'on', 'repository_dispatch', 'types')
  return [types, ...itemsOf(types)].flatMap((place): TextPlace[] => {
    const node = place?.node
    if (!place || !isScalar(node) || node.value === null) return []
    const text = new Scalar(String(node.value))
    text.range = node.range ?? null
    return [{ ...place, node: text }]
  })
}

/** The readable part of an `on:` section, and all of its mistakes. */
interface OnSection {
  readonly triggers: readonly SourceTrigger[]
  readonly native: readonly NativeEvent[]
  readonly problems: readonly Mistake[]
  /**
   * False if a mistake hides a part of the section; further mistakes may then only follow from
   * that.
   */
  readonly isWhole: boolean
}

/** Reads an `on:` section. A mistake of the user is never thrown, but is one of the problems. */
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

/** The keys of an `on:` section: `on: webhook`, `on: [webhook]` and the mapping are equivalent. */
function onEntries(on: Node | null): NodePair[] {
  if (isMap(on)) return pairsOf(on)
  const names = isSeq(on) ? (on.items as Node[]) : isScalar(on) && on.value !== null ? [on] : []
  return names.map((key) => new Pair(key, null))
}

function namesNothing({ source, document, triggers }: Reading): Mistake {
  // The user may have written a trigger next to `on:` instead of below it.
  const root = document.contents
  const beside = isMap(root) ? pairsOf(root) : []
  const astray = beside.find(({ key }) => isScalar(key) && triggers.has(String(key.value)))?.key
  const at = astray ?? beside.find(({ key }) => isScalar(key) && key.value === 'on')?.key
  return {
    code: 'no-trigger',
    message: `${source.name} names no trigger under "on:"`,
    ...(at && { position: positionAt(source, ...rangeOf(at)) }),
    ...(astray && { hint: 'indent it, and what belongs to it, under "on:"' }),
    notes: [`triggers: ${[...triggers.keys()].join(', ')}`],
  }
}

/**
 * The meaning of a key under `on:`: a trigger, mistakes, both, or (neither) an event of GitHub's
 * own.
 */
function readEntry(
  reading: Reading,
  nodes: NodePair,
): { readonly trigger?: SourceTrigger; readonly problems?: readonly Mistake[] } {
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
  const definition = reading.triggers.get(name)
  if (!definition) return { problems: [unknownTrigger(reading, nodes.key, name)] }
  const positionOf = (option: Path) =>
    positionAt(reading.source, ...rangeOf(nearestNode(reading, nodes, option)))
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
    if (!(error instanceof FatalMistake)) throw error
    return { problems: error.problems }
  }
}

function unknownTrigger({ source, triggers }: Reading, key: Node, name: string): Mistake {
  const known = [...triggers.keys()]
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

/** Triggers of Actionsflow that poll a service; in Hookline a schedule and a step replace them. */
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
  'https://github.com/hookline/hookline/blob/v1/docs/guides/from-actionsflow.md#triggers-that-poll-a-service'

/** Whether `config` leaves the fields of an item as the trigger defines them. */
export function hasPlainOutputs({ config, isBroken }: SourceTrigger): boolean {
  const { format, filterOutputs, outputsMode, exportOutputs } = config
  const isShaped = format !== undefined || filterOutputs !== undefined || exportOutputs
  return !isBroken && !isShaped && outputsMode !== 'combine'
}
