import type { SyntaxNode } from 'unbash'
import { calledProgram, type ShellTree } from './script.ts'

/** A line that a script writes into a file of the runner. */
export interface PrintedLine {
  /** Without quotes. */
  readonly text: string
  readonly isTainted: boolean
}

/** Sources of random values, which a sender cannot guess. */
const RANDOM = /\buuidgen\b|\bopenssl\s+rand\b|\/dev\/u?random\b|\/proc\/sys\/kernel\/random\b/

/** The variables of a script whose value is random. */
export function randomMarks(
  { nodes }: ShellTree,
  textOf: (node: SyntaxNode) => string,
  isTainted: (name: string) => boolean,
): ReadonlySet<string> {
  const assigned = nodes.filter((node) => node.type === 'Assignment')
  const names = assigned.map(({ name }) => name).filter((name) => !isTainted(name))
  return new Set(
    names.filter((name) =>
      assigned.every((node) => node.name !== name || RANDOM.test(textOf(node))),
    ),
  )
}

/**
 * The variables that get untrusted input between two random marks, as the lines `NAME<<$mark`,
 * value, `$mark`: no line of the value can end it early and set another variable.
 *
 * @returns `undefined` if untrusted input occurs outside of such marks
 */
export function namesWithinMarks(
  lines: readonly PrintedLine[],
  marks: ReadonlySet<string>,
): readonly string[] | undefined {
  const names: string[] = []
  let open: { readonly name: string; readonly mark: string } | undefined
  for (const { text, isTainted } of lines) {
    const [, name, mark] = /^([A-Za-z_]\w*)<<\$\{?(\w+)\}?$/.exec(text) ?? []
    if (open && (text === `$${open.mark}` || text === `\${${open.mark}}`)) open = undefined
    else if (!open && name && mark && marks.has(mark)) open = { name, mark }
    else if (isTainted && !open) return undefined
    else if (isTainted && open) names.push(open.name)
  }
  return open ? undefined : names
}

/** The lines that a part of a script prints, as far as its words determine them. */
export function printedLines(
  nodes: readonly SyntaxNode[],
  textOf: (node: { readonly pos: number; readonly end: number }) => string,
  holds: (node: SyntaxNode) => boolean,
  isTaintedLine: (text: string) => boolean,
): PrintedLine[] {
  return nodes.flatMap((node): PrintedLine[] => {
    if (node.type !== 'Command') return []
    const documents = node.redirects.flatMap((one) => {
      const text = one.type === 'HereDoc' ? one.body.text.replace(/\n$/, '') : undefined
      return (
        text?.split('\n').map((line) => ({
          text: line.trim(),
          isTainted: isTaintedLine(line),
        })) ?? []
      )
    })
    if (documents.length > 0) return documents
    const [first, second] = node.args
    const { name } = calledProgram(node)
    const printed =
      name === 'echo' && node.args.length === 1
        ? first
        : name === 'printf' && node.args.length === 2 && /^'%s\\n'$/.test(textOf(first ?? node))
          ? second
          : undefined
    const text = printed ? textOf(printed).replace(/^"(.*)"$|^'(.*)'$/s, '$1$2') : ''
    return [{ text, isTainted: holds(node) }]
  })
}
