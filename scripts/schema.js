import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { compile } from './build/compile.js'
import { workflowSchema } from './schema/workflow-schema.js'

/** Writes the editor schema from the compiled triggers, or checks that it is up to date. */
const root = new URL('..', import.meta.url)
const path = new URL('schema/hookline-workflow.json', root)

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
await compile()
const { TRIGGERS } = await import(new URL('build/triggers/index.js', root).href)
const { NATIVE_EVENTS } = await import(new URL('build/wire/events.js', root).href)
const { SETTINGS } = await import(new URL('build/compiler/settings.js', root).href)
const text = `${JSON.stringify(workflowSchema(TRIGGERS, NATIVE_EVENTS, SETTINGS), null, 2)}\n`

if (!values.check) await writeFile(path, text)
else if ((await readFile(path, 'utf8')) !== text) {
  console.error('schema/ is out of date: run "npm run schema" and commit the result')
  process.exitCode = 1
}
