import { FunctionCall } from '@actions/expressions/ast'
import { ANY, type Shape } from '../../model/types/shapes.ts'
import type { Problem } from '../../wire/errors.ts'
import type { FileExpression } from '../../workflow/file-expressions.ts'
import type { Rule, RuleFile, TypedExpression } from '../rule.ts'
import { inEnv } from './example-workflows.ts'

export const stringAsObject: Rule = {
  id: 'string-as-object',
  level: 'strict',
  page: {
    title: 'a property of an output, or an output as a matrix',
    reason:
      'Outputs are strings, also those that hold JSON, and a string has no properties. GitHub evaluates the property to an empty string. A string as a matrix fails the run, and so does a list where GitHub expects a mapping.',
    remedy:
      'Read the value from the output `on`, as the hint says: it always is JSON, also if the body is plain text. For a list of a matrix, write `${{ fromJSON(needs.on.outputs.items) }}`.',
    before: 'NAME: ${{ needs.on.outputs.body.hello }}',
    after: "NAME: ${{ fromJSON(needs.on.outputs.on || '{}').webhook.outputs.body.hello }}",
    workflow: inEnv,
  },
  check: matrices,
}

/** The values where GitHub expects a part of a matrix that they certainly are not. */
function matrices(file: RuleFile): Problem[] {
  return file.typed.flatMap((one): Problem[] => {
    const { expression, shape } = one
    const part = isWhole(expression) ? partOfMatrix(expression) : undefined
    if (!part || !shape.isHookline || canBe(shape, part)) return []
    const kind = shape.kind === 'text' ? 'string' : shape.kind === 'object' ? 'mapping' : shape.kind
    const found = EXPECTED[part].startsWith(`${kind} of`) ? `${kind} of other values` : kind
    const message = `GitHub expects a ${EXPECTED[part]} here, and "${expression.text.trim()}" is a ${found}`
    const valid = partFrom(one, part)
    const hint = valid === undefined ? {} : { hint: `write ${valid}` }
    return [file.problemAt(expression, undefined, { message, ...hint })]
  })
}

/** The matrix, one of its lists, the whole `include` or `exclude`, or a row of these. */
type MatrixPart = keyof typeof EXPECTED

const EXPECTED = {
  matrix: 'mapping of lists',
  list: 'list',
  rows: 'list of mappings',
  row: 'mapping',
} as const

function isWhole({ text, scalar }: FileExpression): boolean {
  return scalar.value.trim() === `\${{${text}}}`
}

function partOfMatrix({ path }: FileExpression): MatrixPart | undefined {
  if (path[0] !== 'jobs' || path[2] !== 'strategy' || path[3] !== 'matrix') return undefined
  const hasRows = path[4] === 'include' || path[4] === 'exclude'
  if (path.length === 4) return 'matrix'
  if (path.length === 5) return hasRows ? 'rows' : 'list'
  return path.length === 6 && hasRows ? 'row' : undefined
}

function canBe(shape: Shape, part: MatrixPart): boolean {
  if (shape.kind === 'any') return true
  if (part === 'list') return shape.kind === 'list'
  if (part === 'rows') return shape.kind === 'list' && canBe(shape.item, 'row')
  if (shape.kind !== 'object') return false
  const values = [...[...shape.names.values()].map((one) => one.shape), shape.rest ?? ANY]
  return part === 'row' || values.every((value) => canBe(value, 'list'))
}

/** The value as such a part of a YAML file, if it certainly is one. */
function partFrom(one: TypedExpression, part: MatrixPart): string | undefined {
  const { shape } = one
  const json = shape.kind === 'text' ? shape.json : undefined
  const known = json ?? shape
  const value = json ? parsed(one) : one.expression.text.trim()
  const quoted = JSON.stringify(`\${{ ${value} }}`)
  if (known.kind === 'any') return undefined
  if (part === 'list') return known.kind === 'list' ? value : `[${quoted}]`
  if (part === 'row') return known.kind === 'object' ? value : undefined
  if (known.kind === 'object') return part === 'matrix' ? `{on: [${quoted}]}` : `[${quoted}]`
  if (known.kind !== 'list') return undefined
  if (part === 'matrix') return `{on: ${quoted}}`
  return known.item.kind === 'object' ? value : undefined
}

/** The value of a string in JSON; of `toJSON(on)` it is `on`. */
function parsed({ expression: { text }, tree, spanOf }: TypedExpression): string {
  const isOfValue = tree instanceof FunctionCall && /^tojson$/i.test(tree.functionName.lexeme)
  const value = isOfValue ? tree.args[0] : undefined
  if (!value) return `fromJSON(${text.trim()})`
  const { start, end } = spanOf(value)
  return text.slice(start, end)
}
