import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'

const ROOT = new URL('../..', import.meta.url).pathname
const run = promisify(execFile)
const POLL = 200

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

/** The workers of one run of jest come at once: the first one builds, the others wait for it. */
async function build(target: string): Promise<void> {
  const own = `${target}.${process.ppid}`
  await mkdir(dirname(own), { recursive: true })
  const isFirst = await mkdir(own).then(
    () => true,
    () => false,
  )
  if (!isFirst) {
    while (existsSync(own)) await pause(POLL)
    if (!existsSync(target)) throw new Error('the worker that built the sources failed')
    return
  }
  try {
    // In a process of its own: the bundler is no module for the virtual machine of a test.
    const building = ['--input-type=module', '-e', BUILD, join(own, 'compiled'), own]
    await run(process.execPath, building, { cwd: ROOT })
    // Another run may have been faster.
    await rename(own, target).catch(() => {})
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}

/**
 * As `npm run build` does it, so that what is tested is what is shipped; but without a look at the
 * types, which takes longer than all else and is `npm run typecheck`.
 */
const BUILD = `
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import ts from 'typescript'
import { bundle } from './scripts/build/bundle.js'
import { TARGETS } from './scripts/build/targets.js'
const [compiled, own] = process.argv.slice(1)
const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic() {} }
const { options } = ts.getParsedCommandLineOfConfigFile('tsconfig.build.json', {}, host)
// A file by itself does not tell of which kind it is: all of them are modules.
const compilerOptions = { ...options, module: ts.ModuleKind.ESNext }
for (const name of await readdir('src', { recursive: true })) {
  if (!name.endsWith('.ts') || name.endsWith('.d.ts')) continue
  const text = await readFile(join('src', name), 'utf8')
  const { outputText } = ts.transpileModule(text, { compilerOptions, fileName: name })
  const file = join(compiled, name.replace(/ts$/, 'js'))
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, outputText)
}
const target = TARGETS.find(({ portable }) => portable)
const entry = target.entry.replace('build', compiled)
const files = await bundle({ ...target, entry, types: undefined })
const [, { content }] = files.find(([name]) => name === target.folder + '/' + target.file)
await writeFile(own + '/index.js', content)
`

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
