import { fileURLToPath } from 'node:url'
import { expect, test } from '@jest/globals'
import { duplicateFiles, duplicateNames, readSources } from '../../scripts/house/duplicates.js'

const FILES = [
  {
    path: 'a/one.ts',
    text: 'export interface Twice {}\nfunction local() {}\nexport const shared = () => 1\nfunction local() {}\n',
  },
  { path: 'b/one.ts', text: 'export class Twice {}\nexport function shared() {}\ntype Once = 1\n' },
  { path: 'b/index.ts', text: 'function local() {}\nexport { shared } from "./one.ts"\n' },
  { path: 'a/index.ts', text: '' },
]

test('src declares each exported name once', () => {
  const files = readSources(fileURLToPath(new URL('../../src', import.meta.url)))
  expect(files.length).toBeGreaterThan(100)
  expect(duplicateNames(files).exported).toEqual([])
})

test('names that two files declare are duplicates; a re-export is none', () => {
  const [inA, inB] = ['a/one.ts', 'b/one.ts']
  expect(duplicateNames(FILES)).toEqual({
    types: [{ name: 'Twice', paths: [inA, inB] }],
    functions: [
      { name: 'local', paths: [inA, 'b/index.ts'] },
      { name: 'shared', paths: [inA, inB] },
    ],
    exported: [
      { name: 'shared', paths: [inA, inB] },
      { name: 'Twice', paths: [inA, inB] },
    ],
  })
})

test('exports of the module contract of senders are no duplicates; other names are', () => {
  const text = 'export const facts = {}\nexport const other = 1\n'
  const files = ['acme', 'github'].map((name) => ({ path: `triggers/senders/${name}.ts`, text }))
  const { exported } = duplicateNames([...files, { path: 'engine/facts.ts', text }])
  expect(exported.map(({ name }) => name)).toEqual(['other'])
})

test('file names that two folders have are duplicates, apart from index.ts', () => {
  expect(duplicateFiles(FILES)).toEqual([{ name: 'one.ts', paths: ['a/one.ts', 'b/one.ts'] }])
})
