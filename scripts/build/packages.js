import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const PACKAGES = new URL('../../node_modules/', import.meta.url)

/**
 * A package that bundles take in another form than npm brings it. The one in node_modules stays as it
 * is: a copy is put where the compiled modules find it first.
 *
 * @typedef {object} Copy
 * @property {string} name
 * @property {object} [manifest] what its package.json says otherwise
 * @property {readonly string[]} [without] files left out
 * @property {readonly Edit[]} [edits]
 *
 * @typedef {object} Edit
 * @property {string} file
 * @property {string} from stands in it exactly once
 * @property {string} to
 */

/** @type {readonly Copy[]} */
const COPIES = [
  {
    // Its modules only define things: so the bundler may leave out what nobody calls. Its OIDC client
    // alone, which loads undici, takes longer to start than all the rest of the action.
    name: '@actions/core',
    manifest: { sideEffects: false },
    edits: [
      {
        file: 'lib/file-command.js',
        // Only one random name is made, and a value that holds it is refused: node:crypto would cost
        // a tenth of the start-up for that.
        from: "import * as crypto from 'crypto';",
        to: `const random = () => Math.random().toString(36).slice(2);
const crypto = { randomUUID: () => \`\${random()}\${random()}\${random()}\` };`,
      },
    ],
  },
  {
    // Its build of ES modules, of which the bundler can leave parts out too.
    name: 'yaml',
    manifest: { type: 'module', exports: './browser/dist/index.js', sideEffects: false },
    without: ['browser/package.json'],
  },
  // As it is, but beside that yaml: else its own would be bundled as well.
  { name: '@actions/workflow-parser' },
]

/** What bundles take in another form. */
export const COPIED = COPIES.map(({ name }) => name)

/**
 * Puts the copies where modules in a folder find them.
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
 * @throws when a new version of a package says it otherwise
 */
export function replaceOnce(text, from, to) {
  const [before, after, ...more] = text.split(from)
  if (after === undefined || more.length > 0) throw new Error(`not there exactly once: ${from}`)
  return `${before}${to}${after}`
}
