import { describe, expect, test } from '@jest/globals'
import { runPipeline } from '../../src/engine/pipeline.ts'
import { isSuspicious, unmetConditions, unmetText } from '../../src/engine/unmet-conditions.ts'
import type { Json, JsonObject } from '../../src/wire/json.ts'
import { found, settingsOf } from '../support/settings.ts'

const scripts = { within: async <Result>(_: number, work: () => Result) => work() }

async function sentences(condition: Json, value: Json, showValues = true): Promise<string[]> {
  const unmet = await unmetConditions(
    { 'body.x': condition },
    [{ body: { x: value } }],
    scripts,
    500,
  )
  return unmet.filter(isSuspicious).map((one) => unmetText(one, showValues))
}

describe('a comparison of unequal types names both:', () => {
  test.each<[condition: Json, value: Json, sentence: string]>([
    [true, 'true', '"true" (a string) is not true (a boolean)'],
    [5, '5', '"5" (a string) is not 5 (a number)'],
    ['5', 5, '5 (a number) is not "5" (a string)'],
    ['x', null, 'null is not "x" (a string)'],
    [null, 'x', '"x" (a string) is not null'],
    ['x', { a: 1 }, '{"a":1} (an object) is not "x" (a string)'],
    ['x', [1, 2], '[1,2] (a list) is not "x" (a string)'],
    [{ a: 1 }, 'x', '"x" (a string) is not {"a":1} (an object)'],
    [{ $eq: true }, 'true', '"true" (a string) is not true (a boolean)'],
    [{ $in: [1, 2] }, '1', '"1" (a string) is not one of 1, 2 (each a number)'],
    [{ $in: [true] }, 'true', '"true" (a string) is not one of true (a boolean)'],
    [{ $gt: 25 }, '30.0', '"30.0" (a string) is not greater than 25 (a number)'],
    [{ $gte: 25 }, '30', '"30" (a string) is not at least 25 (a number)'],
    [{ $exists: true, $lt: 25 }, '3', '"3" (a string) is not less than 25 (a number)'],
    [{ $lte: 'b' }, 3, '3 (a number) is not at most "b" (a string)'],
    [{ $regex: '^1' }, 12, '12 (a number) is not a string, which $regex needs'],
    [{ $size: 1 }, 'x', '"x" (a string) is not a list, which $size needs'],
    [
      { $elemMatch: { a: 1 } },
      { a: 1 },
      '{"a":1} (an object) is not a list, which $elemMatch needs',
    ],
    [{ $all: ['a'] }, 'a', '"a" (a string) is not a list, which $all needs'],
  ])('%j of %j', async (condition, value, sentence) => {
    expect(await sentences(condition, value)).toEqual([`body.x: ${sentence}`])
  })
})

describe('equal types are no reason to doubt the filter:', () => {
  test.each<[condition: Json, value: Json]>([
    ['x', 'y'],
    [5, 6],
    [{ $in: [1, 'a'] }, 'b'],
    [{ $in: [] }, 'b'],
    ['x', ['y', 1]],
    [{ $gt: 5 }, 1],
    [{ $regex: '^1' }, '2'],
    [{ $ne: 'x' }, 'x'],
    [{ $nin: ['x'] }, 'x'],
    [{ $exists: false }, 'x'],
    [{ $size: 2 }, [1]],
  ])('%j of %j', async (condition, value) => {
    expect(await sentences(condition, value)).toEqual([])
  })
})

describe('without values of the event', () => {
  test.each<[condition: Json, value: Json, sentence: string]>([
    [true, 'secret', 'a string is not true (a boolean)'],
    [true, 'true', '"true" (a string) is not true (a boolean)'],
    ['', {}, 'an object is not "" (a string)'],
    [{ $gt: 25 }, 'secret', 'a string is not greater than 25 (a number)'],
    [{ $in: [1, 2] }, 'secret', 'a string is not one of 1, 2 (each a number)'],
  ])('%j of %j', async (condition, value, sentence) => {
    expect(await sentences(condition, value, false)).toEqual([`body.x: ${sentence}`])
  })
})

describe('a path that names nothing is told', () => {
  const item = { headers: { 'x-a': '1' }, body: { action: 'opened', f: { 'a.b': 'x' }, l: [] } }
  test.each<[filter: JsonObject, sentences: string[]]>([
    [{ 'body.kind': 'x' }, ['body.kind is missing, wanted "x"']],
    [{ action: 'opened' }, ['action is missing, wanted "opened"; the event has body.action']],
    [{ 'body.l.x': 1 }, ['body.l.x is missing, wanted 1']],
    [{ 'body.l[0]': 1 }, ['body.l[0] is missing, wanted 1']],
    [
      { $and: [{ 'body.kind': { $exists: true } }] },
      ['body.kind is missing, wanted {"$exists":true}'],
    ],
    [{ 'body.f.a.b': 'y' }, ['body.f.a.b is "x", wanted "y"']],
    [{ 'headers.X-A': '2' }, ['headers.X-A is "1", wanted "2"']],
  ])('%j', async (filter, wanted) => {
    const unmet = await unmetConditions(filter, [item], scripts, 500)
    expect(unmet.map((one) => unmetText(one, true))).toEqual(wanted)
  })

  test('in the reasons of the pipeline, three at most', async () => {
    const filter = { 'body.a': 1, 'body.b': 1, 'body.action': 'x', 'body.c': 1, 'body.d': 1 }
    const { reasons, log } = await runPipeline(found([item]), settingsOf({ filter }))
    expect(log).toEqual(['filter dropped 1'])
    expect(reasons).toEqual(
      ['a', 'b', 'c'].map((key) => `filter: body.${key} is missing, wanted 1`),
    )
  })
})
