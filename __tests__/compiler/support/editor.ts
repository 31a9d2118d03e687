import { Ajv } from 'ajv'
import { workflowSchema } from '../../../scripts/schema/workflow-schema.js'
import { TRIGGERS } from '../../../src/triggers/index.ts'
import { NATIVE_EVENTS } from '../../../src/wire/events.ts'

/** The schema by which editors check a workflow for the compiler. */
export const EDITOR_SCHEMA = workflowSchema(TRIGGERS, NATIVE_EVENTS)

/** Says whether an editor accepts a workflow. What a schema refers to elsewhere would throw here. */
export const validate = new Ajv({ strict: false, code: { optimize: false } }).compile(EDITOR_SCHEMA)
