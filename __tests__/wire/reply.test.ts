import { describe, expect, test } from '@jest/globals'
import { cutReservedParameters } from '../../src/wire/path.ts'
import { fc } from '../support/properties.ts'

describe('the reserved parameters of a query', () => {
  test.each([
    ['__token=t', undefined, 't'],
    ['__token=t&a=1', 'a=1', 't'],
    ['a=1&__token=t', 'a=1', 't'],
    ['a=1&__token=t&b=2', 'a=1&b=2', 't'],
    ['__token=one&__token=two', undefined, 'one'],
    ['__token=&__token=two', undefined, ''],
    ['__token', undefined, ''],
    ['%5F_%74oken=t', undefined, 't'],
    ['__token=a+b%2Bc', undefined, 'a b+c'],
    ['__token=%zz', undefined, '%zz'],
    ['&&__token=t&', '&&', 't'],
  ])('%s leaves %s', (query, left, token) => {
    const cut = cutReservedParameters(query)
    expect(cut.query).toBe(left)
    expect(cut.reserved.get('__token')).toBe(token)
  })

  test.each(['', '&', 'a', '=', 'a=%zz&%', '_token=t', '__tokens=t', '__TOKEN=t', '?__token=t'])(
    '%s has none, and stays as it is',
    (query) => {
      expect(cutReservedParameters(query)).toEqual({ query, reserved: new Map() })
    },
  )

  test('no query has none', () => {
    expect(cutReservedParameters(undefined)).toEqual({ query: undefined, reserved: new Map() })
  })

  test('the rest is the original without the reserved parameters, byte for byte', () => {
    const piece = fc.string({ unit: fc.constantFrom(...'ab=%5F_+/?#;~é') })
    const reserved = fc.constantFrom('__token=x', '__response_body=%26', '%5f_response_code=200')
    const pieces = fc.array(fc.oneof(piece, reserved), { minLength: 1 })
    fc.assert(
      fc.property(pieces, (parts) => {
        const isReserved = (part: string) => /^(__|%5f_)(token|response)/.test(part)
        const others = parts.filter((part) => !isReserved(part))
        const { query } = cutReservedParameters(parts.join('&'))
        expect(query).toBe(others.length > 0 ? others.join('&') : undefined)
      }),
      { numRuns: 200 },
    )
  })
})
