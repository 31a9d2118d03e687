import { readdir, readFile, writeFile } from 'node:fs/promises'
import ts from 'typescript'

const PAGE = 'src/dev/inspector/page'
const MODULE = 'build/inspector/page-files.js'

/** Puts the texts of the inspector's page into the module that otherwise reads them from files. */
export async function embedInspectorPage() {
  const names = (await readdir(PAGE)).filter((name) => name !== 'tsconfig.json').sort()
  const files = await Promise.all(names.map(async (name) => [name, await textOf(name)]))
  await writeFile(MODULE, `export const INSPECTOR_FILES = new Map(${JSON.stringify(files)})\n`)
}

/**
 * A file of the page; of its scripts, the comments and types stay here.
 *
 * @param {string} name
 */
async function textOf(name) {
  const text = await readFile(`${PAGE}/${name}`, 'utf8')
  if (!name.endsWith('.js')) return text
  const { ESNext } = ts.ScriptTarget
  const compilerOptions = { removeComments: true, target: ESNext, module: ts.ModuleKind.ESNext }
  return ts.transpileModule(text, { fileName: name, compilerOptions }).outputText
}
