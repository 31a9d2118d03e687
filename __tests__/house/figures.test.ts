import { expect, test } from '@jest/globals'
import { readModule } from '../../scripts/house/figures.js'

test('readModule counts lines, imports and functions', () => {
  const text = `import { a } from '../b/a.ts'
import type { C } from './c.ts'
import { parse } from 'yaml'

/** A comment. */
export function used() {
  // another
  return once(twice(a))
}

function once(x) {
  return twice(x)
}
function twice(x) {
  return import('./later.ts')
}
function never() {}
`
  expect(readModule('folder/file.ts', text)).toEqual({
    path: 'folder/file.ts',
    lines: 17,
    code: 13,
    imports: ['b/a.ts', 'folder/c.ts', 'folder/later.ts'],
    functions: 4,
    usedOnce: ['once'],
  })
})
