import * as v from 'valibot'
import { type Json, parseJson } from '../../wire/json.ts'
import type { Candidate, Passed } from '../candidate.ts'
import type { Item } from '../item.ts'
import { mongoMapping } from '../mapping.ts'
import { PROJECTION_OPERATORS } from '../mongo-operators.ts'
import type { Settings } from '../settings.ts'
import { withMongo } from '../with-mongo.ts'

export const projectOptions = {
  filterOutputs: v.pipe(
    v.optional(mongoMapping(PROJECTION_OPERATORS)),
    v.title('MongoDB projection'),
    v.description('The fields of an item that are handed on: `body.issue.title: 1`.'),
  ),
}

/** Leaves of each item the fields that `filterOutputs` names. */
export async function project(
  items: readonly Candidate[],
  { config, scripts }: Settings,
): Promise<Passed> {
  const { filterOutputs } = config
  if (filterOutputs === undefined) return { kept: items }
  const projected = await withMongo('filterOutputs', scripts, ({ Query, cloning }) => {
    const query = new Query({}, cloning)
    return items.map(({ item }) => query.find<Item>([item], filterOutputs).all()[0] ?? {})
  })
  return {
    kept: items.map((candidate, index) => ({ ...candidate, item: plain(projected[index]) })),
  }
}

/** An operator may have made something that JSON does not know, such as a date. */
function plain(item: Item | undefined): Item {
  return parseJson(JSON.stringify(item ?? {})) as Item & Json // an object stays one
}
