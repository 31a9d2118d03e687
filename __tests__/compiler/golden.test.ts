import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { compileText, FIXTURES } from './support/compiled.ts'

/**
 * Whole compiled files that a person has reviewed. After an intended change run `npm run generate --
 * golden`, and review the difference.
 */
const folder = new URL('golden/', import.meta.url)
const names = readdirSync(folder).flatMap((file) => /^(.*)(?<!\.jobs)\.yml$/.exec(file)?.[1] ?? [])

/** Sources of many branches, of which not every property of a common workflow is true. */
const branches = readdirSync(new URL('branches/', import.meta.url)).map((file) =>
  file.replace('.yml', ''),
)

test('every workflow has its compiled file', () => {
  expect(names.toSorted()).toEqual([...FIXTURES, ...branches].toSorted())
})

test.each(names)(
  '%s is compiled as approved, otherwise run: npm run generate -- golden',
  async (name) => {
    const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8')
    const source = read(`${branches.includes(name) ? 'branches' : 'workflows'}/${name}.yml`)
    const { main, jobs, isOne } = await compileText(source, {
      name,
      ...(name.startsWith('direct') && { dispatch: 'workflow' }),
    })
    expect(main).toBe(read(`golden/${name}.yml`))
    expect(isOne).toBe(!existsSync(new URL(`golden/${name}.jobs.yml`, import.meta.url)))
    if (!isOne) expect(jobs).toBe(read(`golden/${name}.jobs.yml`))
  },
)
