import * as v from 'valibot'
import { isObject, type Json, type JsonObject } from '../wire/json.ts'

/** A mapping of YAML with any keys, such as a query. */
export const mapping = v.pipe(
  v.unknown(),
  v.check(isObject, 'is no mapping'),
  v.transform((value) => value as JsonObject), // options are JSON
)

/**
 * A mapping in MongoDB's language, whose `$names` are all among `operators`. Only the names are
 * looked at here: the library that knows the rest is loaded when there are items.
 */
export function mongoMapping(operators: ReadonlySet<string>) {
  return v.pipe(
    mapping,
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return
      for (const name of operatorNames(dataset.value)) {
        if (!operators.has(name)) addIssue({ message: unknownOperator(name, operators) })
      }
    }),
  )
}

/** Every key that begins with `$`, at any depth. */
function operatorNames(value: Json): string[] {
  if (Array.isArray(value)) return value.flatMap(operatorNames)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(key.startsWith('$') ? [key] : []),
    ...operatorNames(inner),
  ])
}

function unknownOperator(name: string, operators: ReadonlySet<string>): string {
  const scripts = ['$where', '$function', '$accumulator'].includes(name)
  const why = scripts ? 'runs a script; use filterScript or format' : 'is not known here'
  return `operator ${name} ${why} (known: ${[...operators].join(', ')})`
}
