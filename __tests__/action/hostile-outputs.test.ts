import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { readOutputFile } from '../support/output-file.ts'
import { fire, itemOf } from './step.ts'

describe('R40: outputs survive any text', () => {
  const looks = [
    'EOF',
    'ghadelimiter_',
    'ghadelimiter_00000000-0000-4000-8000-000000000000',
    '<<',
    '=',
    '\n',
    '\r',
    '\0',
    '\u2028',
    '%0A',
    'items',
    ' ',
  ]
  const text = fc
    .array(fc.oneof(fc.constantFrom(...looks), fc.string({ unit: 'grapheme' })))
    .map((parts) => parts.join(''))

  test.each([
    'body<<EOF\nEOF\ntriggered=false\n',
    'a\nghadelimiter_x\nitems<<ghadelimiter_x\n[]\nghadelimiter_x',
    '\0\r\n\u2028\u2029\u0085\uFEFF😀',
    '\n\n=\n<<\n',
  ])('%j', async (body) => {
    const run = await fire('webhook', { headers: { 'content-type': 'text/plain' }, body })
    expect(run.outputs).toMatchObject({ triggered: 'true', body })
    expect(itemOf(run).body).toBe(body)
  })

  test('random texts: read back as the runner reads them', async () => {
    for (const body of fc.sample(text, 8)) {
      const run = await fire('webhook', {
        headers: { 'content-type': 'text/x', 'x-t': body },
        body: `t${body}`,
      })
      expect(run.outputs.body).toBe(`t${body}`)
      expect(itemOf(run).headers['x-t']).toBe(body)
    }
  })

  test('what the reader of these tests refuses', () => {
    expect(() => readOutputFile('a<<EOF\nx\n')).toThrow('Matching delimiter not found')
    expect(() => readOutputFile('text')).toThrow('Invalid format')
    expect(() => readOutputFile('a<<E\n1\nE\nE\n')).toThrow('Invalid format')
  })
})
