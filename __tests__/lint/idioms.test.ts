import { beforeAll, describe, expect, test } from '@jest/globals'
import { sourceFile } from '../compiler/support/compiled.ts'
import { HOSTILE } from '../compiler/support/hostile.ts'
import { AROUND, DANGEROUS, INNER, MENDED, READING } from '../compiler/support/idioms.ts'
import { executedSteps } from '../compiler/support/steps.ts'
import { fc } from '../support/properties.ts'
import { findUntrusted, fixUntrusted } from './support/untrusted.ts'

/** Strings that only have an effect in a file of the runner, or as an option. */
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

/** Each script gets one half of the hostile texts, and the next script gets the other half. */
const PARTS = [0, 1]

function workflow(scripts: readonly string[]): string {
  const steps = scripts.map(
    (script, at) =>
      `      - ${at === 0 ? 'id: s\n        ' : ''}run: |\n${script.replaceAll(/^/gm, '          ')}`,
  )
  return `on: webhook\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n${steps.join('\n')}\n`
}

/** The workflow after the fix, and the number of fixed findings. */
function fixed(scripts: readonly string[]) {
  const { text, count } = fixUntrusted(sourceFile(workflow(scripts)))
  return { workflow: text, count }
}

function findings(text: string): number[] {
  return findUntrusted(sourceFile(text)).map(({ problem }) => problem.position?.line ?? 0)
}

describe('of an idiom that runs the text, the finding stands after --fix:', () => {
  test.each(DANGEROUS)('%s', (_, ...scripts) => {
    const { text } = fixUntrusted(sourceFile(workflow(scripts)))
    expect(findings(text)).not.toEqual([])
  })
})

describe('after --fix and with the step behind it, nothing is executed:', () => {
  const rows = ['bash', 'sh'].flatMap((shell) =>
    MENDED.filter((_, at) => shell === 'bash' || at % 4 === 0).map(([name, ...scripts]) => ({
      name,
      shell,
      ...fixed(scripts),
    })),
  )
  let executed: string[][]
  beforeAll(() => {
    executed = rows.map(() => [])
    for (const part of PARTS) {
      const own = [...rows.keys()].filter((number) => number % PARTS.length === part)
      const texts = TEXTS.filter((_, at) => at % PARTS.length === part)
      const found = executedSteps(
        own.flatMap((number) => rows[number] ?? []),
        texts,
      )
      for (const [at, number] of own.entries()) executed[number] = found[at] ?? ['not run']
    }
  })

  test.each(rows.map((row, number) => ({ ...row, number })))('$name, run by $shell', (row) => {
    expect(row.count).toBeGreaterThan(0)
    expect(findings(row.workflow)).toEqual([])
    expect(executed[row.number]).toEqual([])
  })
})

test('so it is for scripts that are put together at random', () => {
  const script = fc
    .tuple(fc.constantFrom(...INNER), fc.array(fc.constantFrom(...AROUND), { maxLength: 3 }))
    .map(([inner, around]) => around.reduce((text, one) => one.replaceAll('@', () => text), inner))
  const job = fc.record({ script, shell: fc.constantFrom('bash', 'sh') })
  fc.assert(
    fc.property(fc.array(job, { minLength: 1, maxLength: 4, size: 'max' }), (jobs) => {
      const mended = jobs
        .map((one) => ({ ...one, ...fixed([one.script, READING.output]) }))
        .filter(({ workflow }) => findings(workflow).length === 0)
      expect(executedSteps(mended, TEXTS).flat()).toEqual([])
    }),
    { numRuns: 1 },
  )
})

test('the steps run: what they write is read by the next', () => {
  const scripts = [
    'echo "v=$(echo 1)" >> $GITHUB_OUTPUT\necho BASH_ENV=./evil.sh >> $GITHUB_ENV',
    'true',
  ]
  const reading = ['echo "v=touch pwned" >> $GITHUB_OUTPUT', `\${{ steps.s.outputs.v }}`]
  const jobs = [
    { shell: 'bash', workflow: workflow(scripts) },
    { shell: 'sh', workflow: workflow(reading) },
    { shell: 'sh', workflow: workflow(['true']) },
  ]
  expect(executedSteps(jobs, ['a'])).toEqual([['a'], ['a'], []])
})
