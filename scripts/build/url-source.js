import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { minify } from '@swc/core'

const MODULE = 'build/engine/url-source.js'

/**
 * Writes the source of `URL` for the user's scripts into its module.
 *
 * @returns {Promise<string[]>} the files of the source, for the notices
 */
export async function embedUrlSource() {
  const file = createRequire(import.meta.url).resolve('whatwg-url-minimum')
  const { code } = await minify(await readFile(file, 'utf8'), {
    compress: true,
    mangle: true,
    format: { comments: false, asciiOnly: true },
  })
  await writeFile(MODULE, `export const urlSource = async () => ${JSON.stringify(code)}\n`)
  return [file]
}
