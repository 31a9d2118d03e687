import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { RULES } from '../../src/check/rules.ts'
import { renderProblem } from '../../src/workflow/code-frame.ts'
import { caseFiles, expectedFindings } from '../support/case-files.ts'
import { Checked } from './support/checked.ts'

// No rule of the level `warning` has a case: with --strict, each finding here is an error.
const CASES = caseFiles(join(import.meta.dirname, 'cases')).map((file) => ({
  ...file,
  expected: expectedFindings(file),
}))

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
      expected.map(({ level, code, line }) => [level, code, line]),
    )
    for (const [at, { part }] of expected.entries()) {
      expect(`${findings[at]?.message}\n${findings[at]?.hint}`).toContain(part)
    }
    if (findings.length > 0) {
      // To record an intended change, run: npm run jest -- check/cases -u
      expect(findings.map((one) => renderProblem(one, one.level)).join('\n')).toMatchSnapshot()
    }
    expect(await checked.found(text, true)).toEqual(
      expected.map(({ code, line }) => `error ${code} ${line}`),
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
  const found = new Set(CASES.flatMap(({ expected }) => expected.map(({ code }) => code)))
  const failing = RULES.filter(({ level }) => level !== 'warning')
  expect(failing.map(({ id }) => id).filter((id) => !found.has(id))).toEqual(OF_OTHER_TESTS)
})
