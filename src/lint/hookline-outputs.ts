import type { Expr } from '@actions/expressions/ast'
import { RESERVED_OUTPUTS } from '../wire/output-names.ts'
import { contextPath } from '../workflow/expression-paths.ts'
import type { FileExpression } from '../workflow/file-expressions.ts'
import { childOf, type Place, textOf } from '../workflow/nodes.ts'
import { actionSteps } from '../workflow/steps.ts'
import type { RuleFile } from './rule.ts'

/** An output of a step that uses the action. */
export interface HooklineOutput {
  /** Its name in lower case. */
  readonly name: string
  readonly step: Place
  /** The id of the step, or the name of the job, by which the expression reads it. */
  readonly owner: string
  readonly context: 'steps' | 'needs'
}

const STEP_OUTPUT = /^\s*\$\{\{\s*steps\.([\w-]+)\.outputs\.([\w-]+)\s*\}\}\s*$/i

/** The output of the action that an expression reads, from a step or by way of an output of a job. */
export function hooklineOutput(
  file: RuleFile,
  { path }: Pick<FileExpression, 'path'>,
  expr: Expr,
): HooklineOutput | undefined {
  const { context, names = [] } = contextPath(expr) ?? {}
  const [owner, outputs, name] = names
  if (names.length !== 3 || outputs !== 'outputs' || !owner || !name) return undefined
  const jobs = childOf(file.top, 'jobs')
  if (context === 'steps') {
    const step = hooklineStep(file, childOf(jobs, String(path[1])), owner)
    return step && { name, step, owner, context }
  }
  if (context !== 'needs') return undefined
  const job = file.jobs.find((entry) => entry.name.toLowerCase() === owner)?.value
  const [, id, output] = STEP_OUTPUT.exec(textOf(childOf(job, 'outputs', name)) ?? '') ?? []
  const step = id === undefined ? undefined : hooklineStep(file, job, id.toLowerCase())
  return step && output ? { name: output.toLowerCase(), step, owner, context } : undefined
}

function hooklineStep({ file }: RuleFile, job: Place | undefined, id: string): Place | undefined {
  return actionSteps(job, file.source).find(
    (step) => textOf(childOf(step, 'id'))?.toLowerCase() === id,
  )
}

/** An output of the action as JSON if no event fired; `undefined` for an output that is no JSON. */
export function unfiredJson({ triggers }: RuleFile, name: string): string | undefined {
  if (name === 'on') return '{}'
  if (['items', 'deliveries', 'failed'].includes(name)) return '[]'
  if (RESERVED_OUTPUTS.some((reserved) => reserved === name)) return undefined
  const names = triggers.flatMap(({ definition }) => definition.jsonOutputs)
  const json = names.length > 0 ? names : ['body', 'headers', 'params', 'query']
  return json.some((output) => output.toLowerCase() === name) ? 'null' : undefined
}
