import { describe, expect, test } from '@jest/globals'
import { UserError } from '../../src/wire/errors.ts'
import { fixUntrusted } from '../check/support/untrusted.ts'
import { fc } from '../support/properties.ts'
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

test('a damaged workflow is compiled alike twice, or refused as a mistake of the user: never an error of ours', async () => {
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
          expect(await compileText(damaged)).toEqual(await compileText(damaged))
        } catch (error) {
          if (!(error instanceof UserError)) throw error
          expect(error.problems.length).toBeGreaterThan(0)
        }
      },
    ),
    { numRuns: 25 },
  )
})

/** Milliseconds; linear time takes a hundredth of this. */
const FAR_TOO_LONG = 15_000

const MANY = 300_000

describe('the time for a text grows with its length alone:', () => {
  test.each([
    ['strings behind an expression', `\${{ on.webhook.outputs.a }} ${"''".repeat(30)}' x`],
    ['many strings', `\${{ on.webhook.outputs.a }} ${"'' ".repeat(MANY / 3)} x`],
    ['spaces', `\${{ on.webhook.outputs.a }}${' '.repeat(MANY)}x`],
    ['empty lines', `\${{ on.webhook.outputs.a }}${'\n '.repeat(MANY / 2)}x`],
    ['texts in double quotes', `on.webhook.outputs.a == ${'"a"'.repeat(MANY / 3)}`],
  ])('%s', async (_, condition) => {
    const job = `a:\n    if: ${JSON.stringify(condition)}\n    runs-on: x\n    steps: [{run: x}]`
    const text = `on: webhook\njobs:\n  ${job}\n`
    const began = performance.now()
    const outcome = await compileText(text).catch((error: unknown) => error)
    if (outcome instanceof Error) expect(outcome).toBeInstanceOf(UserError)
    expect(performance.now() - began).toBeLessThan(FAR_TOO_LONG)
  })
})
