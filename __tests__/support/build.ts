import { existsSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * The package from the present sources, `package.json` and `dist/`, which jest built before the
 * first suite (scripts/build/for-tests.js). `npm run build:check` compares the committed `dist/`.
 */
export function bundledPackage(): string {
  const folder = process.env.HOOKLINE_TEST_BUNDLES
  if (!folder) throw new Error('there are no bundles: start the tests with "npm run jest"')
  return folder
}

/** @param name of a bundle in `dist/`: `cli/index.js` */
export function bundle(name: string): string {
  return join(bundledPackage(), 'dist', name)
}

/** Modules that tests load in other processes, by their name in `src/`. */
const MODULES = [
  'action/state-store',
  'relay/node/sqlite',
  'state/branch',
  'state/file',
  'state/store',
]

/** CommonJS packages within an ES module use it to load Node's own modules. */
const REQUIRE = `import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);`

/** The folder of the modules for other processes, each bundled with its imports; built once. */
export async function builtModules(): Promise<string> {
  const target = join(bundledPackage(), 'modules')
  if (existsSync(target)) return target
  // Several suites may build concurrently: each builds its own folder, and the first one is used.
  const own = `${target}.${process.pid}`
  try {
    await build({
      // Entries have names, because esbuild cannot handle a folder with a quote in its path.
      entryPoints: Object.fromEntries(
        MODULES.map((name) => [name, join(ROOT, 'src', `${name}.ts`)]),
      ),
      ...{ outdir: own, logLevel: 'error' },
      ...{ bundle: true, splitting: true, format: 'esm', platform: 'node', target: 'es2022' },
      banner: { js: REQUIRE },
    })
    await writeFile(join(own, 'package.json'), '{"type":"module"}')
    await rename(own, target).catch((error) => {
      if (!existsSync(target)) throw error
    })
  } finally {
    await rm(own, { recursive: true, force: true })
  }
  return target
}
