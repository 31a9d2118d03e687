import * as v from 'valibot'
import { OptionError } from '../../wire/errors.ts'
import { isObject } from '../../wire/json.ts'
import type { Candidate, Passed } from '../candidate.ts'
import type { Item } from '../item.ts'
import { runScript, scriptBody } from '../run-script.ts'
import type { Settings } from '../settings.ts'

export const formatOptions = {
  format: v.pipe(
    v.optional(scriptBody),
    v.title('JavaScript'),
    v.description(
      'Body of a function of `item`, `index` and `items` that returns the item as it is handed on.',
    ),
  ),
}

/** Puts in place of each item what `format` makes of it. */
export async function format(
  items: readonly Candidate[],
  { config, scripts }: Settings,
): Promise<Passed> {
  if (config.format === undefined) return { kept: items }
  const made = await runScript(scripts, FORMAT_SCRIPT(config.format), items)
  return { kept: items.map((candidate, index) => ({ ...candidate, item: asItem(made[index]) })) }
}

function asItem(value: unknown): Item {
  if (isObject(value)) return value as Item // it came back as JSON
  const kind = value === null || value === undefined ? 'nothing' : `a ${typeof value}`
  const found = Array.isArray(value) ? 'a list' : kind
  throw new OptionError('format', `config.format returned ${found}; it must return the item`)
}

const FORMAT_SCRIPT = (body: string) => ({
  option: 'format',
  parameters: ['item', 'index', 'items'],
  body,
  drive: 'items.map((item, index) => call(item, index, items))',
})
