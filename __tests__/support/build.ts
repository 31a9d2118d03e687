import { existsSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * The package as the sources stand, `package.json` and `dist/`, which jest made before the first suite
 * (scripts/build/for-tests.js). The committed `dist/` is what `npm run build:check` compares.
 */
export function bundledPackage(): string {
  const folder = process.env.HOOKLINE_TEST_BUNDLES
  if (!folder) throw new Error('there are no bundles: start the tests with "npm run jest"')
  return folder
}

/** @param name of a bundle, as in `dist/`: `cli/index.js` */
export function bundle(name: string): string {
  return join(bundledPackage(), 'dist', name)
}

/** What tests load in processes of their own, by name as in `src/`. */
const MODULES = ['action/store', 'relay/outbox/sqlite', 'state/branch', 'state/file', 'state/store']

/** CommonJS packages within an ES module ask for Node's own modules by it. */
const REQUIRE = `import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);`

/** The folder of modules that a process of a test loads, each with all that it needs, built once. */
export async function builtModules(): Promise<string> {
  const target = join(bundledPackage(), 'modules')
  if (existsSync(target)) return target
  // Several suites may come at once: each builds its own, and the first that is done is kept.
  const own = `${target}.${process.pid}`
  try {
    await build({
      // Named, since esbuild mistakes the folder of a path that holds a quote.
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
