import { type data, Evaluator } from '@actions/expressions'
import {
  Binary,
  ContextAccess,
  type Expr,
  FunctionCall,
  Grouping,
  IndexAccess,
  Logical,
  Star,
  Unary,
} from '@actions/expressions/ast'
import { truthy } from '@actions/expressions/result'

/** Contexts whose values a person sets, and may have forgotten. */
const SETTINGS = ['secrets', 'vars', 'env']

/** Functions that say whether something is so, as comparisons do. */
const QUESTIONS = ['contains', 'startswith', 'endswith']

/**
 * The secrets and variables that an expression reads although they are not set or empty, as
 * `secrets.NAME`, where that shows in what comes out. Of `a || b` only the operand counts that comes
 * out, so that a setting may have a second one behind it; of `a && b` no comparison but the last
 * operand.
 *
 * @param strict false where a comparison may well be with what is not set: it counts nowhere then
 */
export function unsetReads(
  tree: Expr,
  contexts: data.Dictionary,
  strict: boolean,
): readonly string[] {
  const valueAt = (part: Expr) => new Evaluator(part, contexts).evaluate()
  return [...new Set(readsOf(tree))]

  function readsOf(part: Expr): string[] {
    if (part instanceof Grouping) return readsOf(part.group)
    if (part instanceof IndexAccess) return ofIndex(part)
    if (part instanceof Logical) return ofLogical(part)
    if (isComparison(part) && !strict) return []
    if (part instanceof Unary) return readsOf(part.expr)
    if (part instanceof Binary) return [part.left, part.right].flatMap(readsOf)
    if (part instanceof FunctionCall) return part.args.flatMap(readsOf)
    return []
  }

  function ofLogical({ operator, args }: Logical): string[] {
    const isOr = operator.lexeme === '||'
    const decided = args.findIndex((part) => truthy(valueAt(part)) === isOr)
    if (isOr) return (decided < 0 ? args : args.slice(decided, decided + 1)).flatMap(readsOf)
    const evaluated = decided < 0 ? args : args.slice(0, decided + 1)
    return evaluated.flatMap((part, at) =>
      at < evaluated.length - 1 && isComparison(part) ? [] : readsOf(part),
    )
  }

  function ofIndex(access: IndexAccess): string[] {
    const { expr, index } = access
    const inner = index instanceof Star ? [] : readsOf(index)
    const context = expr instanceof ContextAccess ? expr.name.lexeme.toLowerCase() : ''
    if (!SETTINGS.includes(context)) return [...readsOf(expr), ...inner]
    if (index instanceof Star || truthy(valueAt(access))) return inner
    return [`${context}.${valueAt(index).coerceString()}`, ...inner]
  }
}

function isComparison(part: Expr): boolean {
  if (part instanceof Grouping) return isComparison(part.group)
  const isQuestion =
    part instanceof FunctionCall && QUESTIONS.includes(part.functionName.lexeme.toLowerCase())
  return part instanceof Unary || part instanceof Binary || isQuestion
}
