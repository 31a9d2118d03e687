import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
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
 * action is, beside the project's own modules, which is where it finds @actions/core.
 *
 * @param {string} folder
 */
export async function coreBundle(folder) {
  const entry = fileURLToPath(new URL('../coverage/bench/core.js', import.meta.url))
  await mkdir(dirname(entry), { recursive: true })
  await writeFile(entry, ONE_OUTPUT)
  const files = await bundle({ entry, folder: 'core', file: 'index.js', minify: true })
  await write(new URL(`file://${folder}/`), new Map(files))
  return `${folder}/core/index.js`
}
