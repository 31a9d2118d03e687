import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PAGES } from './pages.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

const page = PAGES.find(({ name }) => name === 'CONTRIBUTING.md')

/** The blocks of CONTRIBUTING.md that a reader can run. */
export const BLOCKS = page?.blocks.filter(({ language }) => language !== 'mermaid') ?? []

export const RECIPES = BLOCKS.filter(({ heading }) => heading !== 'Contributing to Hookline')

/** Copies the files of the repository into a new folder, with its packages, for recipes to change. */
export async function copyOfRepository(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), 'hookline-recipe-'))
  const list = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
  const names = execFileSync('git', list, { cwd: ROOT, encoding: 'utf8' }).split('\0')
  // The type check begins with the results of the last one.
  for (const name of [...names.filter(Boolean), '.cache/tsc/main.tsbuildinfo']) {
    if (!existsSync(join(ROOT, name))) continue
    await mkdir(dirname(join(copy, name)), { recursive: true })
    await cp(join(ROOT, name), join(copy, name))
  }
  await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  return copy
}
