import { spawnSync } from 'node:child_process'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { CLI_BUNDLE, runShared } from '../support/cli.ts'
import { HOOK, Repository, UNTRUSTED } from './support/repository.ts'

let repository: Repository
beforeEach(() => {
  repository = new Repository()
})
afterEach(() => repository.remove())

/** Runs a command in the process that this suite shares. */
async function hookline(...args: string[]) {
  const { exitCode: status, ...printed } = await runShared(args, { cwd: repository.root })
  return { status, ...printed }
}

test('hookline build writes, and --check then finds nothing to say', async () => {
  const run = { cwd: repository.root, encoding: 'utf8', timeout: 60_000 } as const
  expect(spawnSync(process.execPath, [CLI_BUNDLE, 'build'], run)).toMatchObject({
    status: 0,
    stdout: 'wrote .github/workflows/hook.yml (from workflows/hook.yml)\n',
    stderr: '',
  })
  expect((await hookline('build', '--check')).status).toBe(0)
})

test('hookline build --check shows what differs, and exits with 1', async () => {
  await hookline('build')
  repository.write('workflows/hook.yml', HOOK.replace('echo hi', 'echo ho'))
  const { status, stdout, stderr } = await hookline('build', '--check')
  expect(status).toBe(1)
  expect(stdout).toContain('\n-      - run: echo hi\n+      - run: echo ho\n')
  expect(stderr).toContain('compiled files are not up to date')
})

test('hookline build --check does not suggest a build that would not overwrite manual changes', async () => {
  await hookline('build')
  const made = repository.read('.github/workflows/hook.yml')
  repository.touch('workflows/hook.yml', -60)
  repository.write('.github/workflows/hook.yml', made.replace('echo hi', 'echo ho'))
  const { status, stderr } = await hookline('build', '--check')
  expect(status).toBe(1)
  expect(stderr).toContain('edited manually')
  expect(stderr).not.toContain('not up to date')
})

test('with --json there is one object, also of mistakes', async () => {
  const good = await hookline('build', '--json')
  expect(JSON.parse(good.stdout)).toMatchObject({ ok: true, files: [{ status: 'new' }] })
  repository.write('workflows/hook.yml', HOOK.replace('webhook', 'webhok'))
  const place = { file: 'workflows/hook.yml', line: 1, column: 5, endColumn: 11 }
  const findings = [{ id: 'unknown-trigger', level: 'error', ...place }]
  for (const [command, told] of [
    ['build', { ok: false, findings }],
    ['check', { findings }],
  ] as const) {
    const { status, stdout, stderr } = await hookline(command, '--json')
    expect([status, stderr]).toEqual([1, ''])
    expect(JSON.parse(stdout)).toMatchObject(told)
  }
})

test('check says what it looked for where there is nothing to check', async () => {
  const file = '.github/workflows/hook.yml'
  repository.write(
    file,
    HOOK.replace('webhook', 'push').replace('run: echo hi', 'uses: hookline/hokline@v1'),
  )
  renameSync(join(repository.root, 'workflows'), join(repository.root, 'away'))
  const looked = 'nothing to check: no file matches workflows/**/*.{yml,yaml}'
  expect(await hookline('check')).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(looked),
  })
  const named = await hookline('check', file)
  expect(named.stdout).toBe(`${file} does not use Hookline\n1 file not checked\n`)
})

test('a mistake is shown in its line, and exits with 1', async () => {
  repository.write('workflows/hook.yml', UNTRUSTED)
  const { status, stderr } = await hookline('check', '--strict')
  expect(status).toBe(1)
  expect(stderr).toContain('  --> workflows/hook.yml:6:23\n')
  expect(stderr).toContain('^^^^^^^^^^^^^^^^^^^^^^^')
})

test.each([
  ['build', '--check', '--explain'],
  ['build', '--nope'],
])('hookline %s %s %s is wrong usage', async (...args) => {
  expect((await hookline(...args)).status).toBe(2)
})

/** Control characters of a terminal, and lines that a runner executes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for control characters
const OBEYED = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]|^\s*::|##\[/m

const EVIL = [
  '\u001b[31mx',
  '\u001b]0;title\u0007',
  '\u009b31m\u009d0;t',
  '\u202ex',
  'a\nb\r',
  '\n::error::x',
  '##[set-output name=a]b',
]

test.each([
  ['check', '--fix', '--strict'],
  ['build', '--check'],
  ['build', '--check', '--json'],
  ['check'],
  ['check', '--json'],
])(
  'the name of a file or of an option is not executed by a terminal or a runner: %s %s %s',
  async (...args) => {
    const write = (file: string, text: string) => {
      for (const evil of EVIL) repository.write(`workflows/${evil}${file}`, text)
    }
    const obeyed = async (...more: string[]) => {
      const { status, stdout, stderr } = await hookline(...args, ...more)
      expect(status).toBeLessThan(3)
      return OBEYED.exec(stdout) ?? OBEYED.exec(stderr)
    }
    repository.write('workflows/##[set-output name=a]\u202eb/x.yml', UNTRUSTED)
    expect(await obeyed()).toBeNull()
    write('/hook.yml', HOOK.replace('webhook', '{webhok: }'))
    write('/hook.yaml', HOOK)
    write('.yml', HOOK)
    expect(await obeyed()).toBeNull()
    expect(await obeyed(`--state=${EVIL.join('')}`)).toBeNull()
    expect(await obeyed(...EVIL)).toBeNull()
  },
)
