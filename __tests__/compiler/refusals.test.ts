import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { nameProblems } from '../../src/compiler/names.ts'
import { errorsOf, HOOK, Repository } from './support/repository.ts'

let repository: Repository
beforeEach(() => {
  repository = new Repository()
})
afterEach(() => repository.remove())

describe('R45: build refuses', () => {
  test.each(['hook.yml', 'hook.jobs.yml'])('to overwrite %s of a person', async (name) => {
    repository.write(`.github/workflows/${name}`, 'on: push # mine\n')
    expect(errorsOf(await repository.build())).toEqual([
      `.github/workflows/${name} was not written by hookline build, so it is left as it is`,
    ])
    expect(repository.list('.github/workflows')).toEqual([name])
    expect(repository.read(`.github/workflows/${name}`)).toBe('on: push # mine\n')
  })

  test('a file that is a link, also to a compiled one, and a folder of that name', async () => {
    await repository.build()
    const compiled = repository.read('.github/workflows/hook.yml')
    repository.write('elsewhere.yml', compiled)
    rmSync(join(repository.root, '.github/workflows/hook.yml'))
    symlinkSync(
      join(repository.root, 'elsewhere.yml'),
      join(repository.root, '.github/workflows/hook.yml'),
    )
    expect(errorsOf(await repository.build())).toHaveLength(1)
    expect(repository.read('elsewhere.yml')).toBe(compiled)
    rmSync(join(repository.root, '.github/workflows/hook.yml'))
    mkdirSync(join(repository.root, '.github/workflows/hook.yml'))
    expect(errorsOf(await repository.build())).toHaveLength(1)
  })

  test.each(['.github', '.github/workflows'])('to write where %s leads by a link', async (link) => {
    const outside = mkdtempSync(join(tmpdir(), 'hookline-outside-'))
    mkdirSync(join(outside, 'workflows'))
    mkdirSync(dirname(join(repository.root, link)), { recursive: true })
    symlinkSync(outside, join(repository.root, link))
    expect(errorsOf(await repository.build())).toEqual([
      '.github/workflows leads elsewhere by a symbolic link',
    ])
    expect([readdirSync(outside), readdirSync(join(outside, 'workflows'))]).toEqual([
      ['workflows'],
      [],
    ])
    rmSync(outside, { recursive: true })
  })

  test('to read a workflow that lies outside', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'hookline-outside-'))
    writeFileSync(join(outside, 'secret.yml'), HOOK)
    symlinkSync(join(outside, 'secret.yml'), join(repository.root, 'workflows/secret.yml'))
    expect(errorsOf(await repository.build())).toEqual(['workflows/secret.yml leads out by a link'])
    rmSync(outside, { recursive: true })
  })

  test.each([
    [
      'two files of one name',
      'workflows/a/hook.yaml',
      'workflows/a/hook.yaml and workflows/hook.yml would be',
    ],
    [
      'names that differ in case only',
      'workflows/Hook.yml',
      'workflows/Hook.yml and workflows/hook.yml would be',
    ],
    [
      'a file named like the jobs of another',
      'workflows/hook.jobs.yml',
      'workflows/hook.jobs.yml and workflows/hook.yml would be',
    ],
    ['a name that no URL can hold', 'workflows/a b.yml', 'cannot be compiled under this name'],
    ['a name of a device', 'workflows/con.yml', 'cannot be compiled under this name'],
    ['a name of other letters', 'workflows/grüße.yml', 'cannot be compiled under this name'],
  ])('%s', async (_, file, message) => {
    repository.write(file, HOOK)
    expect(errorsOf(await repository.build())).toEqual([expect.stringContaining(message)])
    expect(existsSync(join(repository.root, '.github'))).toBe(false)
  })

  test('every name that could leave the folder', () => {
    const parts = fc.constantFrom(
      '..',
      '.',
      '/',
      '\\',
      'a',
      'CON',
      'nul',
      ' ',
      ':',
      '%2e',
      '\0',
      'é',
      '-',
    )
    fc.assert(
      fc.property(fc.array(parts, { minLength: 1 }), (some) => {
        const name = some.join('')
        if (nameProblems([{ name, file: name }]).length > 0) return
        expect(join('/out', `${name}.jobs.yml`)).toBe(`/out/${name}.jobs.yml`)
        expect(name).toMatch(/^[A-Za-z0-9._-]+$/)
      }),
      { numRuns: 1000 },
    )
  })
})
