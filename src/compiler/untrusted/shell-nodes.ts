import { type Command, forEachChild, parse, type SyntaxNode } from 'unbash'

/** A node of a script with what encloses it, the nearest first. */
export interface Nested {
  readonly node: SyntaxNode
  readonly above: readonly SyntaxNode[]
}

/** Every node of a script of bash or sh; `undefined` when it does not parse. */
export function nestedNodes(script: string): Nested[] | undefined {
  const nodes: Nested[] = []
  const visit = (node: SyntaxNode, above: readonly SyntaxNode[]): void => {
    nodes.push({ node, above })
    forEachChild(node, (child) => visit(child, [node, ...above]))
  }
  visit(parse(script), [])
  return nodes.some(({ node }) => isBroken(node)) ? undefined : nodes
}

function isBroken(node: SyntaxNode): boolean {
  return node.type === 'Script' && 'errors' in node && Boolean(node.errors?.length)
}

/** The words of a command without quotes, its name first; a path counts by its last part. */
export function wordsOf({ name, args }: Command): string[] {
  const words = [...(name ? [name] : []), ...args]
  return words.flatMap((word) => (word.type === 'Word' ? (word.value.split('/').at(-1) ?? []) : []))
}
