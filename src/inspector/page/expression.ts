import { RESERVED_OUTPUTS } from '../../wire/output-names.ts'
import type { OutputReader } from '../api.ts'

/** The position of a value for an expression. */
export interface OutputPath {
  readonly trigger: string
  /** Below the trigger's `outputs`. */
  readonly path: readonly (string | number)[]
  /** The value at the path. */
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
      const expression = matrixExpression(place, reader.name)
      return { key: `matrix ${file} ${reader.reader}`, file, where, expression }
    }
  }
}

/**
 * The expression for a workflow that Hookline compiles: `${{ on.webhook.outputs.body.title }}`. What
 * is neither text nor a number is given as JSON, since an expression in a text would only print `Object`.
 */
export function onExpression({ trigger, path, value }: OutputPath): string {
  return inBraces(stringExpression(`on${steps([trigger, 'outputs', ...path])}`, value))
}

/** The same for a job whose matrix goes over the items: `${{ matrix.on.webhook.outputs.body.title }}`. */
function matrixExpression({ trigger, path, value }: OutputPath, name: string): string {
  return inBraces(stringExpression(`matrix${steps([name, trigger, 'outputs', ...path])}`, value))
}

/**
 * The expression for a native workflow, where step `id` runs the action:
 * `${{ fromJSON(steps.id.outputs.on || '{}').webhook.outputs.body.title }}`.
 */
export function stepExpression(place: OutputPath, id: string): string {
  const outputs = `steps${steps([id, 'outputs'])}`
  const [output = 'on'] = outputsWith(place)
  return inBraces(reading(place, output, outputs + accessor(output)))
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
    Object.keys(outputs).find((name) => normal(outputs[name] ?? '') === normal(expression))
  const needs = (name: string) => `needs${steps([job, 'outputs', name])}`
  const whole = passedOn(stepExpression(place, own))
  if (whole !== undefined) return { key, file, where, expression: inBraces(needs(whole)) }
  for (const output of outputsWith(place)) {
    const name = passedOn(inBraces(`steps${steps([own, 'outputs', output])}`))
    if (name === undefined) continue
    return { key, file, where, expression: inBraces(reading(place, output, needs(name))) }
  }
  const [output = 'on'] = outputsWith(place)
  const line = `${output}: ${inBraces(`steps${steps([own, 'outputs', output])}`)}`
  const why = `job ${job} does not output it: add a line to its outputs`
  const expression = inBraces(reading(place, output, needs(output)))
  return { key, file, where, expression, missing: { why, line } }
}

/**
 * The step outputs in which a place can be found, the best first. The output `on` always is JSON; the
 * output of a body can be text, for which `fromJSON` fails.
 */
function outputsWith({ path: [field, ...below], item, fields }: OutputPath): string[] {
  if (item > 0) return ['items']
  const isOwn = typeof field === 'string' && fields.includes(field) && !RESERVED.has(field)
  const own = isOwn ? [field] : []
  return below.length > 0 ? ['on', 'items', ...own] : [...own, 'on', 'items']
}

/** How a place is read from a step output, which is text: a text as it is, everything else JSON. */
function reading(place: OutputPath, output: string, text: string): string {
  const { trigger, path, value, item } = place
  if (output === 'items') {
    return stringExpression(
      `fromJSON(${text})[${item}]${steps([trigger, 'outputs', ...path])}`,
      value,
    )
  }
  if (output === 'on')
    return stringExpression(
      `fromJSON(${text} || '{}')${steps([trigger, 'outputs', ...path])}`,
      value,
    )
  const below = path.slice(1)
  if (below.length > 0) return stringExpression(`fromJSON(${text})${steps(below)}`, value)
  return typeof value === 'string' || isStructure(value) ? text : `fromJSON(${text})`
}

function stringExpression(expression: string, value: unknown): string {
  return isStructure(value) ? `toJSON(${expression})` : expression
}

function isStructure(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}

/** The way to a value, as an expression writes it behind a context: `.body['two words'][0]`. */
export function steps(path: readonly (string | number)[]): string {
  return path.map(accessor).join('')
}

/** One step down. Only names can follow a dot; in a text between quotes, a quote is written twice. */
function accessor(key: string | number): string {
  if (typeof key === 'number') return `[${key}]`
  return /^[A-Za-z_][\w-]*$/.test(key) ? `.${key}` : `['${key.replaceAll("'", "''")}']`
}

function inBraces(expression: string): string {
  return `\${{ ${expression} }}`
}

/** Spaces within `${{ }}` and the case of its functions are a matter of taste. */
function normal(expression: string): string {
  return expression.replace(/\s+/g, '').replace(/fromjson|tojson/gi, (name) => name.toLowerCase())
}
