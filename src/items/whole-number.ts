import * as v from 'valibot'

/** A whole number of at least `least`. */
export function wholeNumber(least: number) {
  return v.pipe(
    v.number(),
    v.integer('is no whole number'),
    v.minValue(least, `is less than ${least}`),
  )
}
