// npm run generate [-- <part> …] [-- --check]
//
// Writes the generated files, in the order in which they depend on each other; with --check names each
// stale file and exits 1. Parts: lists, docs, schema, dist (default: these four); golden, the approved
// compiled files of the tests, which --check compares too; and outputs, the outputs of the commands for
// their reference. Works in a fresh clone, because it compiles src/ to build/ itself.
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { compile } from './build/compile.js'
import { staleFiles, writeFiles } from './generate/files.js'
import { listFiles } from './generate/lists.js'
import { outputFiles } from './generate/outputs.js'

/**
 * A part returns the files that it generates, by their paths from the root of the repository.
 *
 * @typedef {() => Promise<import('./generate/files.js').GeneratedFiles>} Part
 */

/** The parts that read the compiled sources in build/, in their order. @type {Record<string, Part>} */
const PARTS = {
  docs: async () => (await import('./generate/docs.js')).docFiles(),
  schema: async () => (await import('./generate/schema.js')).schemaFiles(),
  dist: async () => (await import('./generate/dist.js')).distFiles(),
  golden: async () => (await import('./generate/golden.js')).goldenFiles(),
}
const DEFAULT = ['lists', 'docs', 'schema', 'dist']

const { values, positionals } = parseArgs({
  options: { check: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const ordinary = values.check ? [...DEFAULT, 'golden'] : DEFAULT
const wanted = positionals.length > 0 ? positionals : ordinary
const unknown = wanted.find((part) => !['lists', 'outputs'].includes(part) && !(part in PARTS))
if (unknown !== undefined) {
  console.error(
    `unknown part "${unknown}": choose lists, outputs, ${Object.keys(PARTS).join(', ')}`,
  )
  process.exit(1)
}

// The bundler numbers modules by their path from the working directory, so that is always the root.
process.chdir(fileURLToPath(new URL('..', import.meta.url)))

// The lists are sources, so they come before the compilation.
if (wanted.includes('lists')) await finish(await listFiles())
if (wanted.includes('outputs')) await finish(await outputFiles())
const parts = Object.entries(PARTS).filter(([name]) => wanted.includes(name))
if (parts.length > 0) await compile()
for (const [name, part] of parts) await finish(await part(), name)

/**
 * @param {import('./generate/files.js').GeneratedFiles} generated
 * @param {string} [part]
 */
async function finish(generated, part) {
  if (!values.check) return writeFiles(generated)
  const golden = part === 'golden' ? ' -- golden' : ''
  for (const stale of await staleFiles(generated)) {
    console.error(`${stale}: run "npm run generate${golden}" and commit the result`)
    process.exitCode = 1
  }
}
