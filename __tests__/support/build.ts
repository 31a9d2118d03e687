import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const ROOT = new URL('../..', import.meta.url).pathname
const run = promisify(execFile)

/** The worker, minified as it is shipped. */
export async function workerBundle(): Promise<string> {
  return join(await built(), 'index.js')
}

/** The folder of the compiled sources. */
export async function compiledSources(): Promise<string> {
  return join(await built(), 'compiled')
}

/** Builds once for each state of the sources. */
async function built(): Promise<string> {
  const target = join(ROOT, 'build/tests', await sourceHash())
  if (!existsSync(target)) await build(target)
  return target
}

async function build(target: string): Promise<void> {
  // Test files run at once: each builds for itself, and the first one to finish wins.
  const own = `${target}.${process.pid}`
  await mkdir(own, { recursive: true })
  const bin = (name: string) => join(ROOT, 'node_modules/.bin', name)
  const compiled = join(own, 'compiled')
  await run(bin('tsc'), ['-p', 'tsconfig.build.json', '--outDir', compiled], { cwd: ROOT })
  await run(bin('ncc'), ['build', join(compiled, 'relay/worker.js'), '-m', '-o', own])
  await rename(own, target).catch(() => {})
}

async function sourceHash(): Promise<string> {
  const hash = createHash('sha256')
  const entries = await readdir(join(ROOT, 'src'), { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  const sources = [...files.sort(), join(ROOT, 'package-lock.json')]
  for (const file of sources) hash.update(await readFile(file))
  return hash.digest('hex').slice(0, 16)
}
