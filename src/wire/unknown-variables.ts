import { closestMatch } from 'leven'
import type { Problem } from './errors.ts'
import { type Environment, SETTINGS } from './settings.ts'

const TEST_VARIABLES = /^HOOKLINE_(?:TEST_\w+|NODE22|NODE24|WRANGLER|FORBID_SKIPS)$/

/** Letters that may differ in a typo. */
const MAX_DISTANCE = 4

/**
 * A warning for each `HOOKLINE_*` variable that is set and that Hookline does not read.
 *
 * @param named variables that options such as `--secret-env` name
 */
export function unknownVariables(
  env: Environment,
  named: readonly string[] = [],
): readonly Problem[] {
  const known = Object.keys(SETTINGS)
  const unknown = Object.keys(env).filter(
    (name) =>
      /^HOOKLINE_/.test(name) && ![...known, ...named].includes(name) && !TEST_VARIABLES.test(name),
  )
  return unknown.toSorted().map((name) => {
    const nearest = closestMatch(name, known, { maxDistance: MAX_DISTANCE })
    return {
      message: `unknown environment variable ${name}`,
      hint: nearest === undefined ? `Unset it: unset ${name}` : `did you mean "${nearest}"?`,
    }
  })
}
