import { isMap, type Node, type Pair } from 'yaml'
import { entryTexts } from './entry-texts.ts'
import { fileExpressions } from './file-expressions.ts'
import { references } from './references.ts'
import type { SourceFile } from './source-file.ts'
import { indent } from './yaml-lines.ts'

/**
 * `env:` of the source for the job `on`, since expressions of the `on:` section may read it. A
 * variable made from the context `on` is not there yet.
 */
export function onJobEnv({ source: { text }, sections }: SourceFile): string[] {
  const env = sections.get('env')?.value
  if (!isMap(env)) return []
  const pairs = env.items as Pair<Node, Node | null>[] // a parsed document holds nodes only
  const entries = pairs.map(({ key, value }) => ({ key, options: value }))
  const kept = entryTexts(text, env, entries).filter(({ nodes }) => !readsOn(text, nodes.options))
  return kept.length > 0
    ? [
        'env:',
        ...indent(
          kept.flatMap(({ lines }) => lines),
          2,
        ),
      ]
    : []
}

export function readsOn(text: string, node: Node | null): boolean {
  return fileExpressions(text, node, []).some(
    (expression) => references(expression.text, 'on').length > 0,
  )
}
