import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundlesForTests } from '../build/for-tests.js'

const FOLDER = '__tests__/compiler'

/**
 * The compiled files in __tests__/compiler/golden, from the sources of the same names. A person approves
 * these files, so read the difference before you commit it.
 *
 * @returns {Promise<import('./files.js').GeneratedFiles>}
 */
export async function goldenFiles() {
  const cli = join(await bundlesForTests(), 'dist/cli/index.js')
  const golden = await readdir(join(FOLDER, 'golden'))
  const names = golden.filter((name) => name.endsWith('.yml') && !name.endsWith('.jobs.yml'))
  const branches = await readdir(join(FOLDER, 'branches'))
  const folder = await mkdtemp(join(tmpdir(), 'hookline-golden-'))
  try {
    await mkdir(join(folder, '.github'))
    for (const name of names) {
      const source = join(FOLDER, branches.includes(name) ? 'branches' : 'workflows', name)
      await cp(source, join(folder, 'workflows', name))
      const dispatch = name.startsWith('direct') ? 'workflow' : 'repository'
      await writeFile(join(folder, '.github/hookline.yml'), `dispatch: ${dispatch}\n`)
      execFileSync(process.execPath, [cli, 'build', `workflows/${name}`], {
        cwd: folder,
        stdio: 'pipe',
      })
    }
    const compiled = await readdir(join(folder, '.github/workflows'))
    const texts = compiled.map(async (name) => {
      const content = await readFile(join(folder, '.github/workflows', name))
      return /** @type {const} */ ([`${FOLDER}/golden/${name}`, { content }])
    })
    return { files: new Map(await Promise.all(texts)) }
  } finally {
    await rm(folder, { recursive: true })
  }
}
