import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { SETTINGS } from '../../src/wire/settings.ts'

const root = new URL('../../', import.meta.url)

const sources = readdirSync(new URL('src', root), { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => ({ name, text: readFileSync(new URL(`src/${name}`, root), 'utf8') }))

/**
 * Access to a variable of Hookline without the table: by its name, in brackets, or by
 * destructuring.
 */
const PAST_THE_TABLE = [
  /\benv\??\.\s*HOOKLINE_\w+/i,
  /\benv\w*(?:\?\.)?\[\s*['"`]HOOKLINE_/i,
  /\{[^{}]*\bHOOKLINE_\w+[^{}]*\}\s*=\s*(?:process\.)?env/i,
]

function readsPastTheTable(text: string): boolean {
  return PAST_THE_TABLE.some((form) => form.test(text))
}

test('variables of ours are read through their table alone', () => {
  // The figures are no settings, and tests of whole processes change them.
  const own = sources.filter(
    ({ name, text }) => name !== 'relay/figures.ts' && readsPastTheTable(text),
  )
  expect(own.map(({ name }) => name)).toEqual([])
})

test.each(['env.HOOKLINE_A', "process.env['HOOKLINE_A']", 'const { HOOKLINE_A: a } = process.env'])(
  'a read past the table is seen: %s',
  (text) => expect(readsPastTheTable(text)).toBe(true),
)

// A constant for the action's name in `uses`, and a property of a form's script.
const NO_VARIABLES = ['HOOKLINE_ACTION', 'HOOKLINE_TEST', 'HOOKLINE_URL']

test('the table has every variable of ours that the sources name', () => {
  const named = sources.flatMap(({ text }) => text.match(/\bHOOKLINE_[A-Z]+(?:_[A-Z]+)*\b/g) ?? [])
  expect(
    [...new Set(named)].filter((name) => !(name in SETTINGS) && !NO_VARIABLES.includes(name)),
  ).toEqual([])
})
