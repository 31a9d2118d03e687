import { type Expr, Logical } from '@actions/expressions/ast'
import type { Problem } from '../../wire/errors.ts'
import { contextPath, isCallOf, spanOfPath } from '../../workflow/expression-paths.ts'
import { type FileExpression, partsOf } from '../../workflow/file-expressions.ts'
import { childOf, type Place, textOf } from '../../workflow/nodes.ts'
import { stepsOf } from '../../workflow/steps.ts'
import { type HooklineOutput, hooklineOutput, unfiredJson } from '../hookline-outputs.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { oneJob } from './example-workflows.ts'

export const emptyJson: Rule = {
  id: 'empty-json',
  level: 'strict',
  page: {
    title: '`fromJSON` of an output that can be empty, or that can be a string without JSON',
    reason:
      "`fromJSON('')` fails, and so does `fromJSON` of a body that is plain text. The runner evaluates `env` and `name` of a step before its `if`, so a condition does not protect them: the job fails although the step would be skipped.",
    remedy:
      "Read the output `on`, which always is JSON, with a default for a step that did not run: `fromJSON(steps.hookline.outputs.on || '{}')`. A missing property of it is empty.",
    before: `- if: steps.hookline.outputs.triggered == 'true'
  env:
    NAME: \${{ fromJSON(steps.hookline.outputs.body).hello }}
  run: echo "$NAME"`,
    after: `- if: steps.hookline.outputs.triggered == 'true'
  env:
    NAME: \${{ fromJSON(steps.hookline.outputs.on || '{}').webhook.outputs.body.hello }}
  run: echo "$NAME"`,
    workflow: oneJob,
  },
  check: (file) => (file.native ? emptyJsonProblems(file) : []),
}

function emptyJsonProblems(file: RuleFile): Problem[] {
  return file.expressions.flatMap((expression) => {
    const { tree, text, path } = expression
    if (!tree || path[0] !== 'jobs' || !/fromjson/i.test(text)) return []
    return partsOf(tree).flatMap((part): Problem[] => {
      const [json] = isCallOf(part, 'fromjson') ? part.args : []
      const output = json && hooklineOutput(file, expression, json)
      const span = json && spanOfPath(json, text)
      if (!output || !span || !canFail(file, expression, output)) return []
      if (isTestedBefore(tree, part, output)) return []
      return [
        file.problemAt(expression, span, {
          message: `fromJSON fails if "${text.slice(span.start, span.end)}" is empty or is no JSON`,
          hint: `write ${safeForm(file, output)}`,
        }),
      ]
    })
  })
}

function safeForm({ triggers }: RuleFile, { context, owner, name }: HooklineOutput): string {
  const whole = `fromJSON(${context}.${owner}.outputs.on || '{}')`
  const [only, ...others] = triggers
  if (name === 'on' || !only || others.length > 0) return whole
  return `${whole}.${only.name}.outputs.${name}`
}

/** Whether the output can be empty, or no JSON, when the runner evaluates the expression. */
function canFail(file: RuleFile, { path }: FileExpression, output: HooklineOutput): boolean {
  const job = childOf(file.top, 'jobs', String(path[1]))
  const isSkippable = childOf(output.step, 'if') !== undefined
  if (output.context === 'needs') {
    // A job runs after a skipped or failed job only with a status function.
    const condition = textOf(childOf(job, 'if')) ?? ''
    const runsAnyway = /\b(?:always|failure|cancelled)\s*\(/i.test(condition)
    return (runsAnyway || isSkippable) && !reads(condition, output)
  }
  if (path[2] !== 'steps' || (!isSkippable && !isBody(file, output))) return false
  const key = String(path[4])
  if (['env', 'name', 'if'].includes(key)) return true
  const condition = textOf(childOf(stepAt(job, Number(path[3])), 'if')) ?? ''
  return key === 'with' && !reads(condition, output)
}

function stepAt(job: Place | undefined, at: number): Place | undefined {
  return stepsOf(job).find(({ path }) => path[3] === at)
}

/** Whether a fired event can give the output a string that is no JSON. */
function isBody(file: RuleFile, { name }: HooklineOutput): boolean {
  return (name === 'body' || name === 'message') && unfiredJson(file, name) !== undefined
}

/** Whether a condition reads an output of the same step or job. */
function reads(condition: string, { context, owner }: HooklineOutput): boolean {
  return condition.toLowerCase().includes(`${context}.${owner}.`)
}

/** `a && fromJSON(b)`: the right side is evaluated only if the left side, which reads the step, is true. */
function isTestedBefore(tree: Expr, part: Expr, output: HooklineOutput): boolean {
  return partsOf(tree).some((whole) => {
    if (!(whole instanceof Logical) || whole.operator.lexeme !== '&&') return false
    const at = whole.args.findIndex((arg) => partsOf(arg).includes(part))
    const before = at < 0 ? [] : whole.args.slice(0, at)
    return before.some((arg) =>
      partsOf(arg).some((read) => {
        const { names, context } = pathOrNone(read)
        return context === output.context && names[0] === output.owner
      }),
    )
  })
}

function pathOrNone(part: Expr) {
  return contextPath(part) ?? { names: [], context: undefined }
}
