import { execFileSync, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { PAGES } from './pages.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

const FIRST_SCREEN = 'Contributing to Hookline'
const page = PAGES.find(({ name }) => name === 'CONTRIBUTING.md')
const blocks = page?.blocks.filter(({ language }) => language !== 'mermaid') ?? []
const recipes = blocks.filter(({ heading }) => heading !== FIRST_SCREEN)

test('every block of CONTRIBUTING.md is the first screen or a recipe of at most 15 lines', () => {
  expect(blocks.map(({ language }) => language)).toEqual(blocks.map(() => 'sh'))
  expect(recipes.length).toBeGreaterThanOrEqual(5)
  const long = recipes.filter(({ text }) => text.trimEnd().split('\n').length > 15)
  expect(long.map(({ heading }) => heading)).toEqual([])
  for (const { text } of recipes) expect(text).toMatch(/\nnpm run fix\nnpm test -- \S.*\n$/)
})

describe('on a copy of the repository, the recipe', () => {
  let copy: string
  beforeEach(async () => {
    copy = await mkdtemp(join(tmpdir(), 'hookline-recipe-'))
    const names = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' })
    for (const name of names.split('\0').filter(Boolean)) {
      await mkdir(dirname(join(copy, name)), { recursive: true })
      await writeFile(join(copy, name), await readFile(join(ROOT, name)))
    }
    await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
    for (const args of [
      ['init', '-q'],
      ['add', '-A'],
    ])
      execFileSync('git', args, { cwd: copy })
  })
  afterEach(() => rm(copy, { recursive: true }))

  test.each(recipes.map(({ heading, text }) => [heading, text]))('"%s" ends green', (_, text) => {
    const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail', '-c', text], {
      cwd: copy,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    })
    if (status !== 0) throw new Error(`exit code ${status}:\n${`${stdout}${stderr}`.slice(-6000)}`)
    expect(execFileSync('git', ['diff', '--stat'], { cwd: copy }).toString()).not.toBe('')
  })
})
