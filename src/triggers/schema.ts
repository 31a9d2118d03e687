import * as v from 'valibot'

/**
 * One value or a list of them, always a list once checked. `lazy` instead of `union`, so that an
 * issue names the very element that is wrong.
 */
export function oneOrMore<Input, Output>(schema: v.GenericSchema<Input, Output>) {
  return v.pipe(
    v.lazy(
      (input): v.GenericSchema<Input | Input[], Output | Output[]> =>
        Array.isArray(input) ? v.pipe(v.array(schema), v.nonEmpty('is an empty list')) : schema,
    ),
    v.transform((value): Output[] => (Array.isArray(value) ? value : [value])),
  )
}
