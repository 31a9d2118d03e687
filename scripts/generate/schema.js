import { workflowSchema } from '../schema/workflow-schema.js'

const root = new URL('../..', import.meta.url)

/** The editor schema, from the compiled triggers and settings. */
export async function schemaFiles() {
  const { TRIGGERS } = await import(new URL('build/triggers/index.js', root).href)
  const { NATIVE_EVENTS } = await import(new URL('build/wire/events.js', root).href)
  const { COMPILER_SETTINGS } = await import(
    new URL('build/compiler/compiler-settings.js', root).href
  )
  const content = `${JSON.stringify(workflowSchema(TRIGGERS, NATIVE_EVENTS, COMPILER_SETTINGS), null, 2)}\n`
  return { files: new Map([['schema/hookline-workflow.json', { content }]]) }
}
