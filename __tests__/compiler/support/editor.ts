import { Ajv } from 'ajv'
import { workflowSchema } from '../../../scripts/schema/workflow-schema.js'
import { COMPILER_SETTINGS } from '../../../src/compiler/compiler-settings.ts'
import { TRIGGERS } from '../../../src/triggers/index.ts'
import { NATIVE_EVENTS } from '../../../src/wire/events.ts'

/** The schema by which editors check a workflow for the compiler. */
export const EDITOR_SCHEMA = workflowSchema(TRIGGERS, NATIVE_EVENTS, COMPILER_SETTINGS)

/** To compile it costs a third so, and it is asked little. */
const QUICK = { code: { optimize: false }, inlineRefs: false }

/** Says whether an editor accepts a workflow. What a schema refers to elsewhere would throw here. */
export const validate = new Ajv({ strict: false, ...QUICK }).compile(EDITOR_SCHEMA)
