/**
 * How much the tests repeat. `HOOKLINE_TEST_EFFORT` is `small` (the default: `npm cit`, and whoever
 * changes something) or `full` (`npm run test:soak`: a release, and every week). What is tested is the
 * same; properties, rounds, kills and sizes are fewer.
 */
export type Effort = 'small' | 'full'

/** How many of a thing there are, where only a tenth would do for a small effort. */
const SMALL_SHARE = 10

export const EFFORT = readEffort(process.env.HOOKLINE_TEST_EFFORT)

/** True in `npm run test:soak`: for a test that says nothing when it is short. */
export const IS_FULL = EFFORT === 'full'

/**
 * A count of the effort that was asked for: runs of a property, rounds, kills, items.
 *
 * @param full how many `npm run test:soak` takes
 * @param small how many `npm cit` takes; a tenth of them, and at least one, when left out
 */
export function scaled(full: number, small = Math.ceil(full / SMALL_SHARE), effort = EFFORT) {
  return effort === 'full' ? full : Math.min(small, full)
}

/** @throws for a word that is neither, since a soak that runs short would pass unnoticed */
export function readEffort(value: string | undefined): Effort {
  if (value === undefined || value === '' || value === 'small') return 'small'
  if (value === 'full') return 'full'
  throw new Error(`HOOKLINE_TEST_EFFORT is "${value}": it must be "small" or "full"`)
}
