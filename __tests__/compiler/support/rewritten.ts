import { expect } from '@jest/globals'
import { applyEdits } from '../../../src/compiler/edits.ts'
import { rewriteExpressions } from '../../../src/compiler/rewrite.ts'
import { sourceFile, withStep } from './compiled.ts'

/** An expression after the rewriting of a file that holds it. */
export function rewritten(expression: string): string {
  const text = withStep(`      - run: x\n        if: ${JSON.stringify(`\${{${expression}}}`)}`)
  const file = sourceFile(text)
  const { edits, problems } = rewriteExpressions(file)
  expect(problems).toEqual([])
  const value: string = JSON.parse(/if: (".*")/.exec(applyEdits(text, edits))?.[1] ?? '""')
  return value.slice(`\${{`.length, -'}}'.length)
}
