import * as v from 'valibot'

/**
 * One value or a list of them, always a list once checked. `lazy` instead of `union`, so that an
 * issue names the very element that is wrong.
 */
export function oneOrMore<Given, Value>(schema: v.GenericSchema<Given, Value>) {
  return v.pipe(
    v.lazy(
      (input): v.GenericSchema<Given | Given[], Value | Value[]> =>
        Array.isArray(input) ? v.array(schema) : schema,
    ),
    v.transform((value): Value[] => (Array.isArray(value) ? value : [value])),
  )
}
