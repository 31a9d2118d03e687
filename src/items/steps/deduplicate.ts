import * as v from 'valibot'
import type { Candidate, Passed } from '../candidate.ts'
import { itemKey } from '../key.ts'
import type { Settings } from '../settings.ts'

export const deduplicateOptions = {
  shouldDeduplicate: v.pipe(
    v.optional(v.boolean()),
    v.title('boolean'),
    v.description(
      'Whether an item that an earlier run handed on is dropped; for that a store is needed. Without it: no for webhooks, yes for polled triggers, there within one run when there is no store.',
    ),
  ),
  skipFirst: v.pipe(
    v.optional(v.boolean(), false),
    v.title('boolean'),
    v.description(
      '`true`: the first run records what is there, and hands nothing on. Needs a store.',
    ),
  ),
  force: v.pipe(
    v.optional(v.boolean(), false),
    v.title('boolean'),
    v.description('`true`: ignores seen keys, `every` and `skipFirst`.'),
  ),
}

/**
 * Drops items that came before, in this batch or, as the store says, in another run. What another
 * run is still at work on is held back, since that run may fail. A first run may only record.
 */
export async function deduplicate(
  items: readonly Candidate[],
  settings: Settings,
): Promise<Passed> {
  const { config, ledger } = settings
  const onlyRecords = config.skipFirst && ledger.isFirstRun && !config.force
  if (!settings.deduplicate) return onlyRecords ? { kept: [] } : { kept: items }
  const keyed = await withKeys(items, settings)
  const notices = [...new Set(keyed.flatMap(({ notice }) => notice ?? []))]
  const unique = firstOfEach(keyed)
  if (onlyRecords) return { kept: [], recorded: unique, notices }
  const standing = ({ key }: Keyed) => (config.force ? 'fresh' : ledger.standing(key))
  return {
    kept: unique.filter((candidate) => standing(candidate) === 'fresh'),
    heldBack: unique.filter((candidate) => standing(candidate) === 'busy'),
    notices,
  }
}

type Keyed = Candidate & { readonly key: string; readonly notice?: string }

function withKeys(items: readonly Candidate[], { keys }: Settings): Promise<Keyed[]> {
  return Promise.all(
    items.map(async (candidate) => ({ ...candidate, ...(await itemKey(candidate, keys)) })),
  )
}

function firstOfEach(items: readonly Keyed[]): Keyed[] {
  const first = new Map<string, Keyed>()
  for (const item of items) if (!first.has(item.key)) first.set(item.key, item)
  return [...first.values()]
}
