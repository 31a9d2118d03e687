import { type CheckOptions, checkWorkflows } from '../../src/cli/check.ts'
import { type Finding, ofLevel } from '../../src/wire/errors.ts'

/** What was found, with its errors and its warnings by themselves. */
export function byLevel<Of extends { readonly findings: readonly Finding[] }>(told: Of) {
  const { findings, ...others } = told
  return { ...others, errors: ofLevel(findings, 'error'), warnings: ofLevel(findings, 'warning') }
}

/** What `check` finds. */
export async function checkByLevel(options: CheckOptions) {
  return byLevel(await checkWorkflows(options))
}
