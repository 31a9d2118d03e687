import { describe, expect, test } from '@jest/globals'
import { runPipeline } from '../../src/engine/pipeline.ts'
import { createScripts, type Scripts } from '../../src/engine/scripts.ts'
import { found, settingsOf } from '../support/settings.ts'

/** Patterns known to explode, each with the text on which it does. */
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
  ['look-ahead', '^(?=(a+)+$)', `${'a'.repeat(60)}!`],
  ['back-reference', '^(a+)+\\1b$', 'a'.repeat(60)],
]

/** The long run gives each pattern its whole time; else one alone, which is enough to see a cut. */
const TIME = 20

const { scripts } = settingsOf()

/** The settings of a filter, with this time for it. */
function timed(milliseconds: number, $regex: string) {
  const within: Scripts['within'] = (_, work) => scripts.within(milliseconds, work)
  return {
    ...settingsOf({ filter: { 'body.text': { $regex } } }),
    scripts: { ...scripts, within },
  }
}

describe('a pattern that is known to explode is stopped, and says so', () => {
  test.each(KNOWN)('%s, as a filter', async (_, $regex, text) => {
    const run = runPipeline(found([{ body: { text } }]), timed(TIME, $regex))
    await expect(run).rejects.toThrow(`config.filter: timed out after ${TIME} ms`)
  })

  test('after half a second', async () => {
    const [[, $regex, text] = []] = KNOWN
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

  test.each(KNOWN)('%s, on a text that it likes', async (_, $regex) => {
    const run = runPipeline(
      found([{ body: { text: 'a' } }]),
      settingsOf({ filter: { 'body.text': { $regex } } }),
    )
    await expect(run).resolves.toBeDefined()
  })
})
