import { mkdir, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import ncc from '@vercel/ncc'

const ONE_OUTPUT = `import { setOutput } from '@actions/core'\nsetOutput('fired', 'true')\n`

/**
 * A module without code.
 *
 * @param {string} folder
 */
export async function bareScript(folder) {
  const path = `${folder}/bare.mjs`
  await writeFile(path, '')
  return path
}

/**
 * A minimal action: it imports @actions/core and sets one output. It is bundled by ncc without
 * minification, as most actions are; minified, it would start more slowly.
 *
 * @param {string} folder
 */
export async function coreBundle(folder) {
  const cache = fileURLToPath(new URL('../node_modules/.cache/bench', import.meta.url))
  await mkdir(cache, { recursive: true })
  const entry = `${cache}/core.js`
  await writeFile(entry, ONE_OUTPUT)
  const { code } = await ncc(entry, { cache: false, quiet: true })
  await mkdir(`${folder}/core`)
  await writeFile(`${folder}/core/index.js`, code)
  await writeFile(`${folder}/core/package.json`, '{"type":"module"}')
  return `${folder}/core/index.js`
}

/**
 * Only parses the workflow files in its working directory.
 *
 * @param {string} folder
 */
export async function yamlScript(folder) {
  const path = `${folder}/parse.mjs`
  await writeFile(
    path,
    `import { readdirSync, readFileSync } from 'node:fs'
import { parseDocument } from '${import.meta.resolve('yaml')}'
const files = '.github/workflows'
for (const name of readdirSync(files)) parseDocument(readFileSync(\`\${files}/\${name}\`, 'utf8'))
`,
  )
  return path
}

/**
 * Parses each workflow file in its working directory once, by the parser of `check`, which is in
 * `build/`.
 *
 * @param {string} folder
 */
export async function parseScript(folder) {
  const path = `${folder}/parse-once.mjs`
  await writeFile(
    path,
    `import { readdirSync, readFileSync } from 'node:fs'
import { parseYaml } from '${new URL('../build/workflow/yaml.js', import.meta.url)}'
for (const folder of ['workflows', '.github/workflows']) {
  for (const name of readdirSync(folder)) {
    const file = \`\${folder}/\${name}\`
    parseYaml({ name, file, text: readFileSync(file, 'utf8') })
  }
}
`,
  )
  return path
}
