import { type Command, forEachChild, parse, type SyntaxNode, type Word } from 'unbash'
import { wordSet } from '../wire/words.ts'
import type { Span } from '../workflow/spans.ts'

/** A script with a name in place of each expression, for the parser of its language. */
export interface PlaceholderScript {
  readonly text: string
  readonly placeholders: readonly Placeholder[]
  /** The offset in the value for an offset in the script outside of the placeholders. */
  toValue(at: number): number
}

export interface Placeholder {
  readonly name: string
  /** The offset of the name in the script. */
  readonly at: number
  readonly expression: string
  /** The span of the whole `${{ }}` in the value. */
  readonly braces: Span
}

/** The name for an expression; the first group is its number. */
export const PLACEHOLDER: RegExp = /hookline_expression_(\d+)_/

/** Replaces each `${{ }}` of a value by a name. */
export function scriptOf(value: string, spans: readonly Span[]): PlaceholderScript {
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

/** The syntax tree of a bash or sh script, with the parent of each node. */
export interface ShellTree {
  readonly root: SyntaxNode
  /** In the order of the script, parents before children. */
  readonly nodes: readonly SyntaxNode[]
  readonly parents: ReadonlyMap<SyntaxNode, SyntaxNode>
}

/** GitHub accepts no longer string with an expression; other long scripts take too long to parse. */
export const LONGEST_SCRIPT = 21_000

/** `undefined` for a script that does not parse, or is too long. */
export function shellTree(script: string): ShellTree | undefined {
  if (script.length > LONGEST_SCRIPT) return undefined
  const root = parse(script)
  if (root.errors?.length) return undefined
  const nodes: SyntaxNode[] = []
  const parents = new Map<SyntaxNode, SyntaxNode>()
  const add = (node: SyntaxNode) => {
    nodes.push(node)
    forEachChild(node, (child) => {
      parents.set(child, node)
      add(child)
    })
  }
  add(root)
  // Offsets in an escaped script within backquotes are relative to that script.
  const isBroken = nodes.some(
    (node) => node.type === 'Script' && (node.source !== undefined || node.errors?.length),
  )
  return isBroken ? undefined : { root, nodes, parents }
}

/** Values that nobody can foresee. */
export const RANDOM: RegExp =
  /\buuidgen\b|\brandom(?:UUID|Bytes)\b|\buuid4\b|\bNew-Guid\b|\bopenssl\s+rand\b|\/dev\/u?random\b|\/proc\/sys\/kernel\/random\b/

/** `NAME=` or `NAME<<mark` at the beginning of a line that a script prints. */
export const SET_VARIABLE: RegExp = /(?:^|["'`\s]|\\n)([A-Za-z_]\w*)(?:=|<<\$\{?(\w+)|<<)/g

/** A word without its quotes, if it is the same in every run. */
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

/** Programs that start another program, named by their arguments. */
const STARTERS = wordSet(
  'command doas env exec ionice nice nohup setsid stdbuf sudo time timeout xargs',
)

/**
 * The program that a command finally starts, without its folder and version, and its arguments:
 * `node` for `sudo -E /usr/bin/node20`.
 */
export function calledProgram(command: Command): {
  readonly name: string
  readonly args: readonly Word[]
} {
  const words = [command.name, ...command.args].flatMap((word) =>
    word?.type === 'Word' ? [word] : [],
  )
  for (const [at, word] of words.entries()) {
    const text = fixedText(word)
    if (text === undefined) break
    // Skips options of the starting program, variables, and a duration.
    if (at > 0 && /^-|^\w+=|^[\d.]+[smhd]?$/.test(text)) continue
    const name = text.replace(/^.*\//, '')
    if (!STARTERS.has(name)) return { name, args: words.slice(at + 1) }
  }
  return { name: fixedText(command.name) ?? '', args: words.slice(1) }
}
