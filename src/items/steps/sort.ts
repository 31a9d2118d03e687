import * as v from 'valibot'
import { record } from '../../wire/json.ts'
import type { Candidate, Passed } from '../candidate.ts'
import { mapping } from '../mapping.ts'
import { runScript, scriptBody } from '../run-script.ts'
import type { Settings } from '../settings.ts'
import { withMongo } from '../with-mongo.ts'

const direction = v.picklist([1, -1])

export const sortOptions = {
  sort: v.pipe(
    v.optional(
      v.pipe(
        mapping,
        v.check(
          (value) => Object.values(value).every((way) => v.is(direction, way)),
          'gives each field 1 (ascending) or -1 (descending)',
        ),
        v.transform((value) => value as Record<string, 1 | -1>), // checked above
      ),
    ),
    v.title('MongoDB sort'),
    v.description('Order of the items: `date: -1`, the newest first.'),
  ),
  sortScript: v.pipe(
    v.optional(scriptBody),
    v.title('JavaScript'),
    v.description(
      'Body of a function of `a` and `b`; negative when `a` comes first. Applied after `sort`.',
    ),
  ),
}

/** Brings items into the order of `sort`, then of `sortScript`; equal ones keep theirs. */
export async function sort(items: readonly Candidate[], settings: Settings): Promise<Passed> {
  const sorted = await bySpecification(items, settings)
  return { kept: await byScript(sorted, settings) }
}

async function bySpecification(items: readonly Candidate[], { config, scripts }: Settings) {
  if (config.sort === undefined || Object.keys(config.sort).length === 0) return items
  const entries = Object.entries(config.sort)
  const order = record(entries.map(([field, way]) => [`item.${field}`, way] as const))
  return withMongo('sort', scripts, ({ Query, options }) =>
    new Query({}, options)
      .find<Candidate>([...items])
      .sort({ ...order })
      .all(),
  )
}

async function byScript(items: readonly Candidate[], { config, scripts }: Settings) {
  const { sortScript } = config
  if (sortScript === undefined) return items
  const order = await runScript(scripts, SORT_SCRIPT(sortScript), items)
  return order.flatMap((index) => items[Number(index)] ?? [])
}

const SORT_SCRIPT = (body: string) => ({
  option: 'sortScript',
  parameters: ['a', 'b'],
  body,
  drive: 'items.map((_, index) => index).sort((a, b) => call(items[a], items[b]))',
})
