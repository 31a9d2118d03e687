import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PAGE = readFileSync(`${ROOT}docs/learn/security.md`, 'utf8')
const REFERENCE = readFileSync(`${ROOT}docs/reference/promises.md`, 'utf8')

/** The numbers of the list of promises. */
const PROMISES = [...PAGE.matchAll(/^(\d+)\. \*\*/gm)].map(([, number = '']) => number)

/** The rows of the table of tests. */
const ROWS = [...REFERENCE.matchAll(/^\| (\d+) \| `([\w/-]+)` \(([\w, ]+)\): (.+) \|$/gm)].map(
  ([, promise = '', file = '', runsOn = '', name = '']) => ({ promise, file, name, runsOn }),
)

test('each promise of the security model has a test, and each test a promise', () => {
  expect(PROMISES.length).toBeGreaterThanOrEqual(10)
  expect([...new Set(ROWS.map(({ promise }) => promise))]).toEqual(PROMISES)
})

describe.each(ROWS)('promise $promise: $name', ({ file, name, runsOn }) => {
  const source = readFileSync(`${ROOT}__tests__/${file}.test.ts`, 'utf8')

  test(`is in ${file}`, () => {
    expect(source.includes(`'${name}'`) || source.includes(`\`${name}\``)).toBe(true)
  })

  test(`runs on ${runsOn}`, () => {
    const before = source.slice(0, source.indexOf(name))
    const [suite = ''] =
      before.match(/^describe\.each\(\w*RUNTIMES\)|^(?:describe|test)\b/gm)?.slice(-1) ?? []
    expect(suite.includes('RUNTIMES')).toBe(runsOn === 'Node, workerd')
  })
})
