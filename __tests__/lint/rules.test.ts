import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { CheckOptions } from '../../src/cli/check.ts'
import { RULES } from '../../src/lint/rules.ts'
import { Repository } from '../compiler/support/repository.ts'
import { checkByLevel } from '../support/findings.ts'

let repository: Repository
beforeEach(() => {
  repository = new Repository()
})
afterEach(() => repository.remove())

const FILE = '.github/workflows/hook.yml'

/** What `check` says of one workflow in `.github/workflows/`: the ids, and at which lines. */
async function found(text: string, options: Partial<CheckOptions> = {}) {
  repository.write(FILE, text)
  const { errors, warnings } = await checkByLevel({
    root: repository.root,
    globs: [],
    ...options,
  })
  return { errors: errors.map(idAndLine), warnings: warnings.map(idAndLine) }
}

function idAndLine({
  code,
  position,
}: {
  readonly code: string
  readonly position?: { readonly line: number }
}) {
  return `${code}:${position?.line}`
}

const README =
  /```yaml\n# \.github\/workflows\/hook\.yml\n([\s\S]*?)```/
    .exec(readFileSync(new URL('../../README.md', import.meta.url), 'utf8'))?.[1]
    ?.replace(/@1{40}/, '@v1') ?? ''

describe('the workflow of README', () => {
  test.each([false, true])('is clean, strict: %s', async (strict) => {
    expect(README).toContain('needs.on.outputs.triggered')
    expect(await found(README, { strict })).toEqual({ errors: [], warnings: [] })
  })

  test.each([
    ['a job output that is not declared', /\n {6}body: .*/, '', ['unknown-output']],
    ['needs forgotten', '    needs: on\n', '', ['unknown-need', 'unknown-need']],
    ['a job that is not there', 'fromJSON(needs.on.', 'fromJSON(needs.hook.', ['unknown-need']],
    ['an output misspelled', 'needs.on.outputs.body', 'needs.on.outputs.bdoy', ['unknown-output']],
    [
      'an output of the action misspelled',
      'hookline.outputs.body',
      'hookline.outputs.bdoy',
      ['unknown-output'],
    ],
    ['the id removed', '        id: hookline\n', '', ['unknown-step', 'unknown-step']],
    ['another id', 'id: hookline\n', 'id: hook\n', ['unknown-step', 'unknown-step']],
    ['a text compared with true', "== 'true'", '== true', ['string-as-boolean']],
    [
      'fromJSON left out',
      'fromJSON(needs.on.outputs.body)',
      'needs.on.outputs.body',
      ['string-as-object'],
    ],
    ['uses without a ref', 'hookline/hookline@v1', 'hookline/hookline', ['uses-without-ref']],
  ] as const)('with %s is told', async (_, part, slip, ids) => {
    const text = README.replace(part, slip)
    expect(text).not.toBe(README)
    for (const strict of [false, true]) {
      const { errors } = await found(text, { strict })
      expect(errors.map((one) => one.split(':')[0])).toEqual(ids)
    }
  })
})

describe.each(RULES.map((rule) => [rule.id, rule] as const))('%s', (id, rule) => {
  test('is found in its red example, as its level says', async () => {
    const { errors, warnings } = await found(rule.around(rule.red), { all: true })
    const told = rule.level === 'error' ? errors : warnings
    expect(told.map((one) => one.split(':')[0])).toContain(id)
  })

  test('is an error under --strict where it says so', async () => {
    const { errors } = await found(rule.around(rule.red), { strict: true, all: true })
    const ids = errors.map((one) => one.split(':')[0])
    expect(ids.includes(id)).toBe(rule.isStrict || rule.level === 'error')
  })

  test.each([false, true])('leaves its green example alone, strict: %s', async (strict) => {
    const { errors, warnings } = await found(rule.around(rule.green), { strict, all: true })
    expect([...errors, ...warnings]).toEqual([])
  })
})

test('no two rules have one id, and each has the form of one', () => {
  const ids = RULES.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.filter((id) => !/^[a-z]+(?:-[a-z]+)*$/.test(id))).toEqual([])
})

describe('a comment silences', () => {
  const SLIP = README.replace('needs.on.outputs.body', 'needs.on.outputs.bdoy')
  const LINE = /( +)(NAME: .*)/

  test.each([
    ['on the line', SLIP.replace(LINE, '$1$2 # hookline: ignore[unknown-output] it will be there')],
    ['on the line above', SLIP.replace(LINE, '$1# hookline: ignore[unknown-output]\n$1$2')],
    [
      'among others',
      SLIP.replace(LINE, '$1$2 # zizmor: ignore[x] # hookline: ignore[unknown-output]'),
    ],
  ])('%s', async (_, text) => {
    expect(await found(text)).toEqual({ errors: [], warnings: [] })
  })

  test('a script from its first line', async () => {
    const script =
      'run: | # hookline: ignore[script-injection]\n          echo\n          echo "${{ fromJSON(needs.on.outputs.body).x }}"'
    const text = README.replace(/run: echo.*/, script)
    expect(await found(text, { strict: true })).toEqual({ errors: [], warnings: [] })
  })

  test.each([
    ['another id', 'ignore[unknown-step]', ['unknown-output', 'unused-ignore']],
    ['an unknown id', 'ignore[unknown-outputs]', ['unknown-output', 'unused-ignore']],
  ])('nothing by %s, and is told itself', async (_, ignore, ids) => {
    const { errors, warnings } = await found(SLIP.replace(LINE, `$1$2 # hookline: ${ignore}`))
    expect([...errors, ...warnings].map((one) => one.split(':')[0])).toEqual(ids)
  })

  test('nothing within a script', async () => {
    const text = README.replace(
      /run: echo.*/,
      'run: |\n          # hookline: ignore[script-injection]\n          echo "${{ fromJSON(needs.on.outputs.body).x }}"',
    )
    const { warnings } = await found(text)
    expect(warnings.map((one) => one.split(':')[0])).toEqual(['script-injection'])
  })
})
