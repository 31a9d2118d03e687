import * as v from 'valibot'
import type { Candidate, Passed } from '../candidate.ts'
import { mongoMapping } from '../mapping.ts'
import { QUERY_OPERATORS } from '../mongo-operators.ts'
import { runScript, scriptBody } from '../run-script.ts'
import type { Settings } from '../settings.ts'
import { withMongo } from '../with-mongo.ts'

export const filterOptions = {
  filter: v.pipe(
    v.optional(mongoMapping(QUERY_OPERATORS)),
    v.title('MongoDB query'),
    v.description('Keeps the items that match: `body.action: opened`.'),
  ),
  filterScript: v.pipe(
    v.optional(scriptBody),
    v.title('JavaScript'),
    v.description(
      'Body of a function of `item`, `index` and `items`; what it returns true for is kept. Beside `filter`, both must keep an item.',
    ),
  ),
}

/** Drops what `filter` or `filterScript` does not keep. */
export async function filter(items: readonly Candidate[], settings: Settings): Promise<Passed> {
  const matching = await byQuery(items, settings)
  return { kept: await byScript(matching, settings) }
}

async function byQuery(items: readonly Candidate[], settings: Settings) {
  const query = settings.config.filter
  if (query === undefined) return items
  return withMongo('filter', settings.scripts, ({ Query, options }) => {
    const compiled = new Query(query, options)
    return items.filter(({ item }) => compiled.test(item))
  })
}

async function byScript(items: readonly Candidate[], { config, scripts }: Settings) {
  const { filterScript } = config
  if (filterScript === undefined) return items
  const keeps = await runScript(scripts, FILTER_SCRIPT(filterScript), items)
  return items.filter((_, index) => keeps[index] === true)
}

const FILTER_SCRIPT = (body: string) => ({
  option: 'filterScript',
  parameters: ['item', 'index', 'items'],
  body,
  drive: 'items.map((item, index) => Boolean(call(item, index, items)))',
})
