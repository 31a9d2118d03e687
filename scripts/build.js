import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { bundle } from './build/bundle.js'
import { compile } from './build/compile.js'
import { differences, write } from './build/files.js'
import { embedInspectorPage } from './build/inspector-page.js'
import { copyPackages } from './build/packages.js'
import { existingTargets } from './build/targets.js'
import { embedUrlSource } from './build/url-source.js'

const root = new URL('..', import.meta.url)
const dist = new URL('dist/', root)

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
// webpack numbers modules by their path from the working directory: fixed here, so that a build is
// the same wherever it is started.
process.chdir(fileURLToPath(root))
await compile()
await copyPackages('build')
const page = await embedInspectorPage()
const urls = await embedUrlSource()
/** Modules that a folder's bundles hold as text. @type {Record<string, string[]>} */
const EMBEDDED = { action: urls, cli: [...page, ...urls] }
const files = await bundleAll()
if (values.check) await check()
else await replaceDist()

/** @returns {Promise<import('./build/files.js').Files>} */
async function bundleAll() {
  const bundles = []
  for (const target of existingTargets()) {
    bundles.push(...(await bundle(target, EMBEDDED[target.folder])))
  }
  return new Map(bundles)
}

async function check() {
  const found = await differences(dist, files)
  for (const difference of found) console.error(`dist/${difference}`)
  if (found.length === 0) return
  console.error('dist/ is not what src/ builds: run "npm run build" and commit the result')
  process.exitCode = 1
}

async function replaceDist() {
  await rm(dist, { recursive: true, force: true })
  await write(dist, files)
  for (const [name, { content }] of files) console.log(`dist/${name}  ${kilobytes(content)}`)
}

/** @param {Uint8Array} content */
function kilobytes(content) {
  return `${Math.ceil(content.length / 1024)} KB`
}
