import { describe, expect, test } from '@jest/globals'
import { runPipeline, STEPS } from '../../src/engine/pipeline.ts'
import type { Item } from '../../src/triggers/trigger.ts'
import { found, settingsOf } from '../support/settings.ts'

const ITEMS: Item[] = [3, 1, 2, 5, 4].map((n) => ({ id: n, n, even: n % 2 === 0, l: [n, n + 1] }))

async function kept(config: unknown, items: readonly Item[] = ITEMS): Promise<unknown[]> {
  const prepared = await runPipeline(found(items), settingsOf(config))
  return prepared.kept.map(({ item }) => item.n ?? item)
}

test('the order of the steps', () => {
  expect(STEPS.map(({ name }) => name)).toEqual([
    'filter',
    'filterScript',
    'sort',
    'skip',
    'deduplicate',
    'limit',
    'project',
    'format',
  ])
})

describe('config', () => {
  test.each<[string, unknown, unknown[]]>([
    ['nothing', {}, [3, 1, 2, 5, 4]],
    ['filter: a value', { filter: { n: 5 } }, [5]],
    ['filter: operators', { filter: { n: { $gte: 2, $lt: 5 } } }, [3, 2, 4]],
    ['filter: $in, $nin', { filter: { n: { $in: [1, 2, 3], $nin: [2] } } }, [3, 1]],
    [
      'filter: $or, $and, $not',
      { filter: { $or: [{ n: 1 }, { $and: [{ even: true }, { n: { $not: { $gt: 2 } } }] }] } },
      [1, 2],
    ],
    [
      'filter: $regex with $options',
      { filter: { even: { $exists: true }, n: { $type: 'number' } } },
      [3, 1, 2, 5, 4],
    ],
    [
      'filter: $elemMatch, $size, $all',
      { filter: { l: { $elemMatch: { $gt: 5 }, $size: 2, $all: [5] } } },
      [5],
    ],
    ['filter: $mod', { filter: { n: { $mod: [2, 1] } } }, [3, 1, 5]],
    ['filterScript', { filterScript: 'return item.n > 2' }, [3, 5, 4]],
    ['filterScript: index and items', { filterScript: 'return index === items.length - 1' }, [4]],
    [
      'filterScript: several lines',
      { filterScript: 'const wanted = [1, 2]\nreturn wanted.includes(item.n)' },
      [1, 2],
    ],
    ['filterScript: what is truthy', { filterScript: 'return item.n - 1' }, [3, 2, 5, 4]],
    ['filterScript: nothing returned', { filterScript: 'item.n' }, []],
    ['filter and filterScript', { filter: { even: true }, filterScript: 'return item.n > 2' }, [4]],
    ['sort', { sort: { n: 1 } }, [1, 2, 3, 4, 5]],
    ['sort: descending', { sort: { n: -1 } }, [5, 4, 3, 2, 1]],
    ['sort: by several fields', { sort: { even: 1, n: -1 } }, [5, 3, 1, 4, 2]],
    ['sort: equal ones keep their order', { sort: { even: -1 } }, [2, 4, 3, 1, 5]],
    ['sortScript', { sortScript: 'return b.n - a.n' }, [5, 4, 3, 2, 1]],
    [
      'sort, then sortScript',
      { sort: { n: 1 }, sortScript: 'return a.even - b.even' },
      [1, 3, 5, 2, 4],
    ],
    ['skip', { skip: 2 }, [2, 5, 4]],
    ['skip: more than there are', { skip: 9 }, []],
    ['limit', { limit: 2 }, [3, 1]],
    [
      'filter, sort, skip, limit',
      { filter: { n: { $ne: 1 } }, sort: { n: 1 }, skip: 1, limit: 2 },
      [3, 4],
    ],
    ['filterOutputs: fields', { filterOutputs: { even: 1 }, limit: 1 }, [{ even: false }]],
    [
      'filterOutputs: without fields',
      { filterOutputs: { l: 0, id: 0, n: 0 }, limit: 1 },
      [{ even: false }],
    ],
    [
      'filterOutputs: an expression',
      { filterOutputs: { twice: { $cond: [{ $gt: ['$n', 2] }, 'big', 'small'] } }, limit: 2 },
      [{ twice: 'big' }, { twice: 'small' }],
    ],
    [
      'filterOutputs: $slice',
      { filterOutputs: { l: { $slice: 1 } }, format: 'return { l: item.l }', limit: 1 },
      [{ l: [3] }],
    ],
    [
      'format',
      { format: 'return { was: item.n, index, of: items.length }', limit: 1 },
      [{ was: 3, index: 0, of: 1 }],
    ],
    ['format: the item changed', { format: 'item.n += 10\nreturn item' }, [13, 11, 12, 15, 14]],
    [
      'filterOutputs, then format',
      { filterOutputs: { n: 1 }, format: 'return { keys: Object.keys(item) }', limit: 1 },
      [{ keys: ['n'] }],
    ],
    [
      'the filter sees the item as it came',
      { filter: { n: 3 }, filterOutputs: { even: 1 }, format: 'return { x: 1 }' },
      [{ x: 1 }],
    ],
  ])('%s', async (_, config, expected) => {
    expect(await kept(config)).toEqual(expected)
  })
})

test('$regex takes $options, and matches in lists', async () => {
  const items = [{ t: 'Hello' }, { t: ['x', 'say hello'] }, { t: 'bye' }]
  expect(await kept({ filter: { t: { $regex: 'HELLO', $options: 'i' } } }, items)).toHaveLength(2)
})

test('neither a projection nor a script changes what others hold', async () => {
  const item = { body: { l: [1, 2], deep: { a: 1 } } }
  const before = JSON.stringify(item)
  const config = {
    filterScript: 'item.body = null; return true',
    filterOutputs: { 'body.deep.a': 0 },
    format: 'item.body.l.push(3); return item',
  }
  expect(await kept(config, [item])).toEqual([{ body: { l: [1, 2, 3], deep: {} } }])
  expect(JSON.stringify(item)).toBe(before)
})

test('the log counts the dropped items of each step', async () => {
  const config = { filter: { n: { $gt: 1 } }, skip: 1, limit: 2 }
  const { log, heldBack } = await runPipeline(found(ITEMS), settingsOf(config))
  expect(log).toEqual(['filter dropped 1', 'skip dropped 1', 'limit held back 1'])
  expect(heldBack.map(({ index }) => index)).toEqual([4])
})
