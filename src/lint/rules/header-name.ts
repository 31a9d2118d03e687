import { type Expr, FunctionCall, IndexAccess, Literal } from '@actions/expressions/ast'
import { isMap, isScalar, isSeq } from 'yaml'
import type { Problem } from '../../wire/errors.ts'
import { contextPath, isProperty } from '../../workflow/expression-paths.ts'
import { type FileExpression, partsOf, spanOf } from '../../workflow/file-expressions.ts'
import type { SourceTrigger } from '../../workflow/on.ts'
import { type Path, pairKey } from '../../workflow/yaml.ts'
import type { Rule, RuleFile } from '../rule.ts'
import { inEnv } from './example-workflows.ts'

export const headerName: Rule = {
  id: 'header-name',
  level: 'strict',
  page: {
    title: 'a header name in a form that no request contains',
    reason:
      'Hookline delivers header names in lower case with dashes, as HTTP/2 does. Another form reads an empty value.',
    remedy: 'Write the name in lower case with dashes: `headers.x-github-event`.',
    before: 'NAME: ${{ fromJSON(needs.on.outputs.headers).X_GitHub_Event }}',
    after: 'NAME: ${{ fromJSON(needs.on.outputs.headers).x-github-event }}',
    workflow: (variable) =>
      inEnv(variable).replace(/( +)body: .*/, '$1headers: ${{ steps.hookline.outputs.headers }}'),
  },
  check: (file) => [
    ...(file.usesHookline
      ? file.expressions.flatMap((expression) => inExpression(file, expression))
      : []),
    ...file.triggers.flatMap(inOptions),
  ],
}

function nameFault(name: string): Problem {
  const message = `no header has the name "${name}": names are lower case, with dashes`
  return { message, hint: `write ${name.toLowerCase().replaceAll('_', '-')}` }
}

/** Expressions ignore the case of names. */
function inExpression(file: RuleFile, expression: FileExpression): Problem[] {
  const { text } = expression
  if (!/headers/i.test(text) || !text.includes('_') || !expression.tree) return []
  return partsOf(expression.tree).flatMap((part) => {
    if (!(part instanceof IndexAccess) || !(part.index instanceof Literal)) return []
    const name = part.index.literal.coerceString()
    if (!name.includes('_') || name.includes('-') || !areHeaders(file, part.expr)) return []
    return [file.problemAt(expression, spanOf(part.index.token), nameFault(name))]
  })
}

/** `….headers`, or `fromJSON(….outputs.headers)`, of a request. */
function areHeaders(file: RuleFile, whole: Expr): boolean {
  const [inner] = whole instanceof FunctionCall ? whole.args : [whole]
  if (!isProperty(inner, 'headers')) return false
  const { context, names } = contextPath(inner) ?? { context: 'on', names: [] }
  if (context !== 'steps') return ['on', 'needs', 'matrix', 'github'].includes(context)
  // Another action may have outputs of this name.
  return file.native?.uses.some(({ step }) => step?.toLowerCase() === names[0]) ?? false
}

/** Paths such as `headers.x-github-event`, whose case does not count, and scripts, where it does. */
function inOptions({ nodes, positionOf }: SourceTrigger): Problem[] {
  return mappingTexts(nodes.value, []).flatMap(({ text, path }) =>
    [...text.matchAll(HEADER)].flatMap(({ 1: dotted, 2: quoted, index }) => {
      const name = dotted ?? quoted ?? ''
      const isPath = index === 0 && text.startsWith('headers')
      const isSlip = (!isPath && name !== name.toLowerCase()) || /^[^-]*_[^-]*$/.test(name)
      return isSlip ? [{ ...nameFault(name), position: positionOf(path) }] : []
    }),
  )
}

/** `headers.X-GitHub-Event` as a whole string; `.headers.X_GitHub_Event` and `.headers['X-…']` in a longer one. */
const HEADER =
  /(?:^headers\.(?=[\w-]+$)|\.headers\.(?!\w+\())([\w-]+)|\.headers\[\s*['"`]([^'"`\]]+)/g

/** The keys and string values of a mapping, each with its path. */
export function mappingTexts(
  node: unknown,
  path: Path,
): { readonly text: string; readonly path: Path }[] {
  if (isMap(node)) {
    return node.items.flatMap((pair) => {
      const [key, below] = [pairKey(pair), [...path, pairKey(pair)]]
      return [{ text: key, path: below }, ...mappingTexts(pair.value, below)]
    })
  }
  if (isSeq(node)) return node.items.flatMap((item, at) => mappingTexts(item, [...path, at]))
  return isScalar(node) && typeof node.value === 'string' ? [{ text: node.value, path }] : []
}
