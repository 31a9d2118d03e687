import { type Document, isMap, isScalar, isSeq, type Node, type Pair } from 'yaml'
import { TRIGGERS } from '../triggers/index.ts'
import type { BoundTrigger, Trigger } from '../triggers/trigger.ts'
import { type Position, type Problem, type Source, UserError } from '../wire/errors.ts'
import { NATIVE_EVENTS } from '../wire/events.ts'
import { isObject, type Json, record } from '../wire/json.ts'
import { LIMITS } from '../wire/limits.ts'
import { type Contexts, ExpressionMistake, fillIn } from './expressions.ts'
import { bindOptions, nodeAt, type Path, type Reading, type TriggerNodes } from './options.ts'
import { didYouMean, quoted } from './suggestion.ts'
import { parseYaml, positionAt, rangeOf } from './yaml.ts'

/** A trigger that a workflow declares, with options that were checked. */
export interface DeclaredTrigger extends BoundTrigger {
  /** As the workflow calls it: the key under `on:`. */
  readonly name: string
  readonly definition: Trigger
  /** Where an option stands, for a mistake that shows only when it is used. */
  positionOf(option: Path): Position
}

/** What a workflow file says that concerns Hookline. */
export interface Workflow {
  /** The file's name without its extension, as a webhook URL names it. */
  readonly name: string
  readonly triggers: readonly DeclaredTrigger[]
}

/** Reads the `on:` section of a workflow file. @throws UserError with all problems of the file */
export function readWorkflowFile(name: string, source: Source, contexts: Contexts): Workflow {
  const document = parseYaml(source)
  const on = isMap(document.contents) ? document.get('on', true) : undefined
  if (!on) throw new UserError({ message: `${source.name} has no "on:" section` })
  const node = isMap(document.contents) ? document.get('env', true) : undefined
  const env: unknown = isMap(node) ? node.toJS(document, { maxAliasCount: LIMITS.yamlAliases }) : {}
  return readOn(name, { source, document, contexts: withEnv(contexts, env) }, on as Node)
}

/**
 * The contexts with the variables of the workflow itself, which a compiled job has in its environment.
 * One that is made of what is not there yet, such as the context `on`, is left out.
 */
export function withEnv(contexts: Contexts, env: unknown): Contexts {
  if (!isObject(env)) return contexts
  const entries = Object.entries(env).flatMap(([name, value]): [string, string][] => {
    try {
      const filled = fillIn(String(value ?? ''), contexts)
      return [[name, isObject(filled) || Array.isArray(filled) ? '' : String(filled ?? '')]]
    } catch (error) {
      if (error instanceof ExpressionMistake) return []
      throw error
    }
  })
  return { ...contexts, env: record<Json>([...Object.entries(contexts.env ?? {}), ...entries]) }
}

/**
 * Reads an `on:` section that stands alone, as the input `on` does; pasted with its `on:` key, it is
 * understood too. @throws UserError with all problems of the text
 */
export function readOnSection(name: string, source: Source, contexts: Contexts): Workflow {
  const document = parseYaml(source)
  return readOn(name, { source, document, contexts }, onSectionOf(document))
}

/** The `on:` section of a text that is one, with its `on:` key or without. */
export function onSectionOf({ contents }: Document.Parsed): Node | null {
  const whole =
    isMap(contents) && contents.items.length === 1 ? contents.get('on', true) : undefined
  return (whole ?? contents) as Node | null // a parsed document holds nodes only
}

function readOn(name: string, reading: Reading, on: Node | null): Workflow {
  const triggers: DeclaredTrigger[] = []
  const problems: Problem[] = []
  for (const entry of onEntries(reading, on)) {
    const result = readEntry(reading, entry)
    if (result.trigger) triggers.push(result.trigger)
    problems.push(...(result.problems ?? []))
    if (problems.length >= LIMITS.problems) break
  }
  if (problems.length > 0) throw new UserError(problems)
  return { name, triggers }
}

/**
 * The keys of an `on:` section: `on: webhook`, `on: [webhook]` and the mapping are the same.
 *
 * @throws UserError when there are none
 */
export function onEntries(reading: Reading, on: Node | null): TriggerNodes[] {
  if (isMap(on)) {
    const pairs = on.items as Pair<Node, Node | null>[]
    return pairs.map(({ key, value }) => ({ key, options: value }))
  }
  const names = isSeq(on) ? (on.items as Node[]) : isScalar(on) && on.value !== null ? [on] : []
  if (names.length > 0) return names.map((key) => ({ key, options: null }))
  // A trigger beside `on:`, where it should stand below.
  const root = reading.document.contents
  const beside = isMap(root) ? (root.items as Pair<Node, Node | null>[]) : []
  const astray = beside.find(({ key }) => isScalar(key) && TRIGGERS.has(String(key.value)))?.key
  throw new UserError({
    message: `${reading.source.name} names no trigger under "on:"`,
    ...(astray && {
      position: positionAt(reading.source, ...rangeOf(astray)),
      hint: 'indent it, and what belongs to it, under "on:"',
    }),
    notes: [`triggers: ${[...TRIGGERS.keys()].join(', ')}`],
  })
}

/** What a key under `on:` is: a trigger, mistakes, or (neither) an event of GitHub's own. */
interface EntryResult {
  readonly trigger?: DeclaredTrigger
  readonly problems?: readonly Problem[]
}

export function readEntry(reading: Reading, nodes: TriggerNodes): EntryResult {
  const name = isScalar(nodes.key) ? String(nodes.key.value) : undefined
  if (name === undefined) {
    const problem = {
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
  const bound = bindOptions(reading, nodes, definition)
  if ('problems' in bound) return bound
  const positionOf = (option: Path) =>
    positionAt(reading.source, ...rangeOf(nodeAt(reading, nodes, option)))
  return { trigger: { name, definition, positionOf, ...bound } }
}

function unknownTrigger({ source }: Reading, key: Node, name: string): Problem {
  const known = [...TRIGGERS.keys()]
  const isLacked = LACKED.has(name)
  const hint = isLacked ? undefined : didYouMean(name, [...known, ...NATIVE_EVENTS])
  return {
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
  'https://github.com/hookline/hookline/blob/v1/docs/from-actionsflow.md#triggers-that-poll-a-service'
