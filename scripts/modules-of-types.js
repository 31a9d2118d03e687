import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { transformSync } from '@swc/core'

/**
 * The modules of src/ that only declare types, as paths from the root. They are never loaded, so
 * coverage would report them as untested.
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
 * True if a module contains code besides its types.
 *
 * @param {string} text
 */
export function runs(text) {
  const jsc = /** @type {const} */ ({ parser: { syntax: 'typescript' }, target: 'es2022' })
  const { code } = transformSync(text, { jsc, module: { type: 'es6' }, minify: true, swcrc: false })
  return code !== '' && code !== 'export{};'
}
