import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { inputsList, outputsList } from '../docs/action.js'
import { commandList, optionsReference } from '../docs/commands.js'
import { compilerSettings } from '../docs/compiler-settings.js'
import { configList } from '../docs/config.js'
import { fillIn } from '../docs/markers.js'
import { rulesPage } from '../docs/rules.js'
import {
  countText,
  schemesTable,
  senderPages,
  sendersCount,
  sendersTable,
} from '../docs/senders.js'
import { settingsTable, variablesTable } from '../docs/settings.js'

const root = new URL('../..', import.meta.url)

/** The documents with generated parts, and the function that generates each part. */
const DOCUMENTS = {
  'docs/reference/action.md': { inputs: inputsList, outputs: outputsList },
  'docs/reference/compiler.md': { settings: compilerSettings },
  'docs/reference/config.md': { config: configList },
  'docs/host/relay.md': { settings: settingsTable },
  'docs/reference/commands.md': {
    commands: commandList,
    variables: variablesTable,
    options: optionsReference,
  },
  'docs/learn/comparison.md': { senders: sendersCount },
  'docs/senders/README.md': { count: countText, senders: sendersTable, schemes: schemesTable },
}

/**
 * The generated documents, and the documents with generated parts, from action.yml and build/.
 *
 * @returns {Promise<import('./files.js').GeneratedFiles>}
 */
export async function docFiles() {
  const { RULES } = await import(new URL('build/lint/rules.js', root).href)
  const action = parse(await readFile(new URL('action.yml', root), 'utf8'))
  const filled = Object.entries(DOCUMENTS).map(async ([path, parts]) => {
    const document = await readFile(new URL(path, root), 'utf8')
    const texts = Object.entries(parts).map(([name, part]) => [name, part(action)])
    return [path, fillIn(document, Object.fromEntries(texts))]
  })
  const pages = [
    ...(await Promise.all(filled)),
    ['docs/reference/rules.md', rulesPage(RULES)],
    ...senderPages(),
  ]
  return { files: new Map(pages.map(([path = '', content = '']) => [path, { content }])) }
}
