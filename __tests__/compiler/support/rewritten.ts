import { expect } from '@jest/globals'
import {
  expressionProblems,
  IN_JOBS_FILE,
  type RewriteTarget,
  referenceOperations,
} from '../../../src/compiler/rewrite.ts'
import { patch } from '../../../src/workflow/patch.ts'
import { applyEdits } from '../../../src/workflow/spans.ts'
import { sourceFile, withStep } from './compiled.ts'

/** An expression after the rewriting of a file that holds it. */
export function rewritten(expression: string, target: RewriteTarget = IN_JOBS_FILE): string {
  const text = withStep(`      - run: x\n        if: ${JSON.stringify(`\${{${expression}}}`)}`)
  const file = sourceFile(text)
  const expressions = file.expressions.filter(({ path }) => path[0] !== 'on')
  expect(expressionProblems(file, expressions, target.places)).toEqual([])
  const edits = patch(
    file.lines,
    referenceOperations(expressions, () => target),
  )
  const value: string = JSON.parse(/if: (".*")/.exec(applyEdits(text, edits))?.[1] ?? '""')
  return value.slice(`\${{`.length, -'}}'.length)
}
