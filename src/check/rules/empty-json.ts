import { type Expr, IndexAccess, Logical } from '@actions/expressions/ast'
import { unfiredJson } from '../../model/types/outputs.ts'
import type { OutputShape, Shape } from '../../model/types/shapes.ts'
import type { Problem } from '../../wire/errors.ts'
import { contextPath, isCallOf } from '../../workflow/expression-paths.ts'
import { type FileExpression, partsOf } from '../../workflow/file-expressions.ts'
import { childOf, textOf } from '../../workflow/nodes.ts'
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
  run: echo "$NAME" >> "$GITHUB_STEP_SUMMARY"`,
    after: `- if: steps.hookline.outputs.triggered == 'true'
  env:
    NAME: \${{ fromJSON(steps.hookline.outputs.on || '{}').webhook.outputs.body.hello }}
  run: echo "$NAME" >> "$GITHUB_STEP_SUMMARY"`,
    workflow: oneJob,
  },
  check: (file) => (file.native ? emptyJsonProblems(file) : []),
}

function emptyJsonProblems(file: RuleFile): Problem[] {
  return file.typed.flatMap(({ expression, tree, parts, shapeOf, spanOf }) => {
    const { text, path } = expression
    if (path[0] !== 'jobs' || !/fromjson/i.test(text)) return []
    return parts.flatMap((part): Problem[] => {
      const [json] = isCallOf(part, 'fromjson') ? part.args : []
      // A default is the author's answer to a step that did not run.
      const shape = json instanceof IndexAccess ? shapeOf(json) : undefined
      if (!json || shape?.kind !== 'text' || !shape.output) return []
      const { output } = shape
      if (!canFail(file, expression, output, canBeText(shape))) return []
      if (isTestedBefore(tree, part, output)) return []
      const span = spanOf(part)
      const name = text.slice(spanOf(json).start, spanOf(json).end)
      const { hint, notes } = output.safe('')
      return [
        file.problemAt(expression, span, {
          message: `fromJSON fails if "${name}" is empty or is no JSON`,
          hint: `write ${hint}`,
          ...(notes && { notes }),
        }),
      ]
    })
  })
}

/** Whether the output can be empty, or no JSON, when the runner evaluates the expression. */
function canFail(
  file: RuleFile,
  expression: FileExpression,
  output: OutputShape,
  isBody: boolean,
): boolean {
  const { path } = expression
  const job = file.jobs.find(({ name }) => name === path[1])
  const isSkippable = childOf(output.step, 'if') !== undefined
  if (output.context === 'needs') {
    // A job runs after a skipped or failed job only with a status function.
    const condition = textOf(childOf(job?.value, 'if')) ?? ''
    const runsAnyway = /\b(?:always|failure|cancelled)\s*\(/i.test(condition)
    return (runsAnyway || isSkippable) && !reads(condition, output)
  }
  if (path[2] !== 'steps' || (!isSkippable && !isBody)) return false
  // The runner evaluates these even if a condition of their step is false.
  if (output.context === 'steps' && ['env', 'name', 'if'].includes(String(path[4]))) return true
  const step = job?.steps.find(({ place }) => place.path[3] === path[3])?.place
  const condition = textOf(childOf(step, 'if')) ?? ''
  return path[4] === 'with' && !reads(condition, output)
}

/** Whether a fired event can give the output a string that is no JSON. */
function canBeText(shape: Shape & { readonly kind: 'text' }): boolean {
  const name = shape.output?.name
  return (name === 'body' || name === 'message') && unfiredJson(shape) !== undefined
}

/** Whether a condition reads an output of the same step or job. */
function reads(condition: string, { context, owner }: OutputShape): boolean {
  return condition.toLowerCase().includes(`${context}.${owner}.`)
}

/** `a && fromJSON(b)`: the right side is evaluated only if the left side, which reads the step, is true. */
function isTestedBefore(tree: Expr, part: Expr, output: OutputShape): boolean {
  return partsOf(tree).some((whole) => {
    if (!(whole instanceof Logical) || whole.operator.lexeme !== '&&') return false
    const at = whole.args.findIndex((arg) => partsOf(arg).includes(part))
    const before = at < 0 ? [] : whole.args.slice(0, at)
    return before.some((arg) =>
      partsOf(arg).some((read) => {
        const { names, context } = contextPath(read) ?? { names: [], context: undefined }
        return context === output.context && names[0] === output.owner
      }),
    )
  })
}
