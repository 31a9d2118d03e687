import { describe, expect, test } from '@jest/globals'
import { linear } from '../../src/engine/patterns.ts'
import { runPipeline } from '../../src/engine/pipeline.ts'
import { createScripts, type Scripts } from '../../src/engine/scripts.ts'
import { needsBacktracking } from '../../src/triggers/mongo-operators.ts'
import { found, settingsOf } from '../support/settings.ts'

/** Patterns with catastrophic backtracking, each with a string that triggers it. */
const KNOWN: readonly (readonly [name: string, pattern: string, text: string])[] = [
  ['nested plus', '^(a+)+$', `${'a'.repeat(60)}!`],
  ['nested star', '^(a*)*$', `${'a'.repeat(60)}!`],
  ['alternatives that overlap', '^(a|aa)+$', `${'a'.repeat(80)}!`],
  ['alternatives that are the same', '^(a|a)*$', `${'a'.repeat(60)}!`],
  ['class and its escape', '^([a-zA-Z0-9_]|\\w)+$', `${'a'.repeat(60)}!`],
  ['words', '^(\\w+\\s?)*$', `${'word'.repeat(12)}!`],
  [
    'an address of mail',
    '^([a-zA-Z0-9])(([\\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$',
    `${'a'.repeat(60)}!`,
  ],
  ['a Java class name', '^(([a-z])+.)+[A-Z]([a-z])+$', 'a'.repeat(70)],
  ['lines of HTML', '(<!--(.|\\s)*-->)+$', `<!--${' '.repeat(60)}`],
  ['digits and a dot', '^(\\d+\\.?)+$', `${'1'.repeat(60)}x`],
]

/** The same with what RE2 does not have. */
const BACKTRACKING: typeof KNOWN = [
  ['look-ahead', '^(?=(a+)+$)', `${'a'.repeat(60)}!`],
  ['back-reference', '^(a+)+\\1b$', 'a'.repeat(60)],
]

/**
 * The soak test gives each pattern its whole time; otherwise one pattern is enough to see the
 * limit.
 */
const TIME = 20

const { scripts } = settingsOf()

/** A limit that a busy machine does not reach with a pattern that ends immediately. */
const AMPLE_TIME = 20_000

/** The settings of a filter with this time limit. */
function timed(milliseconds: number, $regex: string) {
  const within: Scripts['within'] = (_, work) => scripts.within(milliseconds, work)
  return {
    ...settingsOf({ filter: { 'body.text': { $regex } } }),
    scripts: { ...scripts, within },
  }
}

test.each(KNOWN)('a pattern that is known to explode is evaluated: %s', async (_, $regex, text) => {
  const texts = [text, `${text}${text}`.repeat(500)]
  const items = found(texts.map((one) => ({ body: { text: one } })))
  const { kept } = await runPipeline(items, settingsOf({ filter: { 'body.text': { $regex } } }))
  expect(kept).toEqual([])
  expect(needsBacktracking($regex)).toBe(false)
})

test.each([
  ['^deploy v[0-9.]+$', '', 'deploy v1.2', 'deploy v1.2 now'],
  ['^ok$', 'm', 'no\nok', 'no\nok?'],
  ['a.b', 's', 'a\nb', 'ab'],
  ['straße', 'i', 'STRAßE 1', 'strasse'],
  ['\\u00e9t\\u00e9', '', 'été', 'ete'],
  ['(?<year>\\d{4})-\\d\\d', '', 'on 2026-11-02', '26-11'],
  ['[^]b', '', 'a\nb', 'b'],
  ['\\/deploy', '', '/deploy', 'deploy'],
  ['^.$', 'u', '👍', '👍👍'],
])('%s with the options %j matches %j, and not %j', async ($regex, $options, text, other) => {
  expect(linear(new RegExp($regex, $options))).toBeDefined()
  const items = found([{ text }, { text: other }])
  const settings = settingsOf({ filter: { text: { $regex, ...($options && { $options }) } } })
  const { kept } = await runPipeline(items, { ...settings, isPolled: true })
  expect(kept.map(({ item }) => item.text)).toEqual([text])
})

test.each([
  ['(?!a)', true],
  ['(?<=a)b', true],
  ['(?<a>b)\\k<a>', true],
  ['(a)\\1', true],
  ['(?<a>b)', false],
  ['\\(?=', false],
  ['[(?=]', false],
  ['\\\\1', false],
])('%s needs an engine that backtracks: %s', (pattern, expected) => {
  expect(needsBacktracking(pattern)).toBe(expected)
  expect(linear(new RegExp(pattern)) === undefined).toBe(expected)
})

describe('a pattern that RE2 does not have is stopped when it explodes, and says so', () => {
  test.each(BACKTRACKING)('%s, as a filter', async (_, $regex, text) => {
    const run = runPipeline(found([{ body: { text } }]), timed(TIME, $regex))
    await expect(run).rejects.toThrow(`config.filter: timed out after ${TIME} ms`)
  })

  test('after half a second', async () => {
    const [[, $regex, text] = []] = BACKTRACKING
    const settings = settingsOf({ filter: { 'body.text': { $regex } } })
    const run = runPipeline(found([{ body: { text: text ?? '' } }]), settings)
    await expect(run).rejects.toThrow('config.filter: timed out after 500 ms')
  })

  test.each(KNOWN.slice(0, 1))('%s, in a script', async (_, pattern, text) => {
    const filterScript = `return new RegExp(${JSON.stringify(pattern)}).test(item.text)`
    const settings = { ...settingsOf({ filterScript }), scripts: createScripts(4 * TIME) }
    const run = runPipeline(found([{ text }]), settings)
    await expect(run).rejects.toThrow(`config.filterScript: timed out after ${4 * TIME} ms`)
  })

  test.each([...KNOWN, ...BACKTRACKING])('%s, on a text that it likes', async (_, $regex) => {
    const run = runPipeline(found([{ body: { text: 'a' } }]), timed(AMPLE_TIME, $regex))
    await expect(run).resolves.toBeDefined()
  })
})
