import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { checkWorkflows } from '../../src/cli/check.ts'
import { GLOBS, HOOK, Repository, UNTRUSTED } from './support/repository.ts'

let repository: Repository
beforeEach(() => {
  repository = new Repository()
})
afterEach(() => repository.remove())

describe('check', () => {
  test('finds our mistakes and those that GitHub would find, at their places in the source', async () => {
    repository.write(
      'workflows/hook.yml',
      HOOK.replace('runs-on', 'run-on').replace('echo hi', `\${` + '{ nope.x }}'),
    )
    repository.write('workflows/other.yml', HOOK.replace('webhook', 'webhok'))
    const { errors, count } = await checkWorkflows(repository.root, GLOBS, false)
    expect(count).toBe(2)
    expect(
      errors.map(({ message, position }) => [position?.source.file, position?.line, message]),
    ).toEqual([
      ['workflows/other.yml', 1, 'unknown trigger "webhok"'],
      ['workflows/hook.yml', 4, "Unexpected value 'run-on'"],
      ['workflows/hook.yml', 6, expect.stringContaining("Unrecognized named-value: 'nope'")],
      ['workflows/hook.yml', 4, expect.stringContaining('Required property is missing: runs-on')],
    ])
  })

  test('has nothing to say of a good file, and writes nothing', async () => {
    expect(await checkWorkflows(repository.root, GLOBS, true)).toEqual({
      count: 1,
      errors: [],
      warnings: [],
    })
    expect(repository.list('.')).toEqual(['workflows'])
  })

  test('finds a script that does not compile, but for one that an expression completes', async () => {
    const scripts = (filter: string) =>
      HOOK.replace('on: webhook', `on: { webhook: { config: { filterScript: '${filter}' } } }`)
    expect(HOOK).toContain('on: webhook')
    repository.write('workflows/hook.yml', scripts('return item.x ==='))
    repository.write('workflows/late.yml', scripts('return item.x === ${{ vars.X }}'))
    repository.write('workflows/good.yml', scripts('return item.x === 1'))
    const { errors } = await checkWorkflows(repository.root, GLOBS, false)
    expect(errors.map(({ message, position }) => [position?.source.file, message])).toEqual([
      ['workflows/hook.yml', "config.filterScript: does not compile: Unexpected token '}'"],
    ])
  })

  test('counts untrusted text as --strict says', async () => {
    repository.write('workflows/hook.yml', UNTRUSTED)
    expect(await checkWorkflows(repository.root, GLOBS, false)).toMatchObject({
      errors: [],
      warnings: [{}],
    })
    expect(await checkWorkflows(repository.root, GLOBS, true)).toMatchObject({
      errors: [{}],
      warnings: [],
    })
  })
})
