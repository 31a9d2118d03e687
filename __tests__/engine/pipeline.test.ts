import { describe, expect, test } from '@jest/globals'
import { runPipeline } from '../../src/engine/pipeline.ts'
import type { Item } from '../../src/triggers/trigger.ts'
import { parseDataPath } from '../../src/wire/data-path.ts'
import { OptionError } from '../../src/wire/errors.ts'
import { fc } from '../support/properties.ts'
import { found, settingsOf } from '../support/settings.ts'

const ITEMS: Item[] = [3, 1, 2, 5, 4].map((n) => ({ id: n, n, even: n % 2 === 0, l: [n, n + 1] }))

describe('a mistake that only items show names its option', () => {
  test.each([
    [
      'filter',
      { filter: { n: { $regex: 'a', $options: 'q' } } },
      "config.filter: Invalid flags supplied to RegExp constructor 'q'",
    ],
    [
      'filterOutputs',
      { filterOutputs: { a: 1, 'a.b': 1 } },
      'config.filterOutputs: Path collision at a.b. (5 items)',
    ],
    [
      'filterOutputs',
      { filterOutputs: { a: '$$x' } },
      'config.filterOutputs: Use of undefined variable: x (5 items)',
    ],
    [
      'format',
      { format: 'item.x = 1' },
      'config.format: returned nothing instead of the item (5 items)',
    ],
    [
      'format',
      { format: 'return [item]' },
      'config.format: returned a list instead of the item (5 items)',
    ],
    [
      'format',
      { format: 'return "x"' },
      'config.format: returned a string instead of the item (5 items)',
    ],
  ])('%s: %j', async (option, config, message) => {
    const error = await runPipeline(found(ITEMS), settingsOf(config)).catch(
      (cause: unknown) => cause,
    )
    expect(error).toBeInstanceOf(OptionError)
    expect(error).toMatchObject({ option, message })
  })
})

test('no item makes the pipeline throw', async () => {
  const item = fc.dictionary(
    fc.oneof(
      fc.string(),
      fc.constantFrom('id', 'key', 'body', '__proto__', 'constructor', '$a', 'a.b'),
    ),
    fc.jsonValue({ maxDepth: 4 }),
  ) as fc.Arbitrary<Item>
  const config = {
    filter: { $nor: [{ 'body.a': { $regex: 'x', $gt: 3 } }], 'a.b': { $not: { $size: 3 } } },
    filterScript: 'return JSON.stringify(item) !== "x"',
    sort: { id: 1, 'body.a': -1 },
    sortScript: 'return 0',
    skip: 1,
    limit: 5,
    filterOutputs: { 'body.secret': 0 },
    format: 'return { ...item, index }',
  }
  const settings = settingsOf(config, {
    deduplicate: true,
    keys: { chosen: parseDataPath('body.a.0.b') },
  })
  const property = fc.asyncProperty(
    fc.array(item, { minLength: 3, maxLength: 12 }),
    async (items) => {
      const parsed = JSON.parse(JSON.stringify(items)) as Item[]
      const { kept, heldBack } = await runPipeline(found(parsed), settings)
      expect(kept.length + heldBack.length).toBeLessThanOrEqual(items.length)
    },
  )
  await fc.assert(property, { numRuns: 8 })
})
