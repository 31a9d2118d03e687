import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { commandNames } from '../../scripts/docs/commands.js'
import { helpOf as printedHelp } from '../docs/help.ts'
import { CLI_BUNDLE, runShared } from '../support/cli.ts'

const COMMANDS = commandNames()

/** Each is printed only once. */
const HELP = new Map<string | undefined, string>()
for (const name of [undefined, ...COMMANDS]) HELP.set(name, await printedHelp(name))

function helpOf(name?: string): string {
  return HELP.get(name) ?? ''
}

describe('help', () => {
  test('names every command and every exit code', () => {
    expect(COMMANDS).toEqual(expect.arrayContaining(['init', 'dev', 'send', 'doctor', 'relay']))
    expect(helpOf()).toMatch(/Exit codes:\n {2}0 .*\n {2}1 .*\n {2}2 .*\n {2}70 /)
  })

  test.each(COMMANDS)('of %s has examples that name it', (name) => {
    expect(helpOf(name)).toMatch(
      new RegExp(`Examples?:\n(?: {2}\\$ .*\n)* {2}\\$ hookline ${name}\\b`),
    )
  })

  test.each(COMMANDS)('of %s describes every option', (name) => {
    const options =
      helpOf(name)
        .split(/^Options:\n/m)[1]
        ?.split('\n\n')[0] ?? ''
    const bare = options.split('\n').filter((line) => /^ {2}-\S+( <\S+>)?$/.test(line))
    expect(bare).toEqual([])
  })

  test.each(COMMANDS)('of %s: its examples use options that it has', (name) => {
    const lines = [...helpOf(name).matchAll(/^ {2}\$ hookline (\w+)(.*)$/gm)]
    for (const [line, command, rest = ''] of lines) {
      for (const [flag] of rest.matchAll(/--[a-z-]+/g)) {
        expect([line, helpOf(command ?? '')]).toEqual([line, expect.stringContaining(`  ${flag}`)])
      }
    }
  })

  test('peers’ fault: no secret is taken as an argument of a command, where every process sees it', () => {
    const flags = COMMANDS.flatMap((name) =>
      [...helpOf(name).matchAll(/^\s+(?:-\w, )?(--[a-z-]+)(?: (<[^>]+>))?/gm)].map(
        ([, flag, value]) => [name, flag, value] as const,
      ),
    )
    expect(flags.length).toBeGreaterThan(20)
    const secret = /secret|token|password/
    // `--secret-env` takes the name of a variable.
    const taking = flags.filter(
      ([, flag = '', value]) => secret.test(flag) && !flag.endsWith('-env') && value !== undefined,
    )
    expect(taking).toEqual([])
  })

  test('and docs/cli.md give the same exit codes', () => {
    const docs = readFileSync(new URL('../../docs/cli.md', import.meta.url), 'utf8')
    const [, listed = ''] = helpOf().split('Exit codes:\n')
    const codes = [...listed.matchAll(/^ {2}(\d+) +(.*)$/gm)].map(
      ([, code, text]) => `| ${code} | ${text} |`,
    )
    expect(codes).toHaveLength(4)
    for (const row of codes) expect(docs).toContain(row)
  })

  test('without a command goes to standard error, as wrong usage', async () => {
    const { exitCode, stdout, stderr } = await runShared([])
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
    expect(stderr).toContain('Commands:')
  })

  test('--version prints the version of the package', async () => {
    const { version } = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    )
    expect(await runShared(['--version'])).toMatchObject({ exitCode: 0, stdout: `${version}\n` })
  })
})

test('a bundle that was copied out of its package still works', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hookline-copy-'))
  await cp(dirname(CLI_BUNDLE), folder, { recursive: true })
  const { stdout } = await promisify(execFile)(process.execPath, [
    `${folder}/index.js`,
    '--version',
  ])
  await rm(folder, { recursive: true })
  expect(stdout).toBe('unknown\n')
})

describe('a typo gets the name that was meant', () => {
  const long = (help: string) =>
    [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, flag]) => flag ?? '')
  const rows = COMMANDS.flatMap((name) =>
    long(helpOf(name))
      .filter((flag) => flag !== '--help')
      .slice(0, 2)
      .map((flag) => [name, flag] as const),
  )

  test.each(COMMANDS)('%s', async (name) => {
    const typo = `${name}x`
    const { exitCode, stderr } = await runShared([typo])
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringMatching(`unknown command '${typo}'[^]*Did you mean [^]*${name}`),
    })
  })

  /** A command that lacks what it needs says so first. */
  const NEEDED: Record<string, string[]> = {
    seal: ['--repository', 'octo/repo'],
    grant: ['--repository', 'octo/repo'],
    app: ['create', '--relay', 'https://relay.example.com'],
    outbox: ['list', '--relay', 'https://relay.example.com'],
  }
  test.each(rows)('%s %s', async (name, flag) => {
    const { exitCode, stderr } = await runShared([name, ...(NEEDED[name] ?? []), `${flag}x`])
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringMatching(`unknown option '${flag}x'[^]*Did you mean [^]*${flag}`),
    })
  })
})

describe('colours', () => {
  const ESCAPE = '\u001b['
  let plain: { stdout: string; stderr: string }

  beforeAll(async () => {
    plain = await runShared(['init', '--name', 'no name'])
  })

  test('are not written to what is no terminal', () => {
    expect(plain.stdout + plain.stderr + helpOf()).not.toContain(ESCAPE)
    expect(plain.stderr).toMatch(/^error: /)
  })
})
