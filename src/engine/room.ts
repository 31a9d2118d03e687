import type { Candidate } from '../items/candidate.ts'
import { LIMITS } from '../wire/limits.ts'
import type { OnContext } from './on-context.ts'

/** What a run may still hand on. */
export interface Room {
  /** UTF-16 units of outputs. */
  readonly units: number
  /** Jobs of one matrix. */
  readonly jobs: number
}

/** Of a run that has handed on nothing yet. */
export const WHOLE_ROOM: Room = { units: LIMITS.itemsUnits, jobs: LIMITS.matrixJobs }

/** What is left beside what a run hands on already. */
export function roomBeside(contexts: readonly OnContext[], { units, jobs }: Room): Room {
  return { units: units - JSON.stringify(contexts).length, jobs: jobs - contexts.length }
}

/**
 * Splits items into those that find room in the outputs and in one matrix, and those that must wait.
 * The cut is made in the order in which the items were found, since a service forgets only what lies
 * before a point.
 *
 * @param weigh units that an item takes
 * @param atLeastOne lets the first one through: what finds no room in the whole never will
 */
export function fitInto(
  room: Room,
  items: readonly Candidate[],
  weigh: (item: Candidate) => number,
  atLeastOne: boolean,
): { readonly fitting: readonly Candidate[]; readonly beyond: readonly Candidate[] } {
  let left = room.units
  let cut = Infinity
  for (const [place, item] of [...items].sort((a, b) => a.index - b.index).entries()) {
    left -= weigh(item)
    if (left >= 0 && place < room.jobs) continue
    if (atLeastOne && place === 0) continue
    cut = item.index
    break
  }
  return {
    fitting: items.filter(({ index }) => index < cut),
    beyond: items.filter(({ index }) => index >= cut),
  }
}
