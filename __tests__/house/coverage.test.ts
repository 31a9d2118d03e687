import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from '@jest/globals'
import config from '../../jest.config.js'
import { modulesOfTypes, runs } from '../../scripts/modules-of-types.js'
import { WIRING } from '../../scripts/wiring.js'

const root = fileURLToPath(new URL('../../', import.meta.url))

test('the figure has its bounds, and is about all of src but the wiring files', () => {
  expect(config).toMatchObject({
    coverageProvider: 'v8',
    collectCoverageFrom: expect.arrayContaining([
      'src/**/*.ts',
      ...WIRING.map((path) => `!src/${path}`),
    ]),
    coverageThreshold: { global: { lines: 95, branches: 90 } },
  })
})

describe('only what has nothing to run is left out of it', () => {
  test('in src', () => {
    const left = modulesOfTypes()
    expect(left.filter((path) => !existsSync(root + path))).toEqual([])
    expect(left).toContain('src/state/place.ts')
    expect(left.length).toBeLessThan(20)
  })

  test.each([
    ['export type A = 1', false],
    [`import type { A } from './a.ts'\nexport interface B { readonly a: A }`, false],
    [`export type { A } from './a.ts'`, false],
    ['export const a = 1', true],
    [`import './a.ts'`, true],
    [`export { a } from './a.ts'`, true],
    ['export interface A {}\nexport function a(): A { return {} }', true],
  ])('%j runs: %s', (text, expected) => {
    expect(runs(text)).toBe(expected)
  })
})
