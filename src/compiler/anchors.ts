import { type Node, visit } from 'yaml'
import type { Problem } from '../wire/errors.ts'
import { positionAt, rangeOf } from '../workflow/yaml.ts'
import type { SourceFile } from './source-file.ts'

/**
 * Aliases of anchors that will stand in another file: the `on:` section, `name` and `run-name`
 * leave the jobs, and each key under `on:` goes where it belongs.
 */
export function strayAliases(file: SourceFile): Problem[] {
  const problems: Problem[] = []
  visit(file.document, {
    Alias(_, alias) {
      const anchor = alias.resolve(file.document)
      if (!anchor || partOf(file, alias) === partOf(file, anchor)) return
      problems.push({
        message: `the alias "*${alias.source}" and its anchor come to stand in two files`,
        position: positionAt(file.source, ...rangeOf(alias)),
        hint: 'write the value out here',
      })
    },
  })
  return problems
}

/** What goes into one file together, by a name of no meaning. */
function partOf({ sections, on, triggers }: SourceFile, node: Node): string {
  const [at] = rangeOf(node)
  const within = (part: Node | null) =>
    part !== null && at >= rangeOf(part)[0] && at < rangeOf(part)[1]
  if (triggers.some(({ nodes }) => within(nodes.options))) return 'action'
  if (within(on.value)) return 'listening'
  const isHead = ['name', 'run-name'].some((key) => within(sections.get(key)?.value ?? null))
  return isHead ? 'listening' : 'jobs'
}
