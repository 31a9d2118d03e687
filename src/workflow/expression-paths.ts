import {
  ContextAccess,
  type Expr,
  FunctionCall,
  Grouping,
  IndexAccess,
  Literal,
  type Star,
} from '@actions/expressions/ast'

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

/**
 * The context that an expression reads, and the names after it in lower case: `needs.on.outputs.body`. A name
 * that only the run knows is `undefined`.
 *
 * @returns `undefined` for an expression that computes something
 */
export function contextPath(expr: Expr) {
  const { root, indices } = accessTo(expr)
  if (!(root instanceof ContextAccess)) return undefined
  const names = indices.map((index) =>
    index instanceof Literal ? index.literal.coerceString().toLowerCase() : undefined,
  )
  return { context: root.name.lexeme.toLowerCase(), names }
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
