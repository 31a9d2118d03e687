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
 * Bundles every target from the sources as they stand, laid out as the package is, and once for each
 * state of them: a test that read `dist/` would pass whatever the sources say. The same entries with the
 * same packages as `npm run build` takes, by a bundler that needs a second; only the worker and the page are minified, whose sizes are tested.
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
 * A folder that is made once for each state of the files that it is made of.
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
  // Several runs of jest may come at once: each makes its own, and the first that is done is kept.
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
 * @param {string} packages folder of those that bundles take in another form
 * @returns {Promise<void>[]}
 */
function bundles(own, packages) {
  return TARGETS.map(async ({ entry, folder, file, format, executable, portable, loads }) => {
    const outdir = join(own, 'dist', folder)
    // What the command line loads by name lies in files of its own, as ncc has it, so that a start
    // reads only what it needs: which esbuild does for ES modules alone.
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
      // A module of Node's virtual machine, in which tests run many of them, imports nothing.
      supported: { 'dynamic-import': splits || portable === true },
      banner: splits ? { js: REQUIRE } : {},
      plugins: [copiesOf(packages), page(), modulesBeside(), ...(loads ? [beside(loads)] : [])],
      logLevel: 'error',
    })
    const type = splits ? 'module' : format
    await writeFile(join(outdir, 'package.json'), JSON.stringify({ type }))
  })
}

/** CommonJS packages within an ES module ask for Node's own modules by it. */
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
 * What the worker imports only where something asks for it stays a file of its own.
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
 * @param {string} file the bundle beside it
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

/** What was made of other states, but for what another run of jest may still use. */
async function removeOld() {
  for (const name of await readdir(CACHE)) {
    const path = join(CACHE, name)
    const { mtimeMs } = await stat(path)
    if (Date.now() - mtimeMs > DAY) await rm(path, { recursive: true, force: true })
  }
}
