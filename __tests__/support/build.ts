import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transform } from '@swc/core'

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

/** The folder of the compiled sources, a file for each of them, compiled once for each of their states. */
export async function compiledSources(): Promise<string> {
  const target = join(bundledPackage(), 'compiled')
  if (existsSync(target)) return target
  // Several suites may come at once: each compiles its own, and the first that is done is kept.
  const own = `${target}.${process.pid}`
  try {
    const sources = join(ROOT, 'src')
    const names = await readdir(sources, { recursive: true })
    const modules = names.filter((name) => /(?<!\.d)\.ts$/.test(name))
    await Promise.all(modules.map((name) => compile(join(sources, name), join(own, name))))
    await rename(own, target).catch((error) => {
      if (!existsSync(target)) throw error
    })
  } finally {
    await rm(own, { recursive: true, force: true })
  }
  return target
}

/** The types of swc do not know that it rewrites the endings of imports, so this is no literal there. */
const OPTIONS = {
  swcrc: false,
  jsc: {
    parser: { syntax: 'typescript' },
    target: 'es2022',
    rewriteRelativeImportExtensions: true,
  },
  module: { type: 'es6' },
} as const

async function compile(source: string, target: string): Promise<void> {
  const text = await readFile(source, 'utf8')
  const { code } = await transform(text, { ...OPTIONS, filename: source })
  await mkdir(dirname(target), { recursive: true })
  await writeFile(target.replace(/ts$/, 'js'), code)
}
