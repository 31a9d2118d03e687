import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { findUntrusted } from '../../src/compiler/untrusted/findings.ts'
import { fixUntrusted } from '../../src/compiler/untrusted/fix.ts'
import { scaled } from '../support/effort.ts'
import { sourceFile } from './support/compiled.ts'
import { HOSTILE } from './support/hostile.ts'
import { AROUND, DANGEROUS, INNER, MENDED, READING } from './support/idioms.ts'
import { executedSteps } from './support/steps.ts'

/** Texts that only do something in a file of the runner, or as an option. */
const TEXTS = [
  ...HOSTILE,
  'a\nBASH_ENV=./evil.sh',
  'a\nENV=./evil.sh\nBASH_ENV=./evil.sh',
  'a\nE\nv=$(touch pwned)',
  '-va[$(touch pwned)]',
  '-e touch pwned',
  '=touch pwned',
  'touch pwned',
]

function workflow(scripts: readonly string[]): string {
  const steps = scripts.map(
    (script, at) =>
      `      - ${at === 0 ? 'id: s\n        ' : ''}run: |\n${script.replaceAll(/^/gm, '          ')}`,
  )
  return `on: webhook\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n${steps.join('\n')}\n`
}

function findings(text: string): number[] {
  return findUntrusted(sourceFile(text)).map(({ problem }) => problem.position?.line ?? 0)
}

describe('R44: of an idiom that runs the text, the finding stands after --fix:', () => {
  test.each(DANGEROUS)('%s', (_, ...scripts) => {
    const { text } = fixUntrusted(sourceFile(workflow(scripts)))
    expect(findings(text)).not.toEqual([])
  })
})

describe.each(['bash', 'sh'])(
  'R44: run by %s, after --fix and with the step behind it, nothing is executed:',
  (shell) => {
    test.each(MENDED)('%s', (_, ...scripts) => {
      const { text, count } = fixUntrusted(sourceFile(workflow(scripts)))
      expect(count).toBeGreaterThan(0)
      expect(findings(text)).toEqual([])
      expect(executedSteps(shell, text, TEXTS)).toEqual([])
    })
  },
)

test('R44: so it is for scripts that are put together at random', () => {
  const script = fc
    .tuple(fc.constantFrom(...INNER), fc.array(fc.constantFrom(...AROUND), { maxLength: 3 }))
    .map(([inner, around]) => around.reduce((text, one) => one.replaceAll('@', () => text), inner))
  fc.assert(
    fc.property(script, fc.constantFrom('bash', 'sh'), (one, shell) => {
      const text = workflow([one, READING.output])
      const fixed = fixUntrusted(sourceFile(text)).text
      if (findings(fixed).length > 0) return
      expect(executedSteps(shell, fixed, TEXTS)).toEqual([])
    }),
    { numRuns: scaled(200, 8) },
  )
})

test('R44: the steps run: what they write is read by the next', () => {
  const scripts = [
    'echo "v=$(echo 1)" >> $GITHUB_OUTPUT\necho BASH_ENV=./evil.sh >> $GITHUB_ENV',
    'true',
  ]
  expect(executedSteps('bash', workflow(scripts), ['a'])).toEqual(['a'])
  const reading = ['echo "v=touch pwned" >> $GITHUB_OUTPUT', `\${{ steps.s.outputs.v }}`]
  expect(executedSteps('sh', workflow(reading), ['a'])).toEqual(['a'])
})
