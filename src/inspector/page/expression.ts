import { RESERVED_OUTPUTS } from '../../wire/output-names.ts'
import { accessors, type EventSource, inBraces, safeForm } from '../../workflow/safe-form.ts'
import type { OutputReader } from '../api.ts'

/** The position of a value for an expression. */
export interface OutputPath {
  readonly trigger: string
  /** Below the trigger's `outputs`. */
  readonly path: readonly (string | number)[]
  readonly value: unknown
  /** Counts from 0. */
  readonly item: number
  /** The outputs of the trigger that are step outputs of their own. */
  readonly fields: readonly string[]
}

/** The expression of one reader of a workflow file for a value. */
export interface Offer {
  /** Tells offers apart, from one event to the next. */
  readonly key: string
  /** The position that can use it. */
  readonly file: string
  readonly where: string
  readonly expression: string
  /** The line that the file needs first, and its position. */
  readonly missing?: { readonly why: string; readonly line: string }
}

/** The id that a step gets where it has none. */
export const DEFAULT_STEP = 'hookline'

/** Step outputs that no field of an item can take. */
const RESERVED = new Set<string>(RESERVED_OUTPUTS)

/** The expressions that read a value, for every position that can read it. */
export function offers(place: OutputPath, readers: readonly OutputReader[]): Offer[] {
  return readers.map((reader) => offer(place, reader))
}

function offer(place: OutputPath, reader: OutputReader): Offer {
  const { file } = reader
  switch (reader.kind) {
    case 'source':
      return { key: 'on', file, where: 'every job', expression: onExpression(place) }
    case 'steps': {
      const { job, step } = reader
      const where = job === '' ? 'a job that uses the action, its step' : `job ${job}, later steps`
      const expression = stepExpression(place, step.id ?? DEFAULT_STEP)
      const found = { key: `steps ${file} ${job}`, file, where, expression }
      if (step.id !== null) return found
      const why = `the step that uses the action in job ${job} has no id`
      return { ...found, missing: { why, line: `id: ${DEFAULT_STEP}` } }
    }
    case 'needs':
      return needsOffer(place, reader)
    case 'matrix': {
      const where = `job ${reader.reader}, once per item`
      const expression = inBraces(reading(place, { kind: 'matrix', key: reader.name }))
      return { key: `matrix ${file} ${reader.reader}`, file, where, expression }
    }
  }
}

/**
 * The expression for a workflow that Hookline compiles: `${{ on.webhook.outputs.body.title }}`. What
 * is neither text nor a number is given as JSON, since an expression in a text would only print `Object`.
 */
export function onExpression(place: OutputPath): string {
  return inBraces(reading(place, { kind: 'source' }))
}

/**
 * The expression for a native workflow, where step `id` runs the action:
 * `${{ fromJSON(steps.id.outputs.on || '{}').webhook.outputs.body.title }}`.
 */
export function stepExpression(place: OutputPath, id: string): string {
  const [output = 'on'] = outputsWith(place)
  return inBraces(readingOutput(place, output, `steps${accessors([id, 'outputs', output])}`))
}

/** For a later job, which can read only the outputs of the step's job. */
function needsOffer(place: OutputPath, reader: OutputReader & { kind: 'needs' }): Offer {
  const {
    file,
    job,
    outputs,
    step: { id },
  } = reader
  const where = `job ${reader.reader}`
  const key = `needs ${file} ${reader.reader}`
  const own = id ?? DEFAULT_STEP
  const passedOn = (expression: string) =>
    Object.entries(outputs).find(([, written]) => normal(written) === normal(expression))?.[0]
  const needs = (name: string) => `needs${accessors([job, 'outputs', name])}`
  const whole = passedOn(stepExpression(place, own))
  if (whole !== undefined) return { key, file, where, expression: inBraces(needs(whole)) }
  for (const output of outputsWith(place)) {
    const name = passedOn(inBraces(`steps${accessors([own, 'outputs', output])}`))
    if (name === undefined) continue
    return { key, file, where, expression: inBraces(readingOutput(place, output, needs(name))) }
  }
  const [output = 'on'] = outputsWith(place)
  const line = `${output}: ${inBraces(`steps${accessors([own, 'outputs', output])}`)}`
  const why = `job ${job} does not output it: add a line to its outputs`
  const expression = inBraces(readingOutput(place, output, needs(output)))
  return { key, file, where, expression, missing: { why, line } }
}

/**
 * The step outputs in which a value can be found, the best first. The output `on` always is JSON; the
 * output of a body can be text, for which `fromJSON` fails, so it is offered only as a whole.
 */
function outputsWith({ path: [field, ...below], item, fields, value }: OutputPath): string[] {
  if (item > 0) return ['items']
  const isOwn = typeof field === 'string' && fields.includes(field) && !RESERVED.has(field)
  const isText = typeof value === 'string' || isStructure(value)
  return isOwn && isText && below.length === 0 ? [field, 'on', 'items'] : ['on', 'items']
}

/** How a value is read from an output of a step or a job. */
function readingOutput(place: OutputPath, name: string, output: string): string {
  const { item } = place
  if (name === 'items') return reading(place, { kind: 'items', output, item })
  return name === 'on' ? reading(place, { kind: 'on', output }) : output
}

/** An object or a list becomes JSON, because GitHub would write `Object` or `Array`. */
function reading({ trigger, path, value }: OutputPath, source: EventSource): string {
  const expression = safeForm(source, [trigger, 'outputs', ...path])
  return isStructure(value) ? `toJSON(${expression})` : expression
}

function isStructure(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/** Spaces within `${{ }}` and the case of its functions are a matter of taste. */
function normal(expression: string): string {
  return expression.replace(/\s/g, '').replace(/fromjson|tojson/gi, (name) => name.toLowerCase())
}
