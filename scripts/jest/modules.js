import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { transform } from '@swc/core'
import { TYPESCRIPT } from './typescript.js'

// Hooks of node's own loader, for suites that share a process: modules of `src/` and packages are loaded
// once in it, a suite and its helpers once for each suite, told apart by the query of their URLs.

const TESTS = new URL('../../__tests__/', import.meta.url).href
const GLOBALS = new URL('globals.js', import.meta.url).href

/** @type {import('node:module').ResolveHook} */
export async function resolve(specifier, context, next) {
  const suite = context.parentURL?.match(/\?suite=\d+$/)?.[0] ?? ''
  if (specifier === '@jest/globals') return { url: GLOBALS + suite, shortCircuit: true }
  const found = await next(specifier, context)
  if (found.url.startsWith(TESTS) && !found.url.includes('?'))
    return { ...found, url: found.url + suite }
  // Of the packages, one imports JSON as bundlers take it: without saying so.
  if (found.url.endsWith('.json')) return { ...found, importAttributes: { type: 'json' } }
  return found
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, next) {
  if (!/\.ts(\?|$)/.test(url)) return next(url, context)
  const filename = fileURLToPath(url)
  const source = compiled.get(filename) ?? compile(filename)
  compiled.set(filename, source)
  return { format: 'module', source: await source, shortCircuit: true }
}

/** Helpers are loaded again with each suite. @type {Map<string, Promise<string>>} */
const compiled = new Map()

/** @param {string} filename */
async function compile(filename) {
  const { code } = await transform(await readFile(filename, 'utf8'), { ...TYPESCRIPT, filename })
  return code
}
