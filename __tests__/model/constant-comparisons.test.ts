import { expect, test } from '@jest/globals'
import { constantComparisons, possibleContexts } from '../../src/model/constant-comparisons.ts'

const CONTEXTS = possibleContexts({
  events: ['repository_dispatch', 'push'],
  needs: { on: ['triggered'], build: [] },
  steps: ['hookline', 'make'],
  actionSteps: ['hookline'],
  triggers: ['webhook'],
})

test.each([
  ["needs.on.result == 'succes'", "'succes'", false],
  ["needs.build.result != 'failed'", "'failed'", true],
  ["github.event_name == 'repository-dispatch'", "'repository-dispatch'", false],
  ["needs.on.outputs.triggered == 'yes'", "'yes'", false],
  ['steps.hookline.outputs.triggered == true', 'true', false],
  ["steps.make.outcome == 'failed' && always()", "'failed'", false],
  ["on.webhook.outcome == 'fired'", "'fired'", false],
  ["'done' == job.status", "'done'", false],
  ["!(needs.on.result == 'ok')", "'ok'", false],
])('%s is constant at %s', (text, literal, result) => {
  const found = constantComparisons(text, CONTEXTS)
  expect(found.map(({ start, end }) => text.slice(start, end))).toEqual([literal])
  expect(found[0]?.result).toBe(result)
})

test.each([
  "needs.on.result == 'SUCCESS'",
  "needs.on.result != 'success'",
  "needs.other.result == 'x'",
  "github.event_name == 'push'",
  "github.ref == 'refs/heads/none'",
  "needs.on.outputs.triggered == 'true'",
  "steps.make.outputs.x == 'y'",
  "needs.on.outputs.triggered == ''",
  'needs.on.result ==',
  "secrets.KEY == 'x'",
])('%s is not constant', (text) => {
  expect(constantComparisons(text, CONTEXTS)).toEqual([])
})
