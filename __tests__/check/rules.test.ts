import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { inEnv } from '../../src/check/rules/example-workflows.ts'
import { RULES } from '../../src/check/rules.ts'
import type { CheckOptions } from '../../src/cli/check.ts'
import { Repository } from '../compiler/support/repository.ts'
import { checkByLevel } from '../support/findings.ts'

let repository: Repository
beforeEach(() => {
  repository = new Repository()
  const verify = 'verify: {scheme: github, secret: "${{ secrets.SECRET }}"}'
  repository.write('triggers/hook.yml', `on: {webhook: {${verify}}}\n`)
})
afterEach(() => repository.remove())

const FILE = '.github/workflows/hook.yml'

/** The findings of `check` for one workflow in `.github/workflows/`: ids and lines. */
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

const GREET = inEnv('NAME: ${{ fromJSON(needs.on.outputs.body).hello }}')

describe('a workflow with the action', () => {
  test.each([false, true])('has no findings, strict: %s', async (strict) => {
    expect(await found(GREET, { strict })).toEqual({ errors: [], warnings: [] })
  })

  test.each([
    ['an undeclared job output', /\n {6}body: .*/, '', ['unknown-output']],
    ['no needs', '    needs: on\n', '', ['unknown-need', 'unknown-need']],
    ['an unknown job', 'fromJSON(needs.on.', 'fromJSON(needs.hook.', ['unknown-need']],
    ['a misspelled output', 'needs.on.outputs.body', 'needs.on.outputs.bdoy', ['unknown-output']],
    [
      'a misspelled output of the action',
      'hookline.outputs.body',
      'hookline.outputs.bdoy',
      ['unknown-output'],
    ],
    ['no id', '        id: hookline\n', '', ['unknown-step', 'unknown-step', 'unknown-step']],
    [
      'another id',
      'id: hookline\n',
      'id: hook\n',
      ['unknown-step', 'unknown-step', 'unknown-step'],
    ],
    ['a string compared with true', "== 'true'", '== true', ['string-as-boolean']],
    [
      'no fromJSON',
      'fromJSON(needs.on.outputs.body)',
      'needs.on.outputs.body',
      ['string-as-object'],
    ],
  ] as const)('with %s is reported', async (_, part, slip, ids) => {
    const text = GREET.replace(part, slip)
    expect(text).not.toBe(GREET)
    const { errors } = await found(text, { strict: true })
    expect(errors.map((one) => one.split(':')[0])).toEqual(ids)
  })
})

describe.each(RULES.map((rule) => [rule.id, rule] as const))('%s', (id, rule) => {
  test('is found in its example before the fix, as its level says', async () => {
    const { errors, warnings } = await found(rule.page.workflow(rule.page.before))
    const told = rule.level === 'error' ? errors : warnings
    expect(told.map((one) => one.split(':')[0])).toContain(id)
  })

  test('is an error under --strict where it says so', async () => {
    const { errors } = await found(rule.page.workflow(rule.page.before), {
      strict: true,
    })
    const ids = errors.map((one) => one.split(':')[0])
    expect(ids.includes(id)).toBe(rule.level !== 'warning')
  })

  test.each([false, true])(
    'finds nothing in its example after the fix, strict: %s',
    async (strict) => {
      const { errors, warnings } = await found(rule.page.workflow(rule.page.after), {
        strict,
      })
      expect([...errors, ...warnings]).toEqual([])
    },
  )
})

test('no two rules have one id, and each has the form of one', () => {
  const ids = RULES.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  expect(ids.filter((id) => !/^[a-z]+(?:-[a-z]+)*$/.test(id))).toEqual([])
})

describe('a comment silences', () => {
  const SLIP = GREET.replace('needs.on.outputs.body', 'needs.on.outputs.bdoy')
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
    const text = GREET.replace(/run: echo.*/, script)
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
    const text = GREET.replace(
      /run: echo.*/,
      'run: |\n          # hookline: ignore[script-injection]\n          echo "${{ fromJSON(needs.on.outputs.body).x }}"',
    )
    const { warnings } = await found(text)
    expect(warnings.map((one) => one.split(':')[0])).toEqual(['script-injection'])
  })
})
