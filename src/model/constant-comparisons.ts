import { Binary, Literal } from '@actions/expressions/ast'
import type { Json, JsonObject } from '../wire/json.ts'
import {
  isFault,
  parseExpression as parseTree,
  partsOf,
  spanOf,
} from '../workflow/file-expressions.ts'
import {
  evaluateTree,
  type PartialContexts,
  RESULTS,
  truthOf,
  UNKNOWN_STATUS,
  unknownValue,
} from './evaluate-expression.ts'

/** A comparison with a literal that has the same result in every run. */
export interface ConstantComparison {
  /** Start of the literal, in characters of the expression. */
  readonly start: number
  readonly end: number
  /** False for a comparison that is never true. */
  readonly result: boolean
  readonly literal: Json
  /** The values that the other operand can have. */
  readonly values: readonly Json[]
}

/**
 * Finds comparisons such as `needs.build.result == 'succes'`, whose operand never has the value of the
 * literal. An invalid expression has none.
 *
 * @param contexts made by `possibleContexts`
 */
export function constantComparisons(text: string, contexts: PartialContexts): ConstantComparison[] {
  const tree = parseTree(text)
  if (isFault(tree)) return []
  return partsOf(tree).flatMap((part): ConstantComparison[] => {
    if (!(part instanceof Binary)) return []
    const literal = [part.left, part.right].find((side) => side instanceof Literal)
    const other = literal === part.left ? part.right : part.left
    if (!(literal instanceof Literal)) return []
    const operand = evaluateTree(other, contexts, UNKNOWN_STATUS)
    if (!('unknown' in operand) || !operand.values) return []
    const result = truthOf(evaluateTree(part, contexts, UNKNOWN_STATUS))
    if (result === undefined) return []
    const value = evaluateTree(literal, contexts, UNKNOWN_STATUS)
    return [
      {
        ...spanOf(literal.token),
        result,
        literal: 'value' in value ? value.value : null,
        values: operand.values,
      },
    ]
  })
}

/** The facts of a workflow that limit the values in its expressions. */
export interface PossibleValues {
  /** The events that the workflow listens to; without them any event is possible. */
  readonly events?: readonly string[]
  /** Ids of the jobs in `needs`, each with the names of its outputs that pass the output `triggered`. */
  readonly needs?: Readonly<Record<string, readonly string[]>>
  /** Ids of the steps that the expression can read. */
  readonly steps?: readonly string[]
  /** Ids of those steps that run Hookline's action. */
  readonly actionSteps?: readonly string[]
  /** Names of the triggers in the context `on`. */
  readonly triggers?: readonly string[]
}

/** Returns contexts with the values that are limited; they lack all other values. */
export function possibleContexts(possible: PossibleValues): PartialContexts {
  const { events, needs = {}, steps = [], actionSteps = [], triggers = [] } = possible
  const isTriggered = unknownValue('whether a trigger fired', ['true', 'false', ''])
  const results: JsonObject = {
    outcome: unknownValue('an outcome', RESULTS),
    conclusion: unknownValue('a conclusion', RESULTS),
  }
  const entries = (ids: readonly string[], create: (id: string) => Json): JsonObject =>
    Object.fromEntries(ids.map((id) => [id, create(id)]))
  return {
    needs: entries(Object.keys(needs), (id) => ({
      result: unknownValue(`the result of ${id}`, RESULTS),
      outputs: entries(needs[id] ?? [], () => isTriggered),
    })),
    steps: entries(steps, (id) =>
      actionSteps.includes(id) ? { ...results, outputs: { triggered: isTriggered } } : results,
    ),
    job: { status: unknownValue('the status of the job', ['success', 'failure', 'cancelled']) },
    ...(triggers.length > 0 && { on: entries(triggers, () => results) }),
    ...(events && { github: { event_name: unknownValue('the event', events) } }),
  }
}
