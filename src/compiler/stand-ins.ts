import type { Json } from '../wire/json.ts'
import { record } from '../wire/json.ts'
import type { Contexts } from '../workflow/expressions.ts'
import { fileExpressions } from './file-expressions.ts'
import { references } from './references.ts'

/** Fits what options accept where it can: a bot token has this shape. */
const STAND_IN = '1:stand-in'

/** Contexts in which every secret and variable that a node names has some value. */
export function standInContexts(text: string, node: unknown): Contexts {
  const context = (name: string) =>
    record<Json>(namesIn(text, node, name).map((key) => [key, STAND_IN]))
  return {
    secrets: context('secrets'),
    vars: context('vars'),
    github: record<Json>([]),
    env: context('env'),
  }
}

/** The names that the expressions of a node read from a context, once each: names ignore case. */
export function namesIn(text: string, node: unknown, context: string): string[] {
  const names = fileExpressions(text, node, []).flatMap((expression) =>
    safeReferences(expression.text, context).flatMap(({ steps }) => steps[0]?.name ?? []),
  )
  return [
    ...new Map(names.toReversed().map((name) => [name.toLowerCase(), name])).values(),
  ].reverse()
}

/** Reading the options reports an expression that has no tokens. */
function safeReferences(expression: string, context: string) {
  try {
    return references(expression, context)
  } catch {
    return []
  }
}
