import { NoOperationTraceWriter, parseWorkflow } from '@actions/workflow-parser'
import { getWorkflowSchema } from '@actions/workflow-parser/workflows/workflow-schema'
import { expect, test } from '@jest/globals'
import { TRIGGERS } from '../../src/triggers/index.ts'
import { NATIVE_EVENTS } from '../../src/wire/events.ts'

/** The errors of GitHub's own parser for a workflow with one event. */
function errors(event: string): string[] {
  const content = `on: {${event}: ${event === 'schedule' ? '[{cron: "0 0 * * *"}]' : ''}}\njobs: {a: {runs-on: x, steps: [{run: x}]}}`
  const { context } = parseWorkflow({ name: 'a.yml', content }, new NoOperationTraceWriter())
  return context.errors.getErrors().map(({ message }) => message)
}

test('the events are those that GitHub’s own schema lists under on:', () => {
  const definition = getWorkflowSchema().definitions['on-mapping-strict']
  // a mapping, by its name
  const properties = (definition as unknown as { properties: object }).properties
  const names = properties instanceof Map ? [...properties.keys()] : Object.keys(properties)
  expect([...NATIVE_EVENTS].sort()).toEqual(names.sort())
})

test('GitHub’s own parser takes each of them, and none of our triggers', () => {
  for (const event of NATIVE_EVENTS) {
    expect({ event, errors: errors(event) }).toEqual({ event, errors: [] })
  }
  for (const trigger of TRIGGERS.keys()) expect(errors(trigger)).not.toEqual([])
})
