import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { bundle } from '../scripts/build/bundle.js'
import { write } from '../scripts/build/files.js'

const ONE_OUTPUT = `import { setOutput } from '@actions/core'\nsetOutput('fired', 'true')\n`

/**
 * A module that does nothing.
 *
 * @param {string} folder
 */
export async function bareScript(folder) {
  const path = `${folder}/bare.mjs`
  await writeFile(path, '')
  return path
}

/**
 * The least that an action can be: it imports @actions/core and sets one output. Bundled as the
 * action is, but with all of @actions/core, as every action that uses it is.
 *
 * @param {string} folder
 */
export async function coreBundle(folder) {
  const cache = fileURLToPath(new URL('../node_modules/.cache/bench', import.meta.url))
  await mkdir(cache, { recursive: true })
  const entry = `${cache}/core.js`
  await writeFile(entry, ONE_OUTPUT)
  const files = await bundle({
    entry,
    folder: 'core',
    file: 'index.js',
    format: 'module',
    minify: true,
  })
  await write(new URL(`file://${folder}/`), new Map(files))
  return `${folder}/core/index.js`
}
