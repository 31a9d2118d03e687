import { execFileSync } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { minify } from '@swc/core'
import ncc from '@vercel/ncc'
import { transform } from 'esbuild'
import { modulesOf } from './bundle.js'

const PAGE = 'src/inspector/page'
const MODULE = 'build/inspector/page-files.js'
const tsc = fileURLToPath(import.meta.resolve('typescript/bin/tsc'))

/** The options of tsconfig.build.json, for a browser. */
const OPTIONS = [
  '--noEmit',
  'false',
  '--noCheck',
  // An incremental compilation would skip sources that the type check has already compiled.
  '--incremental',
  'false',
  '--allowImportingTsExtensions',
  'false',
  '--rewriteRelativeImportExtensions',
  '--rootDir',
  'src',
  '--outDir',
  'build',
]

/**
 * Bundles the script of the inspector's page, and writes the content of all page files into the
 * module that the server imports.
 *
 * @returns {Promise<string[]>} the files of the script, for the notices
 */
export async function embedInspectorPage() {
  execFileSync(process.execPath, [tsc, '-p', PAGE, ...OPTIONS], { stdio: 'inherit' })
  const main = await bundleScript('build/inspector/page/main.js')
  await writeFile(MODULE, await pageModule(PAGE, main.code))
  return main.modules
}

/**
 * The module with the content of the page's files.
 *
 * @param {string} page folder of its sources
 * @param {string} script its bundled script
 */
export async function pageModule(page, script) {
  const names = (await readdir(page)).filter((name) => /\.(?:css|html|svg)$/.test(name)).sort()
  const read = names.map(async (name) => {
    const text = await readFile(join(page, name), 'utf8')
    if (!name.endsWith('.css')) return [name, text]
    return [name, (await transform(text, { loader: 'css', minify: true, target: 'esnext' })).code]
  })
  const files = [...(await Promise.all(read)), ['main.js', script]]
  return `export const PAGE_FILES = new Map(${JSON.stringify(files)})\n`
}

/** @param {string} entry */
async function bundleScript(entry) {
  const built = await ncc(resolve(entry), { cache: false, quiet: true })
  const { code } = await shrinkPage(built.code)
  return { code, modules: modulesOf(built.stats.compilation) }
}

/** @param {string} code of its bundled script */
export function shrinkPage(code) {
  const compress = { passes: 3, ecma: 2022 }
  return minify(code, { module: true, compress, mangle: true, format: { comments: false } })
}
