import { describe, expect, test } from '@jest/globals'
import { warning } from '../../src/wire/messages.ts'
import { readBody } from '../../src/wire/read-body.ts'
import { FORMS } from './forms.ts'

const plain = (value: unknown) => JSON.parse(JSON.stringify(value))

describe('a multipart form', () => {
  test.each(FORMS.map((one) => [one.sender, one] as const))('%s', (_, one) => {
    const { body, faults } = readBody(one.body, { 'content-type': one.contentType })
    expect(plain(body)).toEqual(one.expected)
    const expected = (one.faults ?? []).map((text) => warning('body-multipart', text))
    expect(faults).toEqual(expected)
  })

  test('of 1,000 parts is read, and of 1,001 without the last one, with a fault', () => {
    const read = (count: number) => {
      const part = (index: number) =>
        `--B\r\ncontent-disposition: form-data; name="a${index}"\r\n\r\n${index}\r\n`
      const body = `${Array.from({ length: count }, (_, index) => part(index)).join('')}--B--`
      const type = { 'content-type': 'multipart/form-data; boundary=B' }
      return readBody(new TextEncoder().encode(body), type)
    }
    expect(Object.keys(read(1000).body ?? {})).toHaveLength(1000)
    expect(read(1000).faults).toEqual([])
    expect(Object.keys(read(1001).body ?? {})).toHaveLength(1000)
    expect(read(1001).faults).toEqual([
      warning(
        'body-multipart',
        'the multipart form has more than 1000 parts; the others are left out',
      ),
    ])
  })

  test.each([
    [16_384, { a: '1' }],
    [16_385, {}],
  ])('with headers of %i bytes before the last line end', (size, expected) => {
    const head = 'content-disposition: form-data; name=a\r\nx: '
    const body = `--B\r\n${head.padEnd(size - 3, 'x')}\r\n\r\n1\r\n--B--`
    const type = { 'content-type': 'multipart/form-data; boundary=B' }
    expect(plain(readBody(new TextEncoder().encode(body), type).body)).toEqual(expected)
  })

  test.each([
    ['a string', Buffer.from('no förm'), { body: 'no förm', binary: false }],
    ['base64', Buffer.of(0x80, 1, 2, 0xff), { body: 'gAEC/w==', binary: true }],
  ])('without parts stays %s, with a fault', (_, bytes, expected) => {
    const read = readBody(bytes, { 'content-type': 'multipart/form-data; boundary=B' })
    const text =
      'the body is not multipart/form-data, although its content type says so; it stays a string'
    const faults = [warning('body-multipart', text)]
    expect(read).toEqual({ ...expected, faults, digits: new Map() })
  })
})

describe('the time to read a body is linear', () => {
  const repeated = (text: string) => (size: number) =>
    new TextEncoder().encode(text.repeat(Math.ceil(size / text.length)))
  const boundary = 'a'.repeat(200)
  test.each<[string, string, (size: number) => Uint8Array]>([
    ['a boundary of equal characters', boundary, repeated('a')],
    ['lines that begin like the boundary', boundary, repeated(`--${'a'.repeat(199)}b\n`)],
    ['empty lines', 'B', repeated('\n')],
    ['delimiters', 'B', repeated('--B\n')],
    [
      'semicolons in a header',
      'B',
      (size) => repeated(`--B\n${'content-disposition:'.padEnd(16_000, ';')}\n\n\n`)(size),
    ],
    [
      'quotes in a header',
      'B',
      (size) =>
        repeated(`--B\n${'content-disposition: x; name='.padEnd(16_000, '" ')}\n\n\n`)(size),
    ],
    [
      'encoded words in a header',
      'B',
      (size) =>
        repeated(`--B\n${'content-disposition: x; name='.padEnd(16_000, '=?')}\n\n\n`)(size),
    ],
    [
      'signs of quoted-printable',
      'B',
      (size) =>
        repeated(
          `--B\ncontent-disposition: x; name=a\ncontent-transfer-encoding: quoted-printable\n\n${'= '.repeat(5000)}\n`,
        )(size),
    ],
  ])('%s', (_, name, make) => {
    const headers = { 'content-type': `multipart/form-data; boundary=${name}` }
    // Processor time in milliseconds, which other processes do not lengthen.
    const time = (size: number) => {
      const body = make(size)
      const started = process.cpuUsage()
      readBody(body, headers)
      return process.cpuUsage(started).user / 1000
    }
    time(100_000)
    // Quadratic work on 4 MB would take minutes.
    expect(time(4_000_000)).toBeLessThan(5_000)
  })

  test.each<[string, string, string]>([
    ['braces', 'application/json', '{'],
    ['blanks', 'application/json', ' '],
    ['NUL', 'application/json', '\0'],
    ['backslashes', 'application/json', '\\'],
    ['digits', 'application/json', '1'],
    ['numbers', 'application/json', '1.0e1,'],
    ['points', 'application/json', '1.'],
    ['percent signs', 'application/x-www-form-urlencoded', '%'],
    ['fields', 'application/x-www-form-urlencoded', '%ff&'],
    ['brackets in a form', 'application/x-www-form-urlencoded', '['],
    ['line feeds', 'application/x-ndjson', '\n'],
  ])('%s as %s', (_, type, text) => {
    const body = repeated(text)(500_000)
    const started = process.cpuUsage()
    readBody(body, { 'content-type': type })
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(10_000)
  })
})
