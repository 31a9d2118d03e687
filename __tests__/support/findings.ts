import { expect } from '@jest/globals'
import { RULES } from '../../src/check/rules.ts'
import { type CheckOptions, checkWorkflows } from '../../src/cli/check.ts'
import { type Finding, ofLevel } from '../../src/wire/errors.ts'
import { MISTAKES } from '../../src/workflow/mistakes.ts'

const KNOWN: ReadonlySet<string> = new Set([
  ...RULES.map(({ id }) => id),
  ...Object.keys(MISTAKES),
  'unused-ignore',
])

/** The findings, split into errors and warnings. */
export function byLevel<Of extends { readonly findings: readonly Finding[] }>(told: Of) {
  const { findings, ...others } = told
  // Every mistake has its own code.
  expect(findings.filter(({ code }) => !KNOWN.has(code) || code === 'invalid-workflow')).toEqual([])
  return { ...others, errors: ofLevel(findings, 'error'), warnings: ofLevel(findings, 'warning') }
}

/** The findings of `check`. */
export async function checkByLevel(options: CheckOptions) {
  return byLevel(await checkWorkflows(options))
}
