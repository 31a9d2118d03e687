import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const PACKAGES = new URL('../../node_modules/', import.meta.url)

/**
 * A package that bundles use in a changed form. node_modules remains unchanged: a copy is put where
 * the compiled modules find it first.
 *
 * @typedef {object} Copy
 * @property {string} name
 * @property {object} [manifest] changes of its package.json
 * @property {readonly string[]} [without] files left out
 * @property {readonly Edit[]} [edits]
 *
 * @typedef {object} Edit
 * @property {string} file
 * @property {string} from occurs in the file exactly once
 * @property {string} to
 */

/** The only part of the module `os` that `@actions/core` uses. Loading the module takes 0.3 ms of each run. */
const LINE_END = "const os = { EOL: process.platform === 'win32' ? '\\r\\n' : '\\n' };"

/** @type {readonly Copy[]} */
const COPIES = [
  {
    // Marks its modules as free of side effects, so that the bundler can leave out unused ones. Its
    // OIDC client alone, which loads undici, takes longer to start than all the rest of the action.
    name: '@actions/core',
    manifest: { sideEffects: false },
    edits: [
      ...['lib/core.js', 'lib/command.js', 'lib/file-command.js'].map((file) => ({
        file,
        from: "import * as os from 'os';",
        to: LINE_END,
      })),
      {
        file: 'lib/file-command.js',
        // It only creates one random name, and refuses a value that contains it; node:crypto would
        // take a tenth of the start-up time for that.
        from: "import * as crypto from 'crypto';",
        to: `const random = () => Math.random().toString(36).slice(2);
const crypto = { randomUUID: () => \`\${random()}\${random()}\${random()}\` };`,
      },
    ],
  },
  {
    // Uses its ES modules, of which the bundler can also leave out parts.
    name: 'yaml',
    manifest: { type: 'module', exports: './browser/dist/index.js', sideEffects: false },
    without: ['browser/package.json'],
  },
  {
    // In the same folder as that yaml; otherwise its own yaml would be bundled, too.
    name: '@actions/workflow-parser',
    edits: [
      {
        file: 'dist/templates/schema/definition-info.js',
        // For every key and value of a workflow, the package copies and compares the names of
        // contexts. Nearly always the result is the list of the parent or of the definition. The
        // copies take 5 % of the processor time of "hookline check".
        from: 'if (this.definition.readerContext.length > 0) {',
        to: `const inherited = parent?.allowedContext ?? [];
        const own = this.definition.readerContext;
        if (inherited.length === 0) this.allowedContext = own;
        else if (own.some((context) => !inherited.includes(context))) {`,
      },
    ],
  },
]

/** The packages that bundles use in a changed form. */
export const COPIED = COPIES.map(({ name }) => name)

/**
 * Copies the packages to where modules in a folder find them first.
 *
 * @param {string} within
 */
export async function copyPackages(within) {
  for (const copy of COPIES) await copyPackage(within, copy)
}

/**
 * @param {string} within
 * @param {Copy} copy
 */
async function copyPackage(within, { name, manifest = {}, without = [], edits = [] }) {
  const folder = join(within, 'node_modules', name)
  await cp(new URL(name, PACKAGES), folder, { recursive: true })
  const original = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'))
  await writeFile(`${folder}/package.json`, JSON.stringify({ ...original, ...manifest }))
  for (const file of without) await rm(`${folder}/${file}`)
  for (const { file, from, to } of edits) {
    const text = await readFile(`${folder}/${file}`, 'utf8')
    await writeFile(`${folder}/${file}`, replaceOnce(text, from, to))
  }
}

/**
 * @param {string} text
 * @param {string} from
 * @param {string} to
 * @throws if `from` does not occur exactly once, as in a new version of a package
 */
export function replaceOnce(text, from, to) {
  const [before, after, ...more] = text.split(from)
  if (after === undefined || more.length > 0) throw new Error(`not there exactly once: ${from}`)
  return `${before}${to}${after}`
}
