import { isMap, isScalar, isSeq } from 'yaml'
import { headerFault } from '../../model/types/outputs.ts'
import type { Problem } from '../../wire/errors.ts'
import type { SourceTrigger } from '../../workflow/on.ts'
import { type Path, pairKey } from '../../workflow/yaml.ts'
import type { Rule } from '../rule.ts'
import { inEnv } from './example-workflows.ts'

export const headerName: Rule = {
  id: 'header-name',
  level: 'strict',
  page: {
    title: 'a header name in a form that no request contains',
    reason:
      'Hookline delivers header names in lower case, as HTTP/2 does. Scripts are case-sensitive, so `item.headers["X-Event"]` reads nothing. A known header with underscores instead of dashes reads nothing either; other headers may have underscores, if the sender writes them.',
    remedy: 'Write the name in lower case, as the sender writes it: `headers.x-github-event`.',
    before: "NAME: ${{ fromJSON(needs.on.outputs.headers || '{}').X_GitHub_Event }}",
    after: "NAME: ${{ fromJSON(needs.on.outputs.headers || '{}').x-github-event }}",
    workflow: (variable) =>
      inEnv(variable).replace(/( +)body: .*/, '$1headers: ${{ steps.hookline.outputs.headers }}'),
  },
  check: ({ triggers }) => triggers.flatMap(inOptions),
}

/** Paths such as `headers.x-github-event`, whose case does not count, and scripts, where it does. */
function inOptions({ nodes, positionOf }: SourceTrigger): Problem[] {
  return mappingTexts(nodes.value, []).flatMap(({ text, path }) =>
    [...text.matchAll(HEADER)].flatMap(({ 1: dotted, 2: quoted, index }) => {
      const name = dotted ?? quoted ?? ''
      const isPath = index === 0 && text.startsWith('headers')
      const fault = headerFault(name) ?? (isPath ? undefined : capitals(name))
      if (!fault) return []
      // The position is that of the whole option, of which the name is only a part.
      const hint = fault.hint?.replace('write', 'the name is')
      return [{ ...fault, ...(hint && { hint }), position: positionOf(path) }]
    }),
  )
}

function capitals(name: string): Problem | undefined {
  const lower = name.toLowerCase()
  if (name === lower) return undefined
  const message = `no header has the name "${name}": header names are lower case here`
  return { message, hint: `write ${lower}` }
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
