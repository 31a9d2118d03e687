import {
  type Command,
  forEachChild,
  type ParsedScript,
  parse,
  type SyntaxNode,
  type Word,
} from 'unbash'

/** A script of bash or sh as a tree, each node with the one around it. */
export interface ShellTree {
  readonly root: SyntaxNode
  /** In the order of the script, a node before those in it. */
  readonly nodes: readonly SyntaxNode[]
  readonly parents: ReadonlyMap<SyntaxNode, SyntaxNode>
}

/** GitHub takes no longer text with an expression in it; another one is not worth the time. */
const LONGEST = 21_000

/** `undefined` for a script that does not parse, or is too long to be read. */
export function shellTree(script: string): ShellTree | undefined {
  if (script.length > LONGEST) return undefined
  const root = parse(script)
  if (hasErrors(root)) return undefined
  const nodes: SyntaxNode[] = []
  const parents = new Map<SyntaxNode, SyntaxNode>()
  const waiting: SyntaxNode[] = [root]
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    nodes.push(node)
    const below: SyntaxNode[] = []
    const above = node
    forEachChild(node, (child) => {
      parents.set(child, above)
      below.push(child)
    })
    waiting.push(...below.reverse())
  }
  // An escaped script within backquotes counts its places in a text of its own.
  const isBroken = nodes.some(
    (node) => node.type === 'Script' && (node.source !== undefined || hasErrors(node)),
  )
  return isBroken ? undefined : { root, nodes, parents }
}

function hasErrors(script: ParsedScript): boolean {
  return Boolean(script.errors?.length)
}

/** A word that is the same at every run, without its quotes. */
export function fixedText(word: Word | undefined): string | undefined {
  if (!word) return undefined
  const isFixed = (word.parts ?? []).every(
    (part) =>
      part.type === 'Literal' ||
      part.type === 'SingleQuoted' ||
      (part.type === 'DoubleQuoted' && part.parts.every(({ type }) => type === 'Literal')),
  )
  return isFixed ? word.value : undefined
}

/** The name of a command as it is written, `undefined` when only the run knows it. */
export function nameOfCommand({ name }: Command): string | undefined {
  return fixedText(name)
}
