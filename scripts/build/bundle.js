import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import ncc from '@vercel/ncc'
import { notices } from './notices.js'
import { shrink } from './shrink.js'

/** @typedef {import('../generate/files.js').GeneratedFile} File */
/** @typedef {import('./targets.js').Target} Target */

/**
 * Bundles one target.
 *
 * @param {Target} target
 * @param {readonly string[]} [embedded] modules that it contains as text
 * @returns {Promise<[name: string, file: File][]>} by path in dist/
 */
export async function bundle(target, embedded = []) {
  const { entry, folder, file, format, types, portable, loads } = target
  const { licenses = 'licenses.txt' } = target
  const module = format === 'module'
  const externals = loads ? { [loads]: loads } : {}
  const built = await ncc(resolve(entry), { cache: false, quiet: true, esm: module, externals })
  if (portable) refuseNodeOnly(target, built)
  const scripts = await Promise.all(
    [[file, built.code], ...chunks(built)].map(async ([name = '', bundled = '']) => {
      const code = portable ? importsFromOwnFolder(bundled) : bundled
      return [name, await shrink(code, { module, smallest: portable })]
    }),
  )
  const around = [
    [licenses, notices([...modulesOf(built.stats.compilation), ...embedded])],
    // The type of modules in the folder, independent of parent folders.
    ['package.json', `${JSON.stringify({ type: format }, null, 2)}\n`],
  ]
  const texts = [
    ...scripts,
    ...(loads ? [] : around),
    ...(types ? [[file.replace(/\.js$/, '.d.ts'), await readFile(types, 'utf8')]] : []),
  ]
  return texts.map(([name = '', text = '']) => {
    const executable = name === file && target.executable === true
    return [`${folder}/${name}`, { content: Buffer.from(text), executable }]
  })
}

/**
 * Changes the dynamic imports of other bundles to the bundle's own folder: in `build/` the modules
 * are in several folders, in `dist/relay/` all bundles are in one.
 *
 * @param {string} code
 */
function importsFromOwnFolder(code) {
  return code.replace(
    /(\bimport\(\s*(?:\/\*[^*]*\*\/\s*)?)(["'])\.[./\w-]*\/([\w-]+\.js)\2/g,
    '$1$2./$3$2',
  )
}

/**
 * The chunks that ncc writes beside the bundle, which dynamic imports load.
 *
 * @param {import('@vercel/ncc').Built} built
 * @returns {[name: string, code: string][]}
 */
function chunks({ assets }) {
  const names = Object.keys(assets).filter((name) => name !== 'package.json')
  return names.map((name) => [name, assets[name]?.source.toString() ?? ''])
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
 * The files of a compilation, including those that webpack joined into one module.
 *
 * @param {import('@vercel/ncc').Compilation} compilation
 * @returns {string[]}
 */
export function modulesOf({ modules }) {
  const single = [...modules].flatMap((module) => [module, ...(module.modules ?? [])])
  return single.flatMap(({ resource }) => resource ?? [])
}
