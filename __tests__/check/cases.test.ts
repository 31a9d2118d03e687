import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { RULES } from '../../src/check/rules.ts'
import { Checked } from './support/checked.ts'

// Each file of `cases/` is a workflow. Its first lines are its findings, `# <level> <rule> <line>` and
// perhaps ` = <a part of the hint>`, or `# correct`. With --strict, each finding is an error.

const FOLDER = join(import.meta.dirname, 'cases')

interface ExpectedFinding {
  readonly level: string
  readonly rule: string
  readonly line: number
  readonly hint: string
}

function expectedIn(text: string): ExpectedFinding[] {
  const head = text.split('\n').slice(
    0,
    text.split('\n').findIndex((line) => line[0] !== '#'),
  )
  if (head.join() === '# correct') return []
  if (head.length === 0) throw new Error('the first line must be a finding, or "# correct"')
  return head.map((line) => {
    const [, level = '', rule = '', at, hint = ''] =
      /^# (\S+) (\S+) (\d+)(?: = (.+))?$/.exec(line) ?? []
    if (at === undefined) throw new Error(`not a finding: ${line}`)
    return { level, rule, line: Number(at), hint }
  })
}

const CASES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.yml'))
  .sort()
  .map((path) => {
    const text = readFileSync(join(FOLDER, path), 'utf8')
    return { path, text, expected: expectedIn(text) }
  })

let checked: Checked
beforeAll(() => {
  checked = new Checked()
  checked.write(
    'triggers/hook.yml',
    'on: {webhook: {verify: {scheme: github, secret: "${{ secrets.SECRET }}"}}}\n',
  )
})
afterAll(() => checked.remove())

describe('check finds in', () => {
  test.each(CASES)('$path', async ({ text, expected }) => {
    const findings = await checked.findings(text)
    expect(findings.map(({ level, code, position }) => [level, code, position?.line])).toEqual(
      expected.map(({ level, rule, line }) => [level, rule, line]),
    )
    for (const [at, { hint }] of expected.entries())
      expect(findings[at]?.hint ?? '').toContain(hint)
    expect(await checked.found(text, true)).toEqual(
      expected.map(({ rule, line }) => `error ${rule} ${line}`),
    )
  })
})

/** webhook-rules.test.ts tests their mistakes. */
const OF_OTHER_TESTS = [
  'repeated-path-prefix',
  'header-name',
  'unverified-allowlist',
  'impossible-reply',
]

test('every rule that fails the check has a case', () => {
  const found = new Set(CASES.flatMap(({ expected }) => expected.map(({ rule }) => rule)))
  const failing = RULES.filter(({ level }) => level !== 'warning')
  expect(failing.map(({ id }) => id).filter((id) => !found.has(id))).toEqual(OF_OTHER_TESTS)
})
