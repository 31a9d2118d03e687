import type { Config } from './config.ts'
import type { Item } from './item.ts'

/** What becomes of the items that a trigger found. */
export interface Prepared {
  /** What the jobs get, in their order. */
  readonly items: readonly Item[]
  /** Places, among the items as they came, of those that must come again with a later run. */
  readonly heldBack: readonly number[]
}

/** Sends items through the pipeline of `config`. */
export async function prepare(found: readonly Item[], { limit }: Config): Promise<Prepared> {
  const kept = found.slice(0, limit)
  return { items: kept, heldBack: found.map((_, index) => index).slice(kept.length) }
}
