import * as v from 'valibot'
import type { Candidate, Passed } from '../candidate.ts'
import type { Settings } from '../settings.ts'
import { wholeNumber } from '../whole-number.ts'

export const limitOptions = {
  limit: v.pipe(
    v.optional(wholeNumber(1)),
    v.title('number'),
    v.description(
      'Keeps so many items. What is cut off of a polled trigger comes with the next run; of a webhook it is gone. Together with `sort` or `sortScript`, a polled trigger needs a store.',
    ),
  ),
}

/** Holds back what lies beyond `limit`: it is not marked as seen, and not acknowledged. */
export function limit(items: readonly Candidate[], { config }: Settings): Passed {
  const most = config.limit ?? items.length
  return { kept: items.slice(0, most), heldBack: items.slice(most) }
}
