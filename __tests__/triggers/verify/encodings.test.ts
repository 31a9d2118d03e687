import { expect, test } from '@jest/globals'
import { ENCODINGS } from '../../../src/triggers/verify/algorithms.ts'
import { fc } from '../../support/properties.ts'

test('an encoded value is decoded again, padded or not', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1 }), (bytes) => {
      const buffer = Buffer.from(bytes)
      expect(ENCODINGS.hex(buffer.toString('hex'))).toEqual(bytes)
      expect(ENCODINGS.hex(buffer.toString('hex').toUpperCase())).toEqual(bytes)
      expect(ENCODINGS.base64(buffer.toString('base64'))).toEqual(bytes)
      expect(ENCODINGS.base64(buffer.toString('base64').replace(/=+$/, ''))).toEqual(bytes)
      expect(ENCODINGS.base64url(buffer.toString('base64url'))).toEqual(bytes)
    }),
  )
})

test.each([
  ['hex', 'abc'],
  ['hex', 'ag'],
  ['hex', 'aB'],
  ['hex', ''],
  ['hex', ' ab'],
  ['base64', 'QUI'.replace('I', 'J')],
  ['base64', 'QQ==='],
  ['base64', 'Q'],
  ['base64', 'Q Q='],
  ['base64', 'Q-8='],
  ['base64', 'é'],
  ['base64url', 'Q+8'],
  ['base64url', 'Q/8'],
] as const)('%s does not read %j', (encoding, text) => {
  expect(ENCODINGS[encoding](text)).toBeUndefined()
})
