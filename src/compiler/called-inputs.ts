import { isMap } from 'yaml'
import { isObject, type Json } from '../wire/json.ts'
import type { NativeEvent } from '../workflow/on.ts'
import { type NodePair, nodeBelow, pairKey, pairsOf } from '../workflow/yaml.ts'
import type { SourceFile } from './source-file.ts'

/** An input of `workflow_dispatch` or `workflow_call`; jobs read it as `inputs.<name>`. */
interface WorkflowInput {
  readonly name: string
  /** `choice` and `environment` are strings in a called workflow. */
  readonly type: 'string' | 'boolean' | 'number'
}

/** The events whose runs carry inputs. */
const EVENTS_WITH_INPUTS = ['workflow_dispatch', 'workflow_call']

export function inputPairs(file: SourceFile): NodePair[] {
  return file.native
    .filter(({ name }) => EVENTS_WITH_INPUTS.includes(name))
    .flatMap(({ nodes: { value: options } }: NativeEvent) => {
      const inputs = nodeBelow(file.document, options, 'inputs')
      return isMap(inputs) ? pairsOf(inputs) : []
    })
}

/**
 * The line that passes an input to the called workflow. In a run without inputs the value is null, which
 * is invalid for a boolean or a number, so these get a default.
 */
export function inputLine({ name, type }: WorkflowInput): string {
  if (type === 'string') return `${name}: \${{ inputs.${name} }}`
  const empty = type === 'boolean' ? 'false' : '0'
  return `${name}: \${{ fromJSON(inputs.${name} || '${empty}') }}`
}

/** The inputs that the jobs file declares, once each: names ignore case. */
export function workflowInputs(file: SourceFile): WorkflowInput[] {
  const declared = inputPairs(file).map((pair): WorkflowInput => {
    const input = pair.value?.toJS(file.document) as Json // YAML 1.2 core is JSON
    const type = isObject(input) ? input.type : undefined
    const isText = type !== 'boolean' && type !== 'number'
    return { name: pairKey(pair), type: isText ? 'string' : type }
  })
  return [...new Map(declared.map((one) => [one.name.toLowerCase(), one])).values()]
}
