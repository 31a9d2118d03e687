import { expect, test } from '@jest/globals'
import { decimalDigits, isPrintedExactly, runnerNumber } from '../../src/wire/runner-number.ts'
import { fc } from '../support/properties.ts'

/** Numbers as a runner prints them ("G15" of .NET), and their digits without an exponent. */
test.each<[number, string, string]>([
  [0, '0', '0'],
  [25, '25', '25'],
  [-1.5, '-1.5', '-1.5'],
  [0.1, '0.1', '0.1'],
  [0.1 + 0.2, '0.3', '0.30000000000000004'],
  [0.0001, '0.0001', '0.0001'],
  [0.00001, '1E-05', '0.00001'],
  [-0.000012, '-1.2E-05', '-0.000012'],
  [1e-7, '1E-07', '0.0000001'],
  [1.5e-10, '1.5E-10', '0.00000000015'],
  [999999999999999, '999999999999999', '999999999999999'],
  [1e15, '1E+15', '1000000000000000'],
  [1234567890123456, '1.23456789012346E+15', '1234567890123456'],
  [1234567890123.4568, '1234567890123.46', '1234567890123.4568'],
  [1e21, '1E+21', '1000000000000000000000'],
  [1.5e300, '1.5E+300', '1.5e+300'],
  [5e-324, '4.94065645841247E-324', '5e-324'],
])('%d is printed as %s and has the digits %s', (value, printed, digits) => {
  expect(runnerNumber(value)).toBe(printed)
  expect(decimalDigits(value)).toBe(digits)
  expect(isPrintedExactly(value)).toBe(printed === digits)
})

test('the digits of a number have its value', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(Number(decimalDigits(value))).toBe(Number(String(value)))
    }),
    { numRuns: 500 },
  )
})
