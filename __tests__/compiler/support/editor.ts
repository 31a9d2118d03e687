import { Ajv } from 'ajv'
import { GITHUB_WORKFLOW, workflowSchema } from '../../../scripts/schema/workflow-schema.js'
import { TRIGGERS } from '../../../src/triggers/index.ts'
import { NATIVE_EVENTS } from '../../../src/wire/events.ts'

/** The schema by which editors check a workflow for the compiler. */
export const EDITOR_SCHEMA = workflowSchema(TRIGGERS, NATIVE_EVENTS)

const ajv = new Ajv({ strict: false })
ajv.addSchema(standIn(), GITHUB_WORKFLOW)

/** Says whether an editor accepts a workflow. */
export const validate = ajv.compile(EDITOR_SCHEMA)

/** The parts of the public schema that ours refers to; what they say is not ours to test. */
function standIn() {
  const events = Object.fromEntries([...NATIVE_EVENTS].map((event) => [event, {}]))
  const keys = ['name', 'run-name', 'env', 'defaults', 'concurrency', 'permissions', 'jobs']
  const others = Object.fromEntries(keys.map((key) => [key, {}]))
  return { properties: { on: { oneOf: [{}, {}, { properties: events }] }, ...others } }
}
