import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { runShared } from '../../support/cli.ts'
import { BOT_TOKEN } from '../../support/telegram.ts'

const run = promisify(execFile)

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hookline-init-'))
})

afterEach(() => rm(folder, { recursive: true }))

const hookline = (args: readonly string[], env: Record<string, string> = {}) =>
  runShared(args, { cwd: folder, env })

async function files(): Promise<string[]> {
  const all = await readdir(folder, { recursive: true, withFileTypes: true })
  return all.filter((entry) => entry.isFile()).map(({ name }) => name)
}

/** The indented lines below a heading. */
function below(heading: RegExp, text: string): string[] {
  const lines = text.split('\n')
  const start = lines.findIndex((line) => heading.test(line)) + 1
  const end = lines.findIndex((line, at) => at >= start && !line.startsWith('  '))
  return lines.slice(start, end).map((line) => line.trim())
}

/** The arguments of a pasted `hookline dev`. */
function pasted(line: string): string[] {
  const [name, ...args] = line.split(' ')
  expect(name).toBe('hookline')
  return args.map((arg) => arg.replace(/^'(.*)'$/, '$1'))
}

const BASH = spawnSync('bash', ['--version']).status === 0

/** A stand-in for gh that writes each call, with the value that it asks for, into a file. */
const GH = `#!/bin/sh
case "$*" in
  'auth status') ;;
  'secret set '*) read -r value && echo "$* = $value" >> "$CALLS" ;;
  *) echo "$*" >> "$CALLS" ;;
esac
`

;(BASH ? test : test.skip)('kind bot: each printed line works in bash', async () => {
  const programs = await mkdtemp(join(tmpdir(), 'hookline-init-programs-'))
  const calls = join(programs, 'calls')
  await writeFile(join(programs, 'gh'), GH, { mode: 0o755 })
  const env = { ...process.env, PATH: `${programs}:${process.env.PATH}`, CALLS: calls }
  const bash = (line: string) => {
    // A program that reads no input may end before the input is written.
    const input = line.startsWith('gh secret') ? `${BOT_TOKEN}\n` : ''
    execFileSync('bash', ['-c', line], { cwd: folder, env, input, stdio: 'pipe' })
  }
  bash(`git init -q -b main && git init -q --bare '${programs}/origin.git'
    git remote add origin '${programs}/origin.git'
    git config user.name a && git config user.email a@example.com`)
  const { stdout } = await hookline(['init', '--kind', 'bot'], { PATH: env.PATH })
  const printed = stdout.split('\n').filter((line) => line.startsWith('  '))
  const commands = printed.filter((line) => !/^ {2}https:\/\//.test(line))
  for (const line of commands) bash(line.trim())
  const pushed = await run('git', ['show', 'origin/main:.github/workflows'], {
    cwd: folder,
  })
  const asked = await readFile(calls, 'utf8')
  await rm(programs, { recursive: true })
  expect(pushed.stdout).toContain('bot.yml')
  expect(asked).toBe(`secret set BOT_TOKEN = ${BOT_TOKEN}\nworkflow run bot.yml\n`)
  expect(commands).toHaveLength(3)
})

test('kind bot: the printed link leads to a heading of the page', async () => {
  const { stdout } = await hookline(['init', '--kind', 'bot'])
  const [, page = '', anchor = ''] = /blob\/main\/(\S+)#(\S+)/.exec(stdout) ?? []
  const text = await readFile(new URL(`../../../${page}`, import.meta.url), 'utf8')
  const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading = '']) => heading)
  expect(headings.map((heading) => heading.toLowerCase().replaceAll(' ', '-'))).toContain(anchor)
})

test('kind compiled: the printed commands build the native workflow and add both files', async () => {
  const { stdout } = await hookline(['init', '--kind', 'compiled'])
  const [build = '', push = ''] = below(/^Commit and push it/, stdout)
  const [add = ''] = push.split(' && ')
  expect(await hookline(pasted(build))).toMatchObject({ exitCode: 0, stderr: '' })
  const made = await readFile(join(folder, '.github/workflows/hook.yml'), 'utf8')
  expect(made).toMatch(/uses: hookline\/hookline@v1$/m)
  await run('git', ['init', '-q'], { cwd: folder })
  await run('sh', ['-c', add], { cwd: folder })
  const { stdout: added } = await run('git', ['diff', '--cached', '--name-only'], { cwd: folder })
  expect(added.trim().split('\n')).toEqual(['.github/workflows/hook.yml', 'workflows/hook.yml'])
})

describe('hookline init', () => {
  test('takes the repository from the git remote', async () => {
    await run('git', ['init', '-q'], { cwd: folder })
    const remote = 'https://user:secret-token@github.com/octo/repo.git'
    await run('git', ['remote', 'add', 'origin', remote], { cwd: folder })
    const { stdout } = await hookline(['init', '--name', 'deploy'])
    expect(await files()).toContain('deploy.yml')
    expect(stdout).toContain('endpoint create deploy --repository octo/repo --workflow deploy ')
    expect(stdout).not.toContain('secret-token')
  })

  test('overwrites nothing', async () => {
    await mkdir(join(folder, '.github/workflows'), { recursive: true })
    const path = join(folder, '.github/workflows/hook.yml')
    await writeFile(path, 'mine')
    const { exitCode, stdout, stderr } = await hookline(['init'])
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toContain('.github/workflows/hook.yml')
    expect(await readFile(path, 'utf8')).toBe('mine')
  })

  test('refuses a folder below the root of a repository, since GitHub reads no workflow there', async () => {
    await run('git', ['init', '-q'], { cwd: folder })
    const below = join(folder, 'packages/web')
    await mkdir(below, { recursive: true })
    const { exitCode, stderr } = await runShared(['init'], { cwd: below })
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining('cd ../..;'),
    })
    expect(existsSync(join(below, '.github'))).toBe(false)
  })

  test('--kind compiled refuses a name whose built file exists', async () => {
    await mkdir(join(folder, '.github/workflows'), { recursive: true })
    await writeFile(join(folder, '.github/workflows/hook.yml'), 'mine')
    const { exitCode, stderr } = await hookline(['init', '--kind', 'compiled', '--name', 'hook'])
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringContaining('.github/workflows/hook.yml'),
    })
    expect(await files()).toEqual(['hook.yml'])
  })

  test.each([
    ['prints gh auth login without a login', 1, true],
    ['prints nothing of it with a login', 0, false],
  ])('looks at gh auth status, and %s', async (_, code, isAsked) => {
    const script = `#!/bin/sh\n[ "$*" = 'auth status' ] && exit ${code}\nexit 9\n`
    await writeFile(join(folder, 'gh'), script, { mode: 0o755 })
    const env = { PATH: `${folder}:${process.env.PATH}` }
    const { stdout } = await hookline(['init'], env)
    expect(stdout.includes('gh auth login')).toBe(isAsked)
  })

  test('prints the push and connect first, then the manual steps', async () => {
    const first = await hookline(['init'])
    expect(first.stdout).toMatch(
      /^Wrote [\s\S]*\n {2}git add .* && git commit .* && git push -u origin HEAD\n[\s\S]*\n {2}hookline connect\n[\s\S]*curl/,
    )
    const second = await hookline(['init', '--sender', 'stripe'])
    expect(second.stdout).toMatch(
      /\n {2}hookline connect stripe --workflow stripe\n[\s\S]*\n {2}gh secret set STRIPE_SIGNING_SECRET\n/,
    )
  })

  test('an error of the operating system names the path and the cure, and leaves no file', async () => {
    await writeFile(join(folder, '.github'), '')
    const { exitCode, stderr } = await hookline(['init'])
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringMatching(/\.github.*\((?:ENOTDIR|EEXIST)\)[\s\S]*path/),
    })
  })

  test('kind bot: the written workflow replies to each message', async () => {
    await hookline(['init', '--kind', 'bot'])
    const text = await readFile(join(folder, '.github/workflows/bot.yml'), 'utf8')
    expect(text).toMatch(
      /uses: hookline\/hookline\/reply@v1\n +with:\n +to: .*toJSON\(matrix\.on\)/,
    )
  })

  const WRONG = [
    ['a kind', ['--kind', 'wbhook'], 2, /webhook/],
    ['a name', ['--name', '../x'], 1, /"\.\.\/x"/],
    ['a name with an extension', ['--name', 'hook.yml'], 1, /extension/],
    ['a name that would end an expression', ['--name', "a'b"], 1, /a'b/],
    [
      'a dispatch mode',
      ['--dispatch', 'workflow_dispatch'],
      2,
      /Allowed choices are repository, workflow/,
    ],
    [
      'a dispatch mode of a bot',
      ['--kind', 'bot', '--dispatch', 'workflow'],
      2,
      /--sender telegram/,
    ],
  ] as const
  test.each(WRONG)(
    'says what is wrong with %s, and writes nothing',
    async (_, args, code, text) => {
      const { exitCode, stderr } = await hookline(['init', ...args])
      expect({ exitCode, stderr }).toEqual({ exitCode: code, stderr: expect.stringMatching(text) })
      expect(await files()).toEqual([])
    },
  )
})
