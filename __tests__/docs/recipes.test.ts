import { spawnSync } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { BLOCKS, copyOfRepository, RECIPES } from './recipes.ts'

test('every block of CONTRIBUTING.md is the first screen or a recipe of at most 15 lines', () => {
  expect(BLOCKS.map(({ language }) => language)).toEqual(BLOCKS.map(() => 'sh'))
  expect(RECIPES.length).toBeGreaterThanOrEqual(5)
  const long = RECIPES.filter(({ text }) => text.trimEnd().split('\n').length > 15)
  expect(long.map(({ heading }) => heading)).toEqual([])
  for (const { text } of RECIPES) expect(text).toMatch(/\nnpm run fix\nnpm test -- \S.*\n$/)
})

/** A `sed` that fails if it changes nothing. */
const STRICT_SED = `sed() {
  local file="\${@: -1}" before
  before="$(cat "$file")"
  command sed "$@"
  [ "$before" != "$(cat "$file")" ] || { echo "sed changed nothing in $file" >&2; return 1; }
}
`

// recipes.soak.test.ts also runs `npm run fix` and the tests of each recipe.
describe('on one copy of the repository', () => {
  let copy: string
  let failures: readonly string[]
  beforeAll(async () => {
    copy = await copyOfRepository()
    failures = RECIPES.map(({ text }) => {
      const changes = text.replace(/^npm .*\n/gm, '')
      const script = ['--norc', '-euo', 'pipefail', '-c', STRICT_SED + changes]
      return spawnSync('bash', script, { cwd: copy, encoding: 'utf8' }).stderr
    })
  })
  afterAll(() => rm(copy, { recursive: true }))

  test.each(RECIPES.map(({ heading }, at) => [heading, at] as const))(
    'every line of "%s" changes its file',
    (_, at) => expect(failures[at]).toBe(''),
  )

  test('the results of all recipes pass the type check', () => {
    const tsc = join(copy, 'node_modules/.bin/tsc')
    const { status, stdout } = spawnSync(tsc, [], {
      cwd: copy,
      encoding: 'utf8',
    })
    expect([status, stdout]).toEqual([0, ''])
  }, 300_000)
})
