import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { RULES } from '../../src/check/rules.ts'
import type { Finding } from '../../src/wire/errors.ts'
import { renderProblem } from '../../src/workflow/code-frame.ts'
import { caseFiles, type ExpectedFinding, expectedFindings } from '../support/case-files.ts'
import { Checked } from './support/checked.ts'

const casesIn = (folder: string) =>
  caseFiles(join(import.meta.dirname, folder)).map((file) => ({
    ...file,
    expected: expectedFindings(file),
  }))

// No rule of the level `warning` has a case: with --strict, each finding here is an error.
const CASES = casesIn('cases')

/** To record an intended change of the printed findings, run: npm run jest -- check/cases -u */
function expectFindings(findings: readonly Finding[], expected: readonly ExpectedFinding[]): void {
  expect(findings.map(({ level, code, position }) => [level, code, position?.line])).toEqual(
    expected.map(({ level, code, line }) => [level, code, line]),
  )
  for (const [at, { part }] of expected.entries()) {
    expect(`${findings[at]?.message}\n${findings[at]?.hint}`).toContain(part)
  }
  if (findings.length === 0) return
  expect(findings.map((one) => renderProblem(one, one.level)).join('\n')).toMatchSnapshot()
}

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
    expectFindings(await checked.findings(text), expected)
    expect(await checked.found(text, true)).toEqual(
      expected.map(({ code, line }) => `error ${code} ${line}`),
    )
  })
})

// Each file has many mistakes, of several rules and levels.
describe('check finds everything', () => {
  let others: Checked
  beforeEach(() => {
    others = new Checked()
  })
  afterEach(() => others.remove())

  test.each(casesIn('sources'))('in the source $path', async ({ text, expected }) => {
    expectFindings(await others.findingsInSource(text), expected)
  })

  test.each(casesIn('native'))("in GitHub's own workflow $path", async ({ text, expected }) => {
    expectFindings(await others.findings(text), expected)
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
