import { OptionError } from '../wire/errors.ts'
import type { Addressed } from './events.ts'

/** An option that is meant across runs, in a run that remembers nothing. */
export function needsStore(option: string): OptionError {
  return new OptionError(
    option,
    `config.${option} needs a store: set the input "state" to branch:<name> or file:<path>`,
  )
}

/**
 * Refuses what was asked for and cannot be had. A default that would like a store does without.
 *
 * @throws OptionError
 */
export function checkStore({ trigger }: Addressed, polled: boolean, hasStore: boolean): void {
  const { shouldDeduplicate, skipFirst, limit, sort, sortScript } = trigger.config
  if (!hasStore && shouldDeduplicate) throw needsStore('shouldDeduplicate')
  if (!hasStore && skipFirst) throw needsStore('skipFirst')
  const sorted = sort !== undefined || sortScript !== undefined
  if (!polled || limit === undefined || !sorted) return
  // What is cut off may lie before what is handed on, which then is not acknowledged and comes again.
  if (!hasStore) throw needsStore('limit')
  if (shouldDeduplicate === false) {
    throw new OptionError('limit', 'config.limit with a sort order needs shouldDeduplicate')
  }
}
