import { describe, expect, test } from '@jest/globals'
import { forwardedHeaders, headerValue } from '../../src/wire/headers.ts'

const forwarded = (...headers: string[]) => [...forwardedHeaders(headers)]

describe('the forwarded headers', () => {
  test('have names in lower case, and the values of a repeated one together', () => {
    expect(forwarded('X-A', '1', 'x-b', '', 'x-a', '2', 'X-A', '3')).toEqual([
      ['x-a', '1, 2, 3'],
      ['x-b', ''],
    ])
  })

  test.each([
    ...['X-Platform-Authorization', 'X-Github-Authorization', 'Connection', 'Keep-Alive'],
    ...['Proxy-Authenticate', 'Proxy-Connection', 'TE', 'Trailer', 'Transfer-Encoding', 'Upgrade'],
    ...['Cookie', 'Proxy-Authorization', 'X-Real-IP', 'Forwarded', 'Via', 'CDN-Loop'],
    ...['X-Forwarded-For', 'CF-Ray', 'X-Hookline-Delivery'],
  ])('are without %s', (name) => {
    expect(forwarded(name, 'x', 'x-a', '1')).toEqual([['x-a', '1']])
  })

  test.each(['Host', 'X-Forwarded', 'XX-Forwarded-For', 'CFRay', 'X-CF-Ray', 'X-Hookline'])(
    'have %s',
    (name) => {
      expect(forwarded(name, 'x')).toEqual([[name.toLowerCase(), 'x']])
    },
  )

  test('are without those that the connection names', () => {
    const headers = ['Connection', 'close, X-One', 'x-a', '1', 'CONNECTION', ' X-Two ,']
    expect(forwarded(...headers, 'x-one', '2', 'X-TWO', '3')).toEqual([['x-a', '1']])
  })

  test('stay if another header than the connection names them', () => {
    expect(forwarded('x-a', 'x-b', 'x-b', '1')).toEqual([
      ['x-a', 'x-b'],
      ['x-b', '1'],
    ])
  })

  test('are 100 names at most, and further values of these', () => {
    const names = Array.from({ length: 101 }, (_, index) => `x-${index}`)
    const found = forwarded(...names.flatMap((name) => [name, '1']), 'x-99', '2', 'x-101', '3')
    expect(found.map(([name]) => name)).toEqual(names.slice(0, 100))
    expect(found.at(-1)).toEqual(['x-99', '1, 2'])
  })

  test('are UTF-8, or else Latin-1', () => {
    expect(forwarded('x-a', 'J\xc3\xbcrgen', 'x-b', 'J\xfcrgen')).toEqual([
      ['x-a', 'Jürgen'],
      ['x-b', 'Jürgen'],
    ])
  })
})

describe('the value of a header', () => {
  test('is the first one, by a name in any case', () => {
    const headers = ['x-ab', '0', 'X-A', 'J\xc3\xbc', 'x-a', '2', 'x-empty', '']
    expect(headerValue(headers, 'x-a')).toBe('Jü')
    expect(headerValue(headers, 'x-empty')).toBe('')
    expect(headerValue(headers, 'x-b')).toBeUndefined()
    expect(headerValue([], 'x-a')).toBeUndefined()
  })
})
