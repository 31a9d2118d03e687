import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { workflowSchema } from './schema/workflow-schema.js'

/** Writes the schema from the triggers as `npm run build` left them. */
const root = new URL('..', import.meta.url)
const path = new URL('schema/hookline-workflow.json', root)

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const { TRIGGERS } = await import(new URL('build/triggers/index.js', root).href)
const { NATIVE_EVENTS } = await import(new URL('build/wire/events.js', root).href)
const text = `${JSON.stringify(workflowSchema(TRIGGERS, NATIVE_EVENTS), null, 2)}\n`

if (!values.check) await writeFile(path, text)
else if ((await readFile(path, 'utf8')) !== text) {
  console.error('schema/ is out of date: run "npm run schema" and commit the result')
  process.exitCode = 1
}
