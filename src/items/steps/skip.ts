import * as v from 'valibot'
import type { Candidate, Passed } from '../candidate.ts'
import type { Settings } from '../settings.ts'
import { wholeNumber } from '../whole-number.ts'

export const skipOptions = {
  skip: v.pipe(
    v.optional(wholeNumber(0)),
    v.title('number'),
    v.description('Drops so many items at the beginning.'),
  ),
}

export function skip(items: readonly Candidate[], { config }: Settings): Passed {
  return { kept: items.slice(config.skip ?? 0) }
}
