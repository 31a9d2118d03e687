import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { transformSync } from '@swc/core'

/**
 * The modules of src/ that declare types and nothing else, as paths from the root. Nothing of them is
 * ever loaded, so that coverage would count them as if no test reached them.
 *
 * @returns {string[]}
 */
export function modulesOfTypes() {
  const src = fileURLToPath(new URL('../src/', import.meta.url))
  const paths = readdirSync(src, { recursive: true, encoding: 'utf8' }).sort()
  return paths
    .filter((path) => path.endsWith('.ts') && !runs(readFileSync(src + path, 'utf8')))
    .map((path) => `src/${path}`)
}

/**
 * True when something is left of a module without its types.
 *
 * @param {string} text
 */
export function runs(text) {
  const jsc = /** @type {const} */ ({ parser: { syntax: 'typescript' }, target: 'es2022' })
  const { code } = transformSync(text, { jsc, module: { type: 'es6' }, minify: true, swcrc: false })
  return code !== '' && code !== 'export{};'
}
