import type { Path } from '../workflow/options.ts'

/**
 * Where in a workflow an expression may read `inputs`, and so what `on` becomes; `*` is any key.
 *
 * Source: the contexts of GitHub's own schema, workflow-v1.0.json (a test compares the two)
 */
export const EXPRESSION_PLACES: readonly string[] = [
  'concurrency',
  'env',
  'jobs.*.cancel-timeout-minutes',
  'jobs.*.concurrency',
  'jobs.*.container',
  'jobs.*.continue-on-error',
  'jobs.*.defaults.run',
  'jobs.*.env',
  'jobs.*.environment',
  'jobs.*.if',
  'jobs.*.name',
  'jobs.*.outputs.*',
  'jobs.*.runs-on',
  'jobs.*.secrets.*',
  'jobs.*.services',
  'jobs.*.snapshot.if',
  'jobs.*.steps.*.continue-on-error',
  'jobs.*.steps.*.env',
  'jobs.*.steps.*.if',
  'jobs.*.steps.*.name',
  'jobs.*.steps.*.run',
  'jobs.*.steps.*.timeout-minutes',
  'jobs.*.steps.*.with',
  'jobs.*.steps.*.working-directory',
  'jobs.*.strategy',
  'jobs.*.timeout-minutes',
  'jobs.*.with.*',
]

/** Where a text is an expression even without `${{ }}`. */
export const CONDITION_PLACES: readonly string[] = [
  'jobs.*.if',
  'jobs.*.snapshot.if',
  'jobs.*.steps.*.if',
]

/** True when a path is one of the places, or lies below one. */
export function isWithin(path: Path, places: readonly string[]): boolean {
  return places.some((place) => {
    const keys = place.split('.')
    return keys.length <= path.length && keys.every((key, at) => key === '*' || key === path[at])
  })
}
