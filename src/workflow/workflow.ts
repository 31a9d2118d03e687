import { isMap, isScalar, isSeq, type Node, type Pair } from 'yaml'
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
function withEnv(contexts: Contexts, env: unknown): Contexts {
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
  const { contents } = document
  const whole =
    isMap(contents) && contents.items.length === 1 ? contents.get('on', true) : undefined
  return readOn(name, { source, document, contexts }, (whole ?? contents) as Node | null)
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
  const astray = triggerAtMargin(reading)
  throw new UserError({
    message: `${reading.source.name} names no trigger under "on:"`,
    ...(astray && {
      position: positionAt(reading.source, ...rangeOf(astray)),
      hint: 'indent it, and what belongs to it, under "on:"',
    }),
    notes: [`triggers: ${[...TRIGGERS.keys()].join(', ')}`],
  })
}

/** A trigger beside `on:`, where it should stand below. */
function triggerAtMargin({ document }: Reading): Node | undefined {
  const root = document.contents
  const pairs = isMap(root) ? (root.items as Pair<Node, Node | null>[]) : []
  return pairs.find(({ key }) => isScalar(key) && TRIGGERS.has(String(key.value)))?.key
}

/** What a key under `on:` is: a trigger, mistakes, or (neither) an event of GitHub's own. */
interface EntryResult {
  readonly trigger?: DeclaredTrigger
  readonly problems?: readonly Problem[]
}

export function readEntry(reading: Reading, nodes: TriggerNodes): EntryResult {
  const name = isScalar(nodes.key) ? String(nodes.key.value) : undefined
  if (name === undefined) return { problems: [namelessTrigger(reading, nodes.key)] }
  if (NATIVE_EVENTS.has(name)) return {}
  const definition = TRIGGERS.get(name)
  if (!definition) return { problems: [unknownTrigger(reading, nodes.key, name)] }
  const bound = bindOptions(reading, nodes, definition)
  if ('problems' in bound) return bound
  const positionOf = (option: Path) =>
    positionAt(reading.source, ...rangeOf(nodeAt(reading, nodes, option)))
  return { trigger: { name, definition, positionOf, ...bound } }
}

function namelessTrigger({ source }: Reading, key: Node): Problem {
  return {
    message: 'a list under "on:" holds names of triggers only',
    position: positionAt(source, ...rangeOf(key)),
    hint: 'options need the form of a mapping',
    notes: ['example: on: {webhook: {method: post}}'],
  }
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

/** The action by its name, of whatever owner and version, or the one of the same repository. */
const ACTION = /^(?:[^@]*\/hookline(?:@.*)?|\.\/)$/

/**
 * Reads the triggers that a native workflow file gives the action in its input `on`.
 *
 * @returns `undefined` when no step does
 * @throws UserError with the problems of the file, or of an input
 */
export function readInlineOn(
  name: string,
  source: Source,
  contexts: Contexts,
): Workflow | undefined {
  const workflow: unknown = parseYaml(source).toJS({ maxAliasCount: LIMITS.yamlAliases })
  const texts = steps(workflow).flatMap(inputOn)
  if (texts.length === 0) return undefined
  const env = isObject(workflow) ? workflow.env : undefined
  const all = withEnv(contexts, env)
  const sections = texts.map((text) => readSection(name, text, source, all))
  return { name, triggers: sections.flatMap(({ triggers }) => triggers) }
}

/** GitHub fills in the `${{ }}` of an input before the action reads it. */
function readSection(name: string, text: string, { file }: Source, contexts: Contexts): Workflow {
  const filled = filledIn(text, file, contexts)
  return readOnSection(name, { name: `input "on" of ${file}`, text: filled, file }, contexts)
}

function filledIn(text: string, file: string, contexts: Contexts): string {
  try {
    return String(fillIn(text, contexts))
  } catch (error) {
    if (!(error instanceof ExpressionMistake)) throw error
    throw new UserError({ message: `input "on" of ${file}: ${error.message}` }, { cause: error })
  }
}

function steps(workflow: unknown): unknown[] {
  const jobs = isObject(workflow) && isObject(workflow.jobs) ? Object.values(workflow.jobs) : []
  return jobs.flatMap((job) => (isObject(job) && Array.isArray(job.steps) ? job.steps : []))
}

function inputOn(step: unknown): string[] {
  if (!isObject(step) || typeof step.uses !== 'string' || !ACTION.test(step.uses)) return []
  const on = isObject(step.with) ? step.with.on : undefined
  return typeof on === 'string' && on.trim() !== '' ? [on] : []
}
