import {
  type Command,
  forEachChild,
  type ParsedScript,
  parse,
  type SyntaxNode,
  type Word,
} from 'unbash'
import type { Span } from '../../workflow/spans.ts'

/** A script with a name in the place of each expression, for a parser of its language. */
export interface Script {
  readonly text: string
  readonly placeholders: readonly Placeholder[]
  /** The place in the value that a place outside of the placeholders stands for. */
  toValue(at: number): number
}

export interface Placeholder {
  readonly name: string
  /** Where the name stands in the script. */
  readonly at: number
  readonly expression: string
  /** The whole `${{ }}` in the value. */
  readonly braces: Span
}

/** A name in the place of an expression; its number is the first group. */
export const PLACEHOLDER: RegExp = /hookline_expression_(\d+)_/

/** Puts a name in the place of each `${{ }}` of a value. */
export function scriptOf(value: string, spans: readonly Span[]): Script {
  const placeholders: Placeholder[] = []
  const parts: string[] = []
  let [end, length] = [0, 0]
  for (const [index, span] of spans.entries()) {
    const name = `hookline_expression_${index}_`
    const braces = {
      start: span.start - '${{'.length,
      end: Math.min(value.length, span.end + '}}'.length),
    }
    const before = value.slice(end, braces.start)
    const at = length + before.length
    placeholders.push({ name, at, expression: value.slice(span.start, span.end), braces })
    parts.push(before, name)
    end = braces.end
    length = at + name.length
  }
  return {
    text: parts.join('') + value.slice(end),
    placeholders,
    toValue(place) {
      const last = placeholders.findLast(({ at, name }) => at + name.length <= place)
      return last ? place - last.at - last.name.length + last.braces.end : place
    },
  }
}

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

/** Programs that start another one, which their arguments name. */
const STARTERS = new Set(
  'command doas env exec ionice nice nohup setsid stdbuf sudo time timeout xargs'.split(' '),
)

/**
 * The program that a command starts in the end, without its folder and version: `node` of
 * `sudo -E /usr/bin/node20`, and its arguments.
 */
export function calledBy(command: Command): {
  readonly name: string
  readonly args: readonly Word[]
} {
  const words = [command.name, ...command.args].flatMap((word) =>
    word?.type === 'Word' ? [word] : [],
  )
  for (const [at, word] of words.entries()) {
    const text = fixedText(word)
    if (text === undefined) break
    // Options of a starter, its variables, and for how long.
    if (at > 0 && /^-|^\w+=|^[\d.]+[smhd]?$/.test(text)) continue
    const name = text.replace(/^.*\//, '')
    if (!STARTERS.has(name)) return { name, args: words.slice(at + 1) }
  }
  return { name: fixedText(command.name) ?? '', args: words.slice(1) }
}

/** The name of a command as it is written, `undefined` when only the run knows it. */
export function nameOfCommand({ name }: Command): string | undefined {
  return fixedText(name)
}

export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = []
  forEachChild(node, (child) => children.push(child))
  return children
}
