import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { git } from '../../src/cli/git.ts'
import { runShared } from '../support/cli.ts'

let folder: string
let started: string
const plainGit = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' })

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-git-'))
  started = join(folder, '.git/started')
  await mkdir(join(folder, 'workflows'))
  await writeFile(join(folder, 'workflows/hook.yml'), WORKFLOW)
  await writeFile(join(folder, '.gitattributes'), '*.yml filter=evil diff=evil\n')
  plainGit('init', '-q')
  plainGit('add', '-A')
  plainGit('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'First')
  const program = join(folder, '.git/evil')
  await writeFile(program, `#!/bin/sh\necho "$0" >> '${started}'\ncat\n`)
  await chmod(program, 0o755)
  await mkdir(join(folder, '.git/evil-hooks'))
  for (const hook of ['post-index-change', 'fsmonitor-watchman']) {
    await writeFile(join(folder, '.git/evil-hooks', hook), `#!/bin/sh\ntouch '${started}'\n`)
    await chmod(join(folder, '.git/evil-hooks', hook), 0o755)
  }
  plainGit('config', 'core.hooksPath', '.git/evil-hooks')
  for (const name of ['core.fsmonitor', 'filter.evil.clean', 'filter.evil.smudge', 'gpg.program'])
    plainGit('config', name, program)
  plainGit('config', 'filter.evil.required', 'true')
  plainGit('config', 'log.showSignature', 'true')
})
afterEach(() => rm(folder, { recursive: true }))

const WORKFLOW = `on: webhook
jobs:
  a:
    runs-on: ubuntu-latest
    steps:
      - run: echo
`

describe('the configuration of a folder starts no program', () => {
  /** Writes a file of the same size, so that git compares the contents, which runs the filter. */
  const change = () =>
    writeFile(join(folder, 'workflows/hook.yml'), WORKFLOW.replace('echo', 'true'))

  test('as plain git would', async () => {
    await change()
    plainGit('status')
    expect(existsSync(started)).toBe(true)
  })

  test.each([
    ['status', '--porcelain', '--ignore-submodules=all'],
    ['ls-files', '-z', '--modified', '--others'],
    ['log', '-1', '--format=%H'],
  ])('of git %s', async (...args) => {
    await change()
    expect(git(folder, ...args)).not.toBe('')
    expect(existsSync(started)).toBe(false)
  })

  const STATUS = ['status', '--porcelain', '--ignore-submodules=all']

  test('of a filter with "=" in its name', async () => {
    plainGit('config', 'filter.a=b.clean', join(folder, '.git/evil'))
    await writeFile(join(folder, '.gitattributes'), '*.yml filter=a=b\n')
    await change()
    expect(git(folder, ...STATUS)).toContain('workflows/hook.yml')
    expect(existsSync(started)).toBe(false)
    plainGit('status')
    expect(existsSync(started)).toBe(true)
  })

  test('of the remote of a partial clone', async () => {
    const tree = execFileSync('git', ['rev-parse', 'HEAD^{tree}'], {
      cwd: folder,
      encoding: 'utf8',
    })
    await rm(join(folder, '.git/objects', tree.slice(0, 2), tree.slice(2).trim()))
    for (const [name = '', value = ''] of [
      ['core.repositoryFormatVersion', '1'],
      ['extensions.partialClone', 'evil'],
      ['remote.evil.url', 'octo/repo'],
      ['remote.evil.promisor', 'true'],
      ['remote.evil.uploadpack', `touch '${started}'; false`],
    ])
      plainGit('config', name, value)
    await mkdir(join(folder, 'octo'))
    plainGit('clone', '-q', '--bare', '.', 'octo/repo')
    git(folder, ...STATUS)
    git(folder, 'log', '-1', '--format=%H', '--', 'workflows')
    expect(existsSync(started)).toBe(false)
    expect(() => plainGit('status')).toThrow()
    expect(existsSync(started)).toBe(true)
  })

  test('and the configuration in the variables of the user stays', async () => {
    const user = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'Ada' }
    Object.assign(process.env, user)
    try {
      expect(git(folder, 'config', 'user.name')).toBe('Ada')
      expect(git(folder, 'config', 'core.hooksPath')).toBe('/dev/null')
    } finally {
      for (const name of Object.keys(user)) delete process.env[name]
    }
  })

  test.each([['build'], ['build', '--check'], ['check'], ['init', '--name', 'other']])(
    'of hookline %s',
    async (...args) => {
      expect((await runShared(args, { cwd: folder })).exitCode).toBeLessThan(2)
      await change()
      await runShared(args, { cwd: folder })
      expect(existsSync(started)).toBe(false)
    },
  )
})

test('outside of a repository git says nothing', async () => {
  await rm(join(folder, '.git'), { recursive: true })
  expect(git(folder, 'status')).toBeUndefined()
})
