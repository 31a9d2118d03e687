import { isMap, type Node, type Pair } from 'yaml'
import { type Problem, UserError } from '../wire/errors.ts'
import { isObject, type Json } from '../wire/json.ts'
import { positionAt, rangeOf } from '../workflow/yaml.ts'
import { keyOf } from './file-expressions.ts'
import type { NativeEvent, SourceFile } from './source-file.ts'

/** An input of a manual run, or of a call, that the jobs read as `inputs.<name>`. */
export interface WorkflowInput {
  readonly name: string
  readonly type: 'string' | 'boolean' | 'number'
}

/** The events whose runs carry inputs. */
const EVENTS_WITH_INPUTS = ['workflow_dispatch', 'workflow_call']

/** The inputs that the file declares, each once. @throws UserError when one is named `on` */
export function workflowInputs(file: SourceFile): WorkflowInput[] {
  const pairs = file.native
    .filter(({ name }) => EVENTS_WITH_INPUTS.includes(name))
    .flatMap(inputPairs)
  const taken = pairs.filter((pair) => keyOf(pair).toLowerCase() === 'on')
  if (taken.length > 0) throw new UserError(taken.map((pair) => takenName(file, pair)))
  const inputs = pairs.map((pair) => ({ name: keyOf(pair), type: typeOf(file, pair) }))
  return [...new Map(inputs.map((input) => [input.name.toLowerCase(), input])).values()]
}

function inputPairs({ nodes: { options } }: NativeEvent): Pair<Node, Node | null>[] {
  const inputs = isMap(options) ? options.get('inputs', true) : undefined
  return isMap(inputs) ? (inputs.items as Pair<Node, Node | null>[]) : [] // a parsed document
}

function typeOf(
  { document }: SourceFile,
  { value }: Pair<Node, Node | null>,
): WorkflowInput['type'] {
  const declared = value?.toJS(document) as Json // YAML 1.2 core is JSON
  const type = isObject(declared) ? declared.type : undefined
  return type === 'boolean' || type === 'number' ? type : 'string'
}

function takenName({ source }: SourceFile, { key }: Pair<Node, Node | null>): Problem {
  return {
    message: 'an input cannot be named "on": the compiled jobs get their event by this name',
    position: positionAt(source, ...rangeOf(key)),
  }
}

/** As a called workflow declares an input: types that only the form knows are text there. */
export function declarationLines({ name, type }: WorkflowInput): string[] {
  return [`${name}:`, `  type: ${type}`]
}

/**
 * Hands an input on. In a run without inputs it is null, which a called workflow takes for no
 * boolean and no number.
 */
export function handOnLine({ name, type }: WorkflowInput): string {
  if (type === 'string') return `${name}: \${{ inputs.${name} }}`
  const empty = type === 'boolean' ? 'false' : '0'
  return `${name}: \${{ fromJSON(inputs.${name} || '${empty}') }}`
}
