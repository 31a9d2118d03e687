import { describe, expect, test } from '@jest/globals'
import * as v from 'valibot'
import { configSchema } from '../../src/triggers/config-options.ts'
import {
  fieldPath,
  isProjectionOperator,
  needsBacktracking,
  ORDER_OPERATORS,
  orderOfLongIntegers,
} from '../../src/triggers/mongo-operators.ts'

const DEFAULTS = {
  active: true,
  timeZone: 'UTC',
  manualRunEvent: ['workflow_dispatch'],
  skipSchedule: false,
  batch: false,
  skipFirst: false,
  lease: 60,
  force: false,
  outputsMode: 'separate',
  exportOutputs: false,
  outputsDir: 'outputs',
  skipOnError: false,
  failOnItemError: false,
  buildOutputsOnError: false,
}

describe('config is read:', () => {
  test.each<[object | undefined, object]>([
    [undefined, {}],
    [{}, {}],
    [{ every: 0 }, { every: { minutes: 0 } }],
    [{ every: 1.5 }, { every: { minutes: 1.5 } }],
    [{ every: '15' }, { every: { minutes: 15 } }],
    [{ every: '*/5 9-17 * JAN mon,fri' }, { every: { cron: '*/5 9-17 * JAN mon,fri' } }],
    [{ timeZone: 'Europe/Berlin' }, { timeZone: 'Europe/Berlin' }],
    [{ manualRunEvent: 'push' }, { manualRunEvent: ['push'] }],
    [{ manualRunEvent: [] }, { manualRunEvent: [] }],
    [{ manualRunEvent: ['push', 'release'] }, { manualRunEvent: ['push', 'release'] }],
    [
      { deduplicateBy: 'a' },
      {
        deduplicateBy: { text: 'a', steps: [{ name: 'a', isQuoted: false, start: 0, end: 1 }] },
      },
    ],
    [{ every: ' */5  * * *\t* ' }, { every: { cron: '*/5  * * *\t*' } }],
    [{ filter: { a: null } }, { filter: { a: null } }],
    [{ limit: 0 }, { limit: undefined }],
    [{ limit: 5 }, { limit: 5 }],
    [{ limit: Number.MAX_SAFE_INTEGER }, { limit: Number.MAX_SAFE_INTEGER }],
    [{ batch: true }, { batch: true }],
    [{ lease: 10_080 }, { lease: 10_080 }],
    [{ sort: { a: 1, 'b[0].c': -1 } }, { sort: { a: 1, 'b[0].c': -1 } }],
    [
      { filter: { $or: [{ a: { $gt: 5 } }, { 'b.c': { $elemMatch: { d: 1 } } }] } },
      { filter: { $or: [{ a: { $gt: 5 } }, { 'b.c': { $elemMatch: { d: 1 } } }] } },
    ],
    [
      { filter: { a: { $eq: { $date: 1 } } } },
      {
        issues: [
          'filter: operator $date is unknown (known: $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin, $exists, $type, $regex, $mod, $size, $all, $elemMatch, $and, $or, $nor, $not, $options)',
        ],
      },
    ],
    [
      { debug: true, logLevel: 'x' },
      { debug: true, logLevel: 'x' },
    ],
  ])('%j', (config, expected) => {
    const result = v.safeParse(configSchema, config)
    if ('issues' in expected) expect(issuesOf(config)).toEqual(expected.issues)
    else expect([result.success, result.output]).toEqual([true, { ...DEFAULTS, ...expected }])
  })
})

/** The issues as `<path>: <message>`; `<key>` marks a key. */
function issuesOf(config: unknown): string[] {
  const { issues = [] } = v.safeParse(configSchema, config)
  return issues.map(({ path = [], message }) => {
    const parts = path.map((part) => `${part.key}${part.origin === 'key' ? '<key>' : ''}`)
    return `${parts.join('/')}: ${message}`
  })
}

const NOT_EVERY = 'every: is neither a number of minutes nor a cron expression of five fields'
const LONG = '1234567890123456'
const projection = (operator: string, why: string) =>
  `filterOutputs: operator ${operator} ${why} (known: $elemMatch, $slice, $eq, $ne, $gt, $gte, $lt, $lte, $and, $or, $not, $concat, $substrBytes, $substrCP, $strLenCP, $toLower, $toUpper, $trim, $split, $replaceAll, $arrayElemAt, $first, $last, $cond, $ifNull, $toString, $in, $nin, $exists, $type, $regex, $mod, $size, $all, $nor, $options)`

describe('config is refused:', () => {
  test.each<[object, ...string[]]>([
    [{ every: -1 }, NOT_EVERY],
    [{ every: '1.5' }, NOT_EVERY],
    [{ every: '' }, NOT_EVERY],
    [{ every: '* * * *' }, NOT_EVERY],
    [{ every: '* * * * * *' }, NOT_EVERY],
    [{ every: '* * * * ?' }, NOT_EVERY],
    [{ every: '* * * * x!' }, NOT_EVERY],
    [{ timeZone: '' }, 'timeZone: is not an IANA time zone'],
    [
      { batch: true, limit: 5 },
      'limit: cannot be combined with "batch", because the events that it cuts off would be lost',
    ],
    [{ limit: Number.MAX_SAFE_INTEGER + 1 }, 'limit: is too large'],
    [{ lease: 0 }, 'lease: is not more than 0'],
    [{ lease: 10_081 }, 'lease: is more than a week'],
    [{ outputsDir: '' }, 'outputsDir: is empty'],
    [{ filterScript: '' }, 'filterScript: is empty'],
    [{ deduplicateBy: '' }, 'deduplicateBy: is empty'],
    [
      { deduplicateBy: 'a..b' },
      `deduplicateBy: is not a path from "..b" on; write a key with dots as a['b.c']`,
    ],
    [{ sort: { a: 2 } }, 'sort: gives each field 1 (ascending) or -1 (descending)'],
    [
      { sort: { 'a..b': 1, c: 1 } },
      `sort/a..b<key>: the path is not a path from "..b" on; write a key with dots as a['b.c']`,
    ],
    [{ sort: 'a' }, 'sort: is not a mapping'],
    [{ filter: null }, 'filter: is not a mapping'],
    [
      { filter: { '.a': 1, b: { c: 1 }, d: { $gt: LONG } } },
      `filter/.a<key>: the path is not a path from ".a" on; write a key with dots as a['b.c']`,
      `filter/d/$gt: ${orderOfLongIntegers('$gt')}`,
    ],
    [
      { filter: { a: { $eq: 1, 'b..c': 1 } } },
      `filter/a/b..c<key>: the path is not a path from "..c" on; write a key with dots as a['b.c']`,
    ],
    [{ filter: { a: { $lte: [1, `-${LONG}`] } } }, `filter/a/$lte: ${orderOfLongIntegers('$lte')}`],
    [
      { filter: { $and: [{ a: 1 }, { '__proto__.b': 1 }, 5] } },
      'filter/$and/1/__proto__.b<key>: the path names __proto__, which every object inherits',
    ],
    [
      { filter: { a: { $not: { $elemMatch: { 'b..c': 1 } } } } },
      `filter/a/$not/$elemMatch/b..c<key>: the path is not a path from "..c" on; write a key with dots as a['b.c']`,
    ],
    ...['$in', '$nin', '$all', '$mod', '$and', '$or', '$nor'].map((operator): [object, string] => [
      { filter: { a: { [operator]: 5 } } },
      `filter/a/${operator}: ${operator} needs a list`,
    ]),
    [{ filter: { a: { $elemMatch: [] } } }, 'filter/a/$elemMatch: $elemMatch needs a mapping'],
    [
      { filter: { a: { $regex: '[' } } },
      'filter/a/$regex: Invalid regular expression: /[/: Unterminated character class',
    ],
    [
      { filter: { a: { $regex: 'a', $options: 'ii' } } },
      "filter/a/$regex: Invalid flags supplied to RegExp constructor 'ii'",
    ],
    [
      { filter: { $where: 'x', a: { $near: 1, $function: {} } } },
      ...[
        ['$where', 'runs a script; use filterScript or format'],
        ['$near', 'is unknown'],
        ['$function', 'runs a script; use filterScript or format'],
      ].map(
        ([operator, why]) =>
          `filter: operator ${operator} ${why} (known: $eq, $ne, $gt, $gte, $lt, $lte, $in, $nin, $exists, $type, $regex, $mod, $size, $all, $elemMatch, $and, $or, $nor, $not, $options)`,
      ),
    ],
    [
      { filterOutputs: { a: { $accumulator: 1 } } },
      projection('$accumulator', 'runs a script; use filterScript or format'),
    ],
    [
      { filterOutputs: { a: { $where: [{ $near: 1 }] } } },
      projection('$where', 'runs a script; use filterScript or format'),
      projection('$near', 'is unknown'),
    ],
    [
      { filterOutputs: { 'a..b': 1 } },
      `filterOutputs/a..b<key>: the path is not a path from "..b" on; write a key with dots as a['b.c']`,
    ],
    [
      { filterOutputs: { a: { $concat: ['x', '$b..c'] }, d: '$$ROOT.e..f' } },
      `filterOutputs/a/$concat/1: the path is not a path from "..c" on; write a key with dots as a['b.c']`,
      `filterOutputs/d: the path is not a path from "..f" on; write a key with dots as a['b.c']`,
    ],
    [
      { filterOutputs: { a: { $gte: ['$b', LONG] } } },
      `filterOutputs/a/$gte: ${orderOfLongIntegers('$gte')}`,
    ],
    [
      { filterOutputs: { a: { $elemMatch: { 'b..c': 1 } } } },
      `filterOutputs/a/$elemMatch/b..c<key>: the path is not a path from "..c" on; write a key with dots as a['b.c']`,
    ],
    [
      { filterOutputs: { a: { b: true, _id: 0 }, c: { d: 0 }, e: false, _id: 0 } },
      'filterOutputs/c/d<key>: a projection either passes fields on (1) or leaves fields out (0), not both',
    ],
    [
      {
        filterOutputs: {
          a: { $gt: 5 },
          b: { $concat: { $ifNull: 'x' } },
          c: { $cond: [{ $split: ['$a'] }, { $substrCP: [1, 2] }] },
          d: { $replaceAll: [] },
        },
      },
      'filterOutputs/a/$gt: $gt needs a list of 2 values',
      'filterOutputs/b/$concat: $concat needs a list',
      'filterOutputs/b/$concat/$ifNull: $ifNull needs a list',
      'filterOutputs/c/$cond: $cond needs a list of 3 values, or a mapping with if, then and else',
      'filterOutputs/c/$cond/0/$split: $split needs a list of 2 values',
      'filterOutputs/c/$cond/1/$substrCP: $substrCP needs a list of 3 values',
      'filterOutputs/d/$replaceAll: $replaceAll needs a mapping with input, find and replacement',
    ],
  ])('%j', (config, ...issues) => {
    expect(issuesOf(config)).toEqual(issues)
  })

  test.each<object>([
    { filter: { a: { $eq: { 'b..c': 1 } } } },
    { filter: { a: { $in: [{ 'b..c': 1 }] } } },
    { filter: { a: { $gt: '123456789012345' } } },
    { filterOutputs: { a: 1, b: { c: '$d', e: null }, f: { $slice: 1 }, _id: 0 } },
    { filterOutputs: { a: { $cond: [{ $not: '$b' }, 1, { $ifNull: [] }] } } },
    { filter: { a: { $eq: LONG } } },
    { filter: { a: { $gt: `x${LONG}` } } },
    { filter: { a: { $gt: `${LONG}x` } } },
    { filterOutputs: { a: { $elemMatch: { b: '$c..d' } } } },
    { filter: { a: { 'b..c': 1 } } },
    { filter: { a: { $regex: 'a', $options: 'x' } } },
    { filter: { a: { $regex: 5 } } },
    { filterOutputs: { a: '$$NOW', b: 'text..x', c: ['$d'] } },
    { sort: {} },
  ])('%j is not', (config) => {
    expect(issuesOf(config)).toEqual([])
  })
})

describe('an expression', () => {
  test.each([
    ['$body.title', 'body.title'],
    ['$$ROOT.body', 'body'],
    ['$$CURRENT.body', 'body'],
    ['$a\nb', 'a\nb'],
    ['$$NOW', undefined],
    ['$$$ROOT.a', undefined],
    ['$', undefined],
    ['body', undefined],
    ['x$body', undefined],
  ])('%j names the path %j', (expression, path) => {
    expect(fieldPath(expression)).toBe(path)
  })

  test.each([
    ['(?=a)', true],
    ['(?!a)', true],
    ['(?<=a)', true],
    ['(?<!a)', true],
    ['(a)\\1', true],
    ['(?<n>a)\\k<n>', true],
    ['(?<n>a)', false],
    ['(?:a)', false],
    ['\\\\1', false],
    ['\\(?=a', false],
    ['\\0', false],
    ['[(?=]', false],
    ['[\\](?=]', false],
    ['\\k', false],
    ['a\n(?=b)', true],
  ])('of the pattern %j needs backtracking: %s', (pattern, expected) => {
    expect(needsBacktracking(pattern)).toBe(expected)
  })

  test('has operators of projections, and of order', () => {
    expect(['$elemMatch', '$slice', '$size'].map(isProjectionOperator)).toEqual([true, true, false])
    expect([...ORDER_OPERATORS]).toEqual(['$gt', '$gte', '$lt', '$lte'])
    expect(orderOfLongIntegers('$gt')).toBe(
      '$gt cannot compare integers of 16 or more digits, because they are strings in the item; compare them in filterScript with BigInt()',
    )
  })
})
