import { describe, expect, test } from '@jest/globals'
import { findNode24 } from '../../scripts/node24.js'

describe('Node 24 is', () => {
  const here = process.execPath
  test.each([
    ['the cached one', undefined, '20.19.0', here, here],
    ['the running one, when new enough', '', '24.1.0', '/nowhere', '/running'],
    ['the running one from 22.13 on', undefined, '22.13.0', '/nowhere', '/running'],
    ['none, when only an older one is there', undefined, '22.12.0', '/nowhere', null],
  ])('%s', (_, named, version, cached, expected) => {
    expect(findNode24(named ?? '', { path: '/running', version }, cached)).toBe(expected)
  })

  test('the named one, and an error when that does not start', () => {
    expect(() => findNode24('/nowhere/node')).toThrow('ENOENT')
  })
})
