import {
  ContextAccess,
  type Expr,
  FunctionCall,
  Grouping,
  IndexAccess,
  Literal,
  type Star,
} from '@actions/expressions/ast'
import { spanOf } from './file-expressions.ts'
import type { Span } from './spans.ts'

/** A context and the names after it: `needs.on.outputs.body`. */
interface ContextPath {
  readonly context: string
  /** In lower case; `undefined` for a name that only the run knows. */
  readonly names: readonly (string | undefined)[]
}

/** The value from which an expression reads a part, and each index: `on` and `['webhook', 'outputs']`. */
export function accessTo(expr: Expr): { readonly root: Expr; readonly indices: (Expr | Star)[] } {
  const indices: (Expr | Star)[] = []
  for (let root = expr; ; ) {
    if (root instanceof Grouping) root = root.group
    else if (root instanceof IndexAccess) {
      indices.unshift(root.index)
      root = root.expr
    } else return { root, indices }
  }
}

/** A name that is written as an index, in lower case; `undefined` for `*` and a computed index. */
function nameOfIndex(index: Expr | Star): string | undefined {
  return index instanceof Literal ? index.literal.coerceString().toLowerCase() : undefined
}

/** The path that an expression reads; `undefined` for an expression that computes something. */
export function contextPath(expr: Expr): ContextPath | undefined {
  const { root, indices } = accessTo(expr)
  return root instanceof ContextAccess
    ? { context: root.name.lexeme.toLowerCase(), names: indices.map(nameOfIndex) }
    : undefined
}

/** The characters of a path in the text of its expression. */
export function spanOfPath(expr: Expr, text: string): Span | undefined {
  if (expr instanceof Grouping) return spanOfPath(expr.group, text)
  if (expr instanceof ContextAccess) return spanOf(expr.name)
  if (!(expr instanceof IndexAccess) || !(expr.index instanceof Literal)) return undefined
  const start = spanOfPath(expr.expr, text)?.start
  const { end } = spanOf(expr.index.token)
  const bracket = /^\s*\]/.exec(text.slice(end))?.[0] ?? ''
  return start === undefined ? undefined : { start, end: end + bracket.length }
}

export function isCallOf(part: Expr, name: string): part is FunctionCall {
  return part instanceof FunctionCall && part.functionName.lexeme.toLowerCase() === name
}

/** A literal in single quotes. */
export function isString(part: Expr | undefined): part is Literal {
  return part instanceof Literal && part.token.lexeme.startsWith("'")
}

/** The value of a literal in single quotes. */
export function stringOf(part: Expr | undefined): string | undefined {
  return isString(part) ? part.literal.coerceString() : undefined
}

/** `….name`, in any case. */
export function isProperty(part: Expr | undefined, name: string): part is IndexAccess {
  return (
    part instanceof IndexAccess &&
    part.index instanceof Literal &&
    part.index.literal.coerceString().toLowerCase() === name
  )
}
