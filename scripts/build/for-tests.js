import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { pageModule, shrinkPage } from './inspector-page.js'
import { COPIED, copyPackages } from './packages.js'
import { TARGETS } from './targets.js'

/** @typedef {import('esbuild').BuildOptions} BuildOptions */
/** @typedef {import('esbuild').Plugin} Plugin */

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SOURCES = join(ROOT, 'src')
const CACHE = join(ROOT, '.cache/tests')
const DAY = 86_400_000

/**
 * Bundles every target from the present sources, in the layout of the package, once for each state
 * of the sources. A test of `dist/` would pass whatever the sources contain. Entries and packages
 * are those of `npm run build`, but the bundler is faster. Only the worker and the page are
 * minified, because tests check their sizes.
 *
 * @returns {Promise<string>} folder with `package.json` and `dist/`
 */
export async function bundlesForTests() {
  const packages = await made(['package-lock.json', 'scripts/build/packages.js'], copyPackages)
  const all = ['src', 'scripts/build', 'package.json', 'package-lock.json']
  return made(all, async (folder) => {
    await Promise.all(bundles(folder, packages))
    await cp(join(ROOT, 'package.json'), join(folder, 'package.json'))
  })
}

/**
 * A folder that is created once for each state of its sources.
 *
 * @param {readonly string[]} sources files, or folders of them
 * @param {(folder: string) => Promise<void>} make
 */
async function made(sources, make) {
  const folder = join(CACHE, await hashOf(sources))
  const now = new Date()
  if (
    await utimes(folder, now, now).then(
      () => true,
      () => false,
    )
  )
    return folder
  // Several runs of jest may build concurrently: each builds its own folder, and the first one is
  // used.
  const own = `${folder}.${process.pid}`
  try {
    await mkdir(own, { recursive: true })
    await make(own)
    await rename(own, folder).catch((error) => {
      if (!existsSync(folder)) throw error
    })
  } finally {
    await rm(own, { recursive: true, force: true })
  }
  await removeOld()
  return folder
}

/** @param {readonly string[]} sources */
async function hashOf(sources) {
  const hash = createHash('sha256')
  for (const name of sources) {
    for (const file of await filesOf(join(ROOT, name))) {
      hash
        .update(`${file}\0`)
        .update(await readFile(file))
        .update('\0')
    }
  }
  return hash.digest('hex').slice(0, 16)
}

/** @param {string} path */
async function filesOf(path) {
  if ((await stat(path)).isFile()) return [path]
  const entries = await readdir(path, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return files.map(({ parentPath, name }) => join(parentPath, name)).sort()
}

/**
 * @param {string} own folder to build in
 * @param {string} packages folder of the packages that bundles need in a changed form
 * @returns {Promise<void>[]}
 */
function bundles(own, packages) {
  return TARGETS.map(async ({ entry, folder, file, format, executable, portable, loads }) => {
    const outdir = join(own, 'dist', folder)
    // Modules that the command line imports dynamically are separate files, as with ncc, so that a
    // start reads only what it needs. esbuild can split ES modules only.
    const splits = executable === true
    await build({
      entryPoints: {
        [file.replace(/\.js$/, '')]: join(ROOT, entry.replace('build', 'src').replace(/js$/, 'ts')),
      },
      outdir,
      bundle: true,
      splitting: splits,
      format: splits || format === 'module' ? 'esm' : 'cjs',
      minify: portable === true,
      platform: portable ? 'neutral' : 'node',
      mainFields: ['module', 'main'],
      target: 'es2022',
      // Node's `vm` modules, in which tests run several of them, cannot import.
      supported: { 'dynamic-import': splits || portable === true },
      banner: splits ? { js: REQUIRE } : {},
      plugins: [
        ...[copiesOf(packages), page(), modulesBeside(), figures(portable === true)],
        ...(loads ? [beside(loads)] : []),
      ],
      // The runtime of the worker has this module.
      external: ['cloudflare:workers'],
      logLevel: 'error',
    })
    const type = splits ? 'module' : format
    await writeFile(join(outdir, 'package.json'), JSON.stringify({ type }))
  })
}

/** CommonJS packages within an ES module use it to load Node's own modules. */
const REQUIRE = `import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);`

/**
 * @param {string} resolveDir
 * @returns {Plugin}
 */
function copiesOf(resolveDir) {
  const filter = new RegExp(`^(?:${COPIED.join('|')})(?:/|$)`)
  return {
    name: 'copies',
    setup(building) {
      building.onResolve({ filter }, ({ path, kind, pluginData }) =>
        pluginData === 'copy'
          ? null
          : building.resolve(path, { resolveDir, kind, pluginData: 'copy' }),
      )
    },
  }
}

/**
 * Keeps modules that the worker imports dynamically in separate files.
 *
 * @returns {Plugin}
 */
function modulesBeside() {
  return {
    name: 'modules-beside',
    setup(building) {
      building.onResolve({ filter: /^\.\.?\// }, ({ importer, kind, path }) =>
        kind === 'dynamic-import' && /[\\/]worker\.ts$/.test(importer)
          ? { path: `./${basename(path, '.ts')}.js`, external: true }
          : null,
      )
    },
  }
}

/**
 * Lets tests of whole processes shorten the figures of a relay by variables `HOOKLINE_TEST_<name>`. The released
 * bundles read no such variable.
 *
 * @param {boolean} isWorker
 * @returns {Plugin}
 */
function figures(isWorker) {
  const env = isWorker
    ? "import { env } from 'cloudflare:workers'"
    : "import { env } from 'node:process'"
  const change = `for (const name of Object.keys(FIGURES)) {
    const text = env['HOOKLINE_TEST_' + name]
    if (text !== undefined) Object.assign(FIGURES, { [name]: Number(text) })
  }`
  return {
    name: 'figures',
    setup(building) {
      building.onLoad({ filter: /[\\/]relay[\\/]figures\.ts$/ }, async ({ path }) => {
        return { loader: 'ts', contents: `${env}\n${await readFile(path, 'utf8')}\n${change}` }
      })
    },
  }
}

/** @returns {Plugin} */
function page() {
  return {
    name: 'page',
    setup(building) {
      building.onLoad({ filter: /[\\/]page-files\.ts$/ }, async () => {
        const folder = join(SOURCES, 'inspector/page')
        const { outputFiles } = await build({
          entryPoints: [join(folder, 'main.tsx')],
          bundle: true,
          format: 'esm',
          target: 'es2022',
          write: false,
          logLevel: 'error',
        })
        const { code } = await shrinkPage(outputFiles[0]?.text ?? '')
        return { contents: await pageModule(folder, code) }
      })
    },
  }
}

/**
 * @param {string} file the bundle in the same folder
 * @returns {Plugin}
 */
function beside(file) {
  return {
    name: 'beside',
    setup(building) {
      const filter = new RegExp(`^${file.replace(/\.js$/, '.ts').replaceAll('.', '\\.')}$`)
      building.onResolve({ filter }, () => ({ path: file, external: true }))
    },
  }
}

/** Removes folders of other states, except recent ones that another run of jest may still use. */
async function removeOld() {
  for (const name of await readdir(CACHE)) {
    const path = join(CACHE, name)
    const { mtimeMs } = await stat(path)
    if (Date.now() - mtimeMs > DAY) await rm(path, { recursive: true, force: true })
  }
}
