import { describe, expect, test } from '@jest/globals'
import {
  failureReason,
  queryOutcomes,
  scriptOutcomes,
  TIME_LIMIT,
} from '../../src/engine/option-outcomes.ts'
import { ScriptFailure, type Scripts, type UserScript } from '../../src/engine/scripts.ts'
import { PathMistake } from '../../src/wire/data-path.ts'
import { OptionError } from '../../src/wire/errors.ts'

const SCRIPT: UserScript = {
  option: 'format',
  parameters: ['item'],
  body: 'return item',
  call: 'invoke(item)',
}

const TOO_LONG = new ScriptFailure('timed out after 2000 ms')

type Ran = (typeof SCRIPT)['only']

/** Scripts that note the item and the limit of each run. `fail` gets the item, or the number of a query's run. */
function scriptsThat(fail: (only: Ran) => Error | undefined) {
  const runs: { readonly only: Ran; readonly limit: number | undefined }[] = []
  const run: Scripts['run'] = async ({ only, body }, texts, limit) => {
    runs.push({ only, limit })
    if (body !== SCRIPT.body) throw new TypeError('this is another script')
    const failure = fail(only)
    if (failure) throw failure
    const values: unknown[] = JSON.parse(texts)
    return only === undefined
      ? values.map(() => ({ value: 'all' }))
      : [{ value: `item ${only} of ${texts}` }]
  }
  const within: Scripts['within'] = async (limit, work) => {
    runs.push({ only: undefined, limit })
    const failure = fail(runs.length)
    if (failure) throw failure
    return work()
  }
  return { scripts: { run, within }, runs }
}

const items = (count: number) => Array.from({ length: count }, (_, n) => ({ n }))

const whenAll = (only: Ran) => (only === undefined ? TOO_LONG : undefined)

describe('a script', () => {
  test('runs once for all items, with the usual limit', async () => {
    const { scripts, runs } = scriptsThat(() => undefined)
    const values = [{ value: 'all' }, { value: 'all' }]
    expect(await scriptOutcomes(scripts, SCRIPT, items(2))).toEqual(values)
    expect(runs).toEqual([{ only: undefined, limit: undefined }])
  })

  test('does not run without an item', async () => {
    const { scripts, runs } = scriptsThat(() => undefined)
    expect(await scriptOutcomes(scripts, SCRIPT, [])).toEqual([])
    expect(runs).toEqual([])
  })

  test('that takes too long runs for each item by itself, and only one of them fails', async () => {
    const fail = (only: Ran) => (only === 1 ? new ScriptFailure('used it all') : whenAll(only))
    const { scripts, runs } = scriptsThat(fail)
    const texts = '[{"n":0},{"n":1},{"n":2}]'
    expect(await scriptOutcomes(scripts, SCRIPT, items(3))).toEqual([
      { value: `item 0 of ${texts}` },
      { reason: 'used it all' },
      { value: `item 2 of ${texts}` },
    ])
    const limit = 2000
    expect(runs).toEqual([
      { only: undefined, limit: undefined },
      ...[0, 1, 2].map((only) => ({ only, limit })),
    ])
  })

  test.each([
    [2, 2000],
    [15, 2000],
    [16, 1875],
    [600, 50],
    [601, 50],
  ])('has for each of %d items %d ms', async (count, limit) => {
    const { scripts, runs } = scriptsThat(whenAll)
    expect(await scriptOutcomes(scripts, SCRIPT, items(count))).toHaveLength(count)
    expect(runs.slice(1)).toEqual(items(count).map(({ n: only }) => ({ only, limit })))
  })

  test.each([1, 2])('that runs once for %d items fails once', async (count) => {
    const { scripts, runs } = scriptsThat(whenAll)
    const once = { ...SCRIPT, isOnce: true }
    const reason = 'timed out after 2000 ms'
    expect(await scriptOutcomes(scripts, once, items(count))).toEqual([{ reason }])
    expect(runs).toEqual([{ only: undefined, limit: undefined }])
  })

  test('that does not compile is a mistake of its option', async () => {
    const cause = new ScriptFailure('does not compile: unexpected token')
    const { scripts, runs } = scriptsThat(() => cause)
    const caught = await scriptOutcomes(scripts, SCRIPT, items(2)).catch((error) => error)
    if (!(caught instanceof OptionError)) throw caught
    const { option, message } = caught
    expect({ option, message, cause: caught.cause }).toEqual({
      option: 'format',
      message: 'config.format: does not compile: unexpected token',
      cause,
    })
    expect(runs).toHaveLength(1)
  })

  test('that meets a bug rejects with the bug', async () => {
    const bug = new TypeError('does not compile: a bug')
    const { scripts } = scriptsThat(() => bug)
    await expect(scriptOutcomes(scripts, SCRIPT, items(2))).rejects.toBe(bug)
  })
})

describe('a query', () => {
  test('is evaluated for all items within the limit, each with its own outcome', async () => {
    const { scripts, runs } = scriptsThat(() => undefined)
    const values = [{ value: false }, { value: true }]
    expect(await queryOutcomes('filter', { n: 1 }, scripts, items(2))).toEqual(values)
    expect(runs).toEqual([{ only: undefined, limit: TIME_LIMIT }])
  })

  test.each([
    [60, 500],
    [61, 491],
  ])('that takes too long for %d items has %d ms for each', async (count, limit) => {
    const { scripts, runs } = scriptsThat((run) =>
      run === 1 ? TOO_LONG : run === 3 ? new ScriptFailure('timed out') : undefined,
    )
    const outcomes = await queryOutcomes('filterOutputs', { n: 1 }, scripts, items(count))
    expect(outcomes).toEqual(
      items(count).map((item) =>
        item.n === 1 ? { reason: 'timed out' } : { value: JSON.stringify(item) },
      ),
    )
    expect(runs.map((run) => run.limit)).toEqual([500, ...items(count).map(() => limit)])
  })

  test('fails for one item alone', async () => {
    const { scripts } = scriptsThat(() => undefined)
    const query = { length: { $strLenCP: '$a' } }
    const outcomes = await queryOutcomes('filterOutputs', query, scripts, [{ a: 'x' }, { a: 1 }])
    expect(outcomes).toEqual([{ value: '{"length":1}' }, { reason: expect.any(String) }])
  })

  test('with an unknown operator is a mistake of its option', async () => {
    const { scripts } = scriptsThat(() => undefined)
    const query = { n: { $nonsense: 1 } }
    const caught = await queryOutcomes('filter', query, scripts, items(2)).catch((error) => error)
    if (!(caught instanceof OptionError)) throw caught
    const { option, message, cause } = caught
    expect({ option, message }).toEqual({
      option: 'filter',
      message: 'config.filter: unknown query operator $nonsense',
    })
    expect(cause).toBeInstanceOf(Error)
  })
})

const LONG = `unknown ${'x'.repeat(291)}`

test.each<[reason: string, cause: unknown]>([
  ['timed out', new ScriptFailure('timed out')],
  ['the path is wrong', new PathMistake('the path is wrong')],
  ['Unknown operator $a', new Error('Unknown operator\n  $a')],
  ['invalid value', new Error('invalid value')],
  ['$divide expects numbers', new Error('$divide expects numbers')],
  ["can't divide", new Error("can't divide")],
  ['cannot divide', new Error('cannot divide')],
  [LONG, new Error(LONG)],
  ['cannot be computed: the library fails with Error', new Error(`${LONG}x`)],
  ['cannot be computed: the library fails with Error', new Error('the item has an invalid value')],
  ['cannot be computed: the library fails with Error', new Error('unknowns')],
  ['cannot be computed: the library fails with an error', 'unknown operator'],
])('the reason of a failure is: %s', (reason, cause) => {
  expect(failureReason(cause)).toBe(reason)
})
