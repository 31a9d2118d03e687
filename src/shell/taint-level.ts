/** The person who chooses a value. */
export const TRUSTED = 0
/** Anyone who can open an issue or a pull request: a field of an event of GitHub. */
export const FROM_GITHUB = 1
/** The sender of a webhook. */
export const FROM_WEBHOOK = 2
export type Taint = typeof TRUSTED | typeof FROM_GITHUB | typeof FROM_WEBHOOK

export function highest(taints: Iterable<Taint>): Taint {
  let max: Taint = TRUSTED
  for (const taint of taints) if (taint > max) max = taint
  return max
}
