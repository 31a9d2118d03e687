import { resolve } from 'node:path'
import ncc from '@vercel/ncc'
import { notices } from './notices.js'
import { shrink } from './shrink.js'

/** @typedef {import('./files.js').File} File */
/** @typedef {import('./targets.js').Target} Target */

/**
 * Bundles one target.
 *
 * @param {Target} target
 * @param {readonly string[]} [embedded] modules that are part of it as text
 * @returns {Promise<[name: string, file: File][]>} by path in dist/
 */
export async function bundle(target, embedded = []) {
  const built = await ncc(resolve(target.entry), { cache: false, quiet: true })
  if (target.portable) refuseNodeOnly(target, built)
  const texts = {
    [target.file]: built.code,
    'licenses.txt': notices([...modulesOf(built.stats.compilation), ...embedded]),
    ...chunks(built),
  }
  return Promise.all(
    Object.entries(texts).map(async ([name, text]) => {
      const content = Buffer.from(target.minify && name.endsWith('.js') ? await shrink(text) : text)
      const executable = name === target.file && target.executable === true
      return [`${target.folder}/${name}`, { content, executable }]
    }),
  )
}

/**
 * What ncc puts beside the bundle: the chunks of dynamic imports, and a package.json that makes
 * all of them ES modules.
 *
 * @param {import('@vercel/ncc').Built} built
 * @returns {Record<string, string>}
 */
function chunks({ assets }) {
  return Object.fromEntries(
    Object.entries(assets).map(([name, { source }]) => [name, source.toString()]),
  )
}

/**
 * @param {Target} target
 * @param {import('@vercel/ncc').Built} built
 */
function refuseNodeOnly({ entry }, { assets, stats }) {
  const beside = Object.keys(assets).filter((name) => name !== 'package.json')
  if (beside.length > 0) throw new Error(`${entry} must be one file, but splits off ${beside}`)
  const wanted = [...stats.compilation.modules].find((module) => module.externalType)
  if (wanted) throw new Error(`${entry} must run without Node, but imports ${wanted.userRequest}`)
}

/**
 * The files that a compilation took in, those that webpack joined into one module too.
 *
 * @param {import('@vercel/ncc').Compilation} compilation
 * @returns {string[]}
 */
export function modulesOf({ modules }) {
  const single = [...modules].flatMap((module) => [module, ...(module.modules ?? [])])
  return single.flatMap(({ resource }) => resource ?? [])
}
