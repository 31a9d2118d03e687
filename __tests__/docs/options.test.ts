import { expect, test } from '@jest/globals'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { PAGES } from './pages.ts'

const CODE = new Set(
  PAGES.flatMap(({ text }) =>
    [...text.matchAll(/`([A-Za-z_][\w.]*)(?::[^`]*)?`/g)].map(([, code]) => code),
  ),
)
const YAML = PAGES.flatMap(({ blocks }) => blocks.map(({ text }) => text)).join('\n')

function unknownToDocs(names: readonly string[]): string[] {
  return names.filter((name) => !CODE.has(name) && !new RegExp(`\\b${name}:`).test(YAML))
}

test.each([...TRIGGERS])('every option of %s is on a page of the docs', (_, { optionNames }) => {
  expect(optionNames.length).toBeGreaterThan(0)
  expect(unknownToDocs(optionNames)).toEqual([])
})
