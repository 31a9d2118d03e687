import type { Shape } from '../../model/types/shapes.ts'
import type { Problem } from '../../wire/errors.ts'
import type { FileExpression } from '../../workflow/file-expressions.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { inEnv } from './example-workflows.ts'

export const stringAsObject: Rule = {
  id: 'string-as-object',
  level: 'strict',
  page: {
    title: 'a property of an output, or an output as a matrix',
    reason:
      'Outputs are strings, also those that hold JSON, and a string has no properties. GitHub evaluates the property to an empty string. A string as a matrix fails the run.',
    remedy:
      'Read the value from the output `on`, as the hint says: it always is JSON, also if the body is plain text. For a matrix, write `fromJSON(needs.on.outputs.items)`.',
    before: 'NAME: ${{ needs.on.outputs.body.hello }}',
    after: "NAME: ${{ fromJSON(needs.on.outputs.on || '{}').webhook.outputs.body.hello }}",
    workflow: inEnv,
  },
  check: matrices,
}

/** The strings where GitHub expects a part of a matrix, which `fromJSON` would make of some. */
function matrices(file: RuleFile): Problem[] {
  return file.typed.flatMap(({ expression, shape }): Problem[] => {
    const wanted = isWhole(expression) ? partOfMatrix(expression) : undefined
    if (!wanted || shape.kind !== 'text' || !shape.isHookline) return []
    const whole = expression.text.trim()
    const message = `GitHub expects a ${wanted} here, and "${whole}" is a string`
    const hint = `write ${parsed(whole, shape.json, wanted)}`
    return [file.problemAt(expression, undefined, { message, hint })]
  })
}

function isWhole({ text, scalar }: FileExpression): boolean {
  return scalar.value.trim() === `\${{${text}}}`
}

/** The matrix, one of its lists, or a row of `include` or `exclude`. */
function partOfMatrix({ path }: FileExpression): 'mapping' | 'list' | undefined {
  if (path[0] !== 'jobs' || path[2] !== 'strategy' || path[3] !== 'matrix') return undefined
  if (path.length === 5) return 'list'
  const isRow = path.length === 6 && (path[4] === 'include' || path[4] === 'exclude')
  return path.length === 4 || isRow ? 'mapping' : undefined
}

function parsed(whole: string, json: Shape | undefined, wanted: 'mapping' | 'list'): string {
  const value = json ? `fromJSON(${whole})` : whole
  if (json?.kind === 'any') return value
  if (wanted === 'list') return json?.kind === 'list' ? value : `["\${{ ${value} }}"]`
  if (json?.kind === 'object') return value
  return json?.kind === 'list' ? `{on: \${{ ${value} }}}` : `{on: ["\${{ ${value} }}"]}`
}
