import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { parse } from 'yaml'
import { compile } from './build/compile.js'
import { inputsList, outputsList } from './docs/action.js'
import { commandList } from './docs/commands.js'
import { fillIn } from './docs/markers.js'
import { senderLists } from './docs/sender-lists.js'

const root = new URL('..', import.meta.url)

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
for (const [name, text] of await senderLists()) await write(name, text)
// The reference of options is made of the compiled schemas.
await compile()
const { compilerSettings } = await import('./docs/compiler-settings.js')
const { configList } = await import('./docs/config.js')
const { rulesPage } = await import('./docs/rules.js')
const { RULES } = await import(new URL('build/lint/rules.js', root).href)
const { settingsTable } = await import('./docs/settings.js')
const { countText, schemesTable, senderPages, sendersCount, sendersTable } = await import(
  './docs/senders.js'
)

/** The documents with generated parts, and what makes each part. */
const DOCUMENTS = {
  'docs/reference/action.md': { inputs: inputsList, outputs: outputsList },
  'docs/reference/compiler.md': { settings: compilerSettings },
  'docs/reference/config.md': { config: configList },
  'docs/host/relay.md': { settings: settingsTable },
  'docs/reference/commands.md': { commands: commandList },
  'docs/learn/comparison.md': { senders: sendersCount },
  'docs/senders/README.md': { count: countText, senders: sendersTable, schemes: schemesTable },
}

const action = parse(await readFile(new URL('action.yml', root), 'utf8'))
for (const [name, parts] of Object.entries(DOCUMENTS)) await renew(name, parts)
await write('docs/reference/rules.md', rulesPage(RULES))
for (const [name = '', text = ''] of senderPages()) await write(name, text)

/**
 * @param {string} name
 * @param {Record<string, (action: import('./docs/action.js').Action) => string>} parts
 */
async function renew(name, parts) {
  const path = new URL(name, root)
  const text = await readFile(path, 'utf8')
  const made = Object.entries(parts).map(([part, make]) => [part, make(action)])
  await write(name, fillIn(text, Object.fromEntries(made)))
}

/**
 * @param {string} name
 * @param {string} text
 */
async function write(name, text) {
  const path = new URL(name, root)
  if (text === (await readFile(path, 'utf8').catch(() => ''))) return
  if (!values.check) return writeFile(path, text)
  console.error(`${name} is out of date: run "npm run docs" and commit the result`)
  process.exitCode = 1
}
