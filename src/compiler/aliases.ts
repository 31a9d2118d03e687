import { type Node, visit } from 'yaml'
import type { Problem } from '../wire/errors.ts'
import { positionAt, rangeOf } from '../workflow/yaml.ts'
import type { SourceFile } from './source-file.ts'

/**
 * Aliases of anchors that will stand in another text: the triggers go into an input of the action,
 * for one, and what is there cannot be named from outside.
 *
 * @param partOf what goes into one text together, by a name of no meaning
 */
export function aliasProblems(file: SourceFile, partOf: (node: Node) => string): Problem[] {
  const problems: Problem[] = []
  visit(file.document, {
    Alias(_, alias) {
      const anchor = alias.resolve(file.document)
      if (!anchor || partOf(alias) === partOf(anchor)) return
      problems.push({
        message: `the alias "*${alias.source}" and its anchor come to stand in two texts`,
        position: positionAt(file.source, ...rangeOf(alias)),
        hint: 'write the value out here',
      })
    },
  })
  return problems
}

export function isInTrigger({ triggers }: SourceFile, node: Node): boolean {
  return triggers.some(({ nodes }) => isWithinNode(nodes.options, node))
}

export function isWithinNode(part: Node | null, node: Node): boolean {
  const [at] = rangeOf(node)
  return part !== null && at >= rangeOf(part)[0] && at < rangeOf(part)[1]
}
