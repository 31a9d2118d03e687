import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { explainWorkflow, type JobExplanation, type ModelEvent } from '../../src/model/explain.ts'
import { readWorkflowJobs } from '../../src/model/workflow-jobs.ts'
import type { JsonObject } from '../../src/wire/json.ts'

/** A workflow, an event, and everything that is known of its jobs; `facts` is absent if there are none. */
interface Case extends Partial<Pick<ModelEvent, 'github' | 'inputs' | 'unfired'>> {
  readonly name: string
  readonly workflow: string
  readonly jobs: readonly (Omit<JobExplanation, 'facts'> & Partial<JobExplanation>)[]
}

const CASES: readonly Case[] = parse(
  readFileSync(new URL('explained.yml', import.meta.url), 'utf8'),
)

const OUTPUTS = { title: 'a b', list: [1, 2], none: [], action: 'opened' }
const ON = { webhook: { outcome: 'success', conclusion: 'success', outputs: OUTPUTS } }

/** Only the step with `uses: hook` runs the action. */
const outputsOf = ({ uses }: JsonObject) => (uses === 'hook' ? { items: '[1]' } : undefined)

test.each(CASES)('$name', ({ workflow, github = {}, inputs, unfired, jobs }) => {
  const read = readWorkflowJobs({ name: 'hook.yml', file: 'hook.yml', text: workflow })
  const event = { github, ...(inputs && { inputs }), on: ON, unfired, outputsOf }
  expect(explainWorkflow(read, event)).toEqual(jobs.map((job) => ({ facts: [], ...job })))
})
