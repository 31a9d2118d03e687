import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { findUntrusted } from '../../src/compiler/untrusted/findings.ts'
import { fixUntrusted } from '../../src/compiler/untrusted/fix.ts'
import { UserError } from '../../src/wire/errors.ts'
import { scaled } from '../support/effort.ts'
import { compileText, sourceFile, WORKFLOWS } from './support/compiled.ts'

const sources = fc.constantFrom(...WORKFLOWS.map(([, text]) => text))

const pieces = fc.constantFrom(
  ...[
    '${{',
    '}}',
    "'",
    '"',
    'on',
    '.',
    '[',
    ']',
    '&a ',
    '*a',
    ':',
    '\n',
    '  ',
    '- ',
    '|',
    '>',
    '#',
    '!!x ',
    '\u0000',
    '🎉',
    `\${{ }}`,
    'on:',
    '{',
    '}',
    '\t',
  ],
)

test('R43: a damaged workflow is compiled alike twice, or refused as a mistake of the user: never an error of ours', async () => {
  await fc.assert(
    fc.asyncProperty(
      sources,
      fc.nat(),
      fc.nat({ max: 12 }),
      pieces,
      async (text, seed, cut, piece) => {
        const at = seed % text.length
        const damaged = text.slice(0, at) + piece + text.slice(at + cut)
        try {
          const file = sourceFile(damaged)
          fixUntrusted(file)
          findUntrusted(file)
          expect(await compileText(damaged)).toEqual(await compileText(damaged))
        } catch (error) {
          if (!(error instanceof UserError)) throw error
          expect(error.problems.length).toBeGreaterThan(0)
        }
      },
    ),
    { numRuns: scaled(1500, 60) },
  )
})
