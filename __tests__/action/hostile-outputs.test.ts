import { readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as core from '@actions/core'
import { describe, expect, test } from '@jest/globals'
import { writtenOutputs } from '../../src/action/outputs.ts'
import type { Item } from '../../src/triggers/trigger.ts'
import { evaluationOf } from '../support/evaluations.ts'
import { readOutputFile } from '../support/output-file.ts'
import { fc } from '../support/properties.ts'
import { fire, itemOf } from './step.ts'

describe('outputs survive any text', () => {
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

  test('any text in any field, 1,000 times, as main hands it to the runner', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'hookline-outputs-'))
    const file = join(folder, 'output')
    const before = process.env.GITHUB_OUTPUT
    process.env.GITHUB_OUTPUT = file
    const name = fc.constantFrom('body', 'text', 'items', 'on', 'count', 'triggered', 'query')
    const value = fc.oneof(text, fc.jsonValue({ maxDepth: 2 }), fc.constant(null))
    // the library types the value as unknown
    const item = fc.dictionary(name, value) as fc.Arbitrary<Item>
    const property = fc.property(item, (fields) => {
      const fired = { outcome: 'success', conclusion: 'success', outputs: fields } as const
      const passedOn = { items: [fields], contexts: [{ t: fired }], fields: Object.keys(fields) }
      const outputs = writtenOutputs(evaluationOf(passedOn))
      writeFileSync(file, '')
      for (const [output, written] of outputs) core.setOutput(output, written)
      const read = readOutputFile(readFileSync(file, 'utf8'))
      expect({ ...read }).toEqual(Object.fromEntries(outputs))
      expect(JSON.parse(read.items ?? '')).toEqual(JSON.parse(JSON.stringify([{ t: fired }])))
      expect([read.count, read.triggered]).toEqual(['1', 'true'])
      if (typeof fields.text === 'string') expect(read.text).toBe(fields.text)
    })
    fc.assert(property, { numRuns: 1000 })
    if (before === undefined) delete process.env.GITHUB_OUTPUT
    else process.env.GITHUB_OUTPUT = before
    await rm(folder, { recursive: true })
  })

  test('the parser of these tests refuses', () => {
    expect(() => readOutputFile('a<<EOF\nx\n')).toThrow('Matching delimiter not found')
    expect(() => readOutputFile('text')).toThrow('Invalid format')
    expect(() => readOutputFile('a<<E\n1\nE\nE\n')).toThrow('Invalid format')
  })
})
