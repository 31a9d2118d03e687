import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { areInstalled } from '../support/installed.ts'

/**
 * `.pre-commit-hooks.yaml` with pre-commit itself, from the configuration in docs/guides/test-in-ci.md. Only
 * the address and the version of the repository differ: both are those of a clone.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PAGE = readFileSync(join(ROOT, 'docs/guides/test-in-ci.md'), 'utf8')
const [, CONFIG = ''] = /```yaml\n# \.pre-commit-config\.yaml\n(.*?)```/s.exec(PAGE) ?? []

const workflow = (script: string) => `on: webhook
jobs:
  show:
    runs-on: ubuntu-latest
    steps:
      - env: { TEXT: '\${{ on.webhook.outputs.body.text }}' }
        run: ${script}
`

const run = areInstalled('pre-commit', 'git') ? describe : describe.skip

run('pre-commit', () => {
  let folder: string
  let user: string
  let clone: string
  const env = () => ({ ...process.env, PRE_COMMIT_HOME: join(folder, 'home') })
  const inUser = (program: string, ...words: readonly string[]) =>
    execFileSync(program, words, { cwd: user, env: env(), encoding: 'utf8' }).trim()
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(user, path)), { recursive: true })
    writeFileSync(join(user, path), text)
  }
  /** Commits all files. @returns the exit code and the output */
  const commit = () => {
    inUser('git', 'add', '--all')
    const words = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-m', 'Change']
    const { status, stdout, stderr } = spawnSync('git', words, {
      cwd: user,
      env: env(),
      encoding: 'utf8',
    })
    return { status, output: stdout + stderr }
  }
  const build = () => inUser(process.execPath, join(clone, 'dist/cli/index.js'), 'build')

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hookline-pre-commit-'))
    clone = join(folder, 'clone')
    user = join(folder, 'user')
    execFileSync('git', ['clone', '-q', '--no-hardlinks', ROOT, clone])
    const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: clone, encoding: 'utf8' })
    execFileSync('git', ['init', '-q', user])
    write(
      '.pre-commit-config.yaml',
      CONFIG.replace(/repo: .*/, `repo: ${clone}`).replace(/rev: .*/, `rev: ${head.trim()}`),
    )
    inUser('pre-commit', 'install')
  }, 120_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  test('accepts a workflow without a finding, with its compiled file', () => {
    write('workflows/hook.yml', workflow('echo "$TEXT"'))
    build()
    const { status, output } = commit()
    expect(output).toMatch(/hookline check\.+Passed\n.*hookline build --check\.+Passed/s)
    expect(status).toBe(0)
  })

  test('refuses a workflow that differs from its compiled file, and names the file', () => {
    write('workflows/hook.yml', workflow('echo "$TEXT" again'))
    const { status, output } = commit()
    expect(status).toBe(1)
    expect(output).toMatch(/hookline check\.+Passed/)
    expect(output).toMatch(/hookline build --check\.+Failed.*\.github\/workflows\/hook\.yml/s)
  })

  test('refuses a workflow with a finding, and names the rule', () => {
    write('workflows/hook.yml', workflow('echo ${{ on.webhook.outputs.body.text }}'))
    build()
    const { status, output } = commit()
    expect(status).toBe(1)
    expect(output).toMatch(/hookline check\.+Failed.*script-injection/s)
  })

  test('runs no hook for a commit without workflows', () => {
    inUser('git', 'checkout', '--quiet', '--force', 'HEAD')
    write('README.md', 'A page\n')
    const { status, output } = commit()
    expect(output).toMatch(/hookline check\.+\(no files to check\)Skipped/)
    expect(status).toBe(0)
  })
})
