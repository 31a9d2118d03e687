import type { Candidate } from '../items/candidate.ts'

/**
 * Splits items into those that fit into so many UTF-16 units of outputs, and those that must wait.
 * The cut is made in the order in which the items were found, since a service forgets only what lies
 * before a point.
 *
 * @param weigh units that an item takes
 * @param atLeastOne lets the first one through: what finds no room in the whole never will
 */
export function fitInto(
  room: number,
  items: readonly Candidate[],
  weigh: (item: Candidate) => number,
  atLeastOne: boolean,
): { readonly fitting: readonly Candidate[]; readonly beyond: readonly Candidate[] } {
  let left = room
  let cut = Infinity
  for (const [place, item] of [...items].sort((a, b) => a.index - b.index).entries()) {
    left -= weigh(item)
    if (left >= 0 || (atLeastOne && place === 0)) continue
    cut = item.index
    break
  }
  return {
    fitting: items.filter(({ index }) => index < cut),
    beyond: items.filter(({ index }) => index >= cut),
  }
}
