import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { minify } from '@swc/core'

const MODULE = 'build/engine/url-source.js'

/**
 * Puts the text that scripts of the user have their `URL` from into the module that gives it.
 *
 * @returns {Promise<string[]>} what the text was made of, for the notices
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
