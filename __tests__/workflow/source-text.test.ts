import { expect, test } from '@jest/globals'
import { UserError } from '../../src/wire/errors.ts'
import { sourceOf } from '../../src/workflow/source-text.ts'
import { parseYaml } from '../../src/workflow/yaml.ts'
import { fc } from '../support/properties.ts'

function told(bytes: Uint8Array) {
  const { text, misread } = sourceOf('a.yml', bytes)
  if (!misread) return text
  expect(() => parseYaml({ name: 'a.yml', file: 'a.yml', text, misread })).toThrow(UserError)
  return misread.map(({ message, position, hint }) => {
    const { line, column, source } = position ?? {}
    return [`${line}:${column}`, source?.text.split('\n')[(line ?? 1) - 1], message, hint]
  })
}

const latin1 = (text: string) => Uint8Array.from(text, (one) => one.charCodeAt(0))
const NARROW = 'a byte that is no UTF-8, which GitHub reads'
const WIDE = 'this file is written in UTF-16, and GitHub reads UTF-8'
const swapped = (text: string) => Buffer.from(text, 'utf16le').swap16()
const save = (meant: string) => `is this "${meant}" in Latin-1? Save the file as UTF-8`

test.each<[string, Uint8Array, unknown]>([
  ['plain', latin1('on: webhook\n'), 'on: webhook\n'],
  ['UTF-8', Buffer.from('a: "grüße 🎉"\n'), 'a: "grüße 🎉"\n'],
  ['a byte order mark', Buffer.from('\ufeffa: 1\n'), 'a: 1\n'],
  [
    'the line breaks of Windows and of old Macs',
    Buffer.from('a: 1\r\nb: 2\rc: 3\n'),
    'a: 1\nb: 2\nc: 3\n',
  ],
  ['U+FFFD itself', Buffer.from('a: \ufffd\n'), 'a: \ufffd\n'],
  ['nothing', Buffer.alloc(0), ''],
  ['one letter', Buffer.from('a'), 'a'],
  [
    'Latin-1',
    latin1('a: 1\n# gr\u00fc\u00dfe\nb: "caf\u00e9"\n'),
    [
      ['2:5', '# gr\ufffd\ufffde', NARROW, save('ü')],
      ['3:8', 'b: "caf\ufffd"', NARROW, save('é')],
    ],
  ],
  [
    'Latin-1 with the line breaks of Windows',
    latin1('a: 1\r\n\r\n  b: \u00e4\r\n'),
    [['3:6', '  b: \ufffd', NARROW, save('ä')]],
  ],
  [
    'a byte of Latin-1 behind letters of UTF-8, and U+FFFD itself',
    Buffer.concat([Buffer.from('a: ü🎉\ufffd'), latin1('\u00f6')]),
    [['1:8', 'a: ü🎉\ufffd\ufffd', NARROW, save('ö')]],
  ],
  [
    'a byte of Latin-1 behind the first and last letters of each length in UTF-8',
    Buffer.concat([
      Buffer.from('\x7f\u0080\u07ff\u0800\ufffe\u{10000}\u{10ffff}'),
      latin1('\u00e9'),
    ]),
    [['1:10', '\x7f\u0080\u07ff\u0800\ufffe\u{10000}\u{10ffff}\ufffd', NARROW, save('é')]],
  ],
  [
    'the beginning of a letter',
    Buffer.from('a: ü').subarray(0, 4),
    [['1:4', 'a: \ufffd', NARROW, save('Ã')]],
  ],
  [
    'UTF-16, little end first',
    Buffer.from('\ufeffon: x\r\nb: 1\r\n', 'utf16le'),
    [['1:1', 'on: x', WIDE, 'save it as UTF-8']],
  ],
  ['UTF-16, big end first', swapped('\ufeffon: x\n'), [['1:1', 'on: x', WIDE, 'save it as UTF-8']]],
  [
    'UTF-16 without its mark',
    Buffer.from('on: x\n', 'utf16le'),
    [['1:1', 'on: x', WIDE, 'save it as UTF-8']],
  ],
  ['the same, big end first', swapped('on: x\n'), [['1:1', 'on: x', WIDE, 'save it as UTF-8']]],
])('%s', (_, bytes, expected) => {
  expect(told(bytes)).toEqual(expected)
})

test('any text in UTF-8 keeps its lines, and any other bytes are told at a place of theirs', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.uint8Array({ minLength: 5 }), (text, bytes) => {
      const lines = text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)
      if (!text.includes('\0')) expect(told(Buffer.from(text))).toBe(lines.join('\n'))
      const found = told(bytes)
      if (typeof found === 'string') return
      for (const [place = '', line = ''] of found) {
        expect(Number(place.split(':')[1])).toBeLessThanOrEqual(line.length + 1)
      }
    }),
    { numRuns: 2_000 },
  )
})
