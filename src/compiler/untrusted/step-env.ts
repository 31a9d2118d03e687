import { isMap, isScalar, type Node, type YAMLMap } from 'yaml'
import { rangeOf } from '../../workflow/yaml.ts'
import type { Edit } from '../edits.ts'
import { keyOf } from '../file-expressions.ts'
import { linesOf } from '../source-file.ts'
import { quoted } from '../yaml-lines.ts'
import { asMap, child, pairsOf } from './scopes.ts'

/** A variable that a step is to get. */
export interface Variable {
  readonly name: string
  /** The inside of `${{ }}`. */
  readonly expression: string
}

type StepNode = YAMLMap<Node, Node | null>

/**
 * Adds variables to the `env:` of a step, or gives it one.
 *
 * @returns `undefined` where there is no place for them: a step in braces, or an `env:` that is
 * itself an expression
 */
export function addToEnv(
  text: string,
  step: StepNode,
  variables: readonly Variable[],
): Edit | undefined {
  const pair = step.items.find((item) => keyOf(item) === 'env')
  const [key] = step.items.map((item) => item.key)
  if (step.flow || !key) return undefined
  const column = columnOf(text, key)
  if (!pair) return newEnv(text, step, column, variables)
  const { value } = pair
  if (value && !(isScalar(value) && value.value === null) && !isMap(value)) return undefined
  if (isMap(value) && value.flow) return intoBraces(value, variables)
  const first = isMap(value) ? asMap(value).items[0]?.key : undefined
  const at = linesOf(text, rangeOf(pair.key)[0], rangeOf(pair.key)[1]).end
  const indent = first ? columnOf(text, first) : column + 2
  return insertion(
    at,
    entries(variables).map((line) => ' '.repeat(indent) + line),
  )
}

/** The names that a step's own `env:` has. */
export function envNames(step: StepNode): string[] {
  return pairsOf(child(step, 'env')).map(keyOf)
}

/** After the last key of the step, which ends where its last line does. */
function newEnv(
  text: string,
  step: StepNode,
  column: number,
  variables: readonly Variable[],
): Edit | undefined {
  const run = step.items.findLast((item) => ['run', 'with'].includes(keyOf(item)))
  if (!run?.value) return undefined
  const { end } = linesOf(text, rangeOf(run.key)[0], rangeOf(run.value)[1])
  const lines = ['env:', ...entries(variables).map((line) => `  ${line}`)]
  const edit = insertion(
    end,
    lines.map((line) => ' '.repeat(column) + line),
  )
  return text[end - 1] === '\n' ? edit : { ...edit, text: `\n${edit.text.trimEnd()}` }
}

function insertion(at: number, lines: readonly string[]): Edit {
  return { start: at, end: at, text: lines.map((line) => `${line}\n`).join('') }
}

function intoBraces(env: YAMLMap, variables: readonly Variable[]): Edit {
  const at = rangeOf(env)[0] + 1
  const inside = variables.map(({ name, expression }) => `${name}: ${quoted(template(expression))}`)
  const more = env.items.length > 0 ? ', ' : ' '
  return { start: at, end: at, text: ` ${inside.join(', ')}${more}` }
}

function entries(variables: readonly Variable[]): string[] {
  return variables.map(({ name, expression }) => {
    const value = template(expression)
    return `${name}: ${/: | #/.test(value) ? quoted(value) : value}`
  })
}

function template(expression: string): string {
  return `\${{ ${expression.trim().replaceAll(/\s*[\r\n]\s*/g, ' ')} }}`
}

function columnOf(text: string, node: Node): number {
  const [start] = rangeOf(node)
  return start - (text.lastIndexOf('\n', start - 1) + 1)
}
