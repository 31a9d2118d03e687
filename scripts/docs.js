import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { parse } from 'yaml'
import { compile } from './build/compile.js'
import { inputsTable, outputsTable } from './docs/action.js'
import { commandReference } from './docs/commands.js'
import { fillIn } from './docs/markers.js'

const root = new URL('..', import.meta.url)

// The reference of options is made of the compiled schemas.
await compile()
const { configTable } = await import('./docs/config.js')

/** The documents with generated parts, and what makes each part. */
const DOCUMENTS = {
  'docs/action.md': { inputs: inputsTable, outputs: outputsTable },
  'docs/config.md': { config: configTable },
  'docs/cli.md': { commands: commandReference },
}

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const action = parse(await readFile(new URL('action.yml', root), 'utf8'))
for (const [name, parts] of Object.entries(DOCUMENTS)) await renew(name, parts)

/**
 * @param {string} name
 * @param {Record<string, (action: import('./docs/action.js').Action) => string>} parts
 */
async function renew(name, parts) {
  const path = new URL(name, root)
  const text = await readFile(path, 'utf8')
  const made = Object.entries(parts).map(([part, make]) => [part, make(action)])
  const renewed = fillIn(text, Object.fromEntries(made))
  if (renewed === text) return
  if (!values.check) return writeFile(path, renewed)
  console.error(`${name} is out of date: run "npm run docs" and commit the result`)
  process.exitCode = 1
}
