import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import { commandNames, optionsOf } from '../../scripts/docs/commands.js'
import { VERSION } from '../../src/wire/version.ts'
import { helpOf as printedHelp } from '../docs/help.ts'
import { CLI_BUNDLE, runShared } from '../support/cli.ts'

const COMMANDS = commandNames()

/** The help by command, each printed only once. */
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

  test.each([undefined, ...COMMANDS])('of %s fits 80 columns', (name) => {
    const wide = helpOf(name)
      .split('\n')
      .filter((line) => line.length > 80)
    expect(wide).toEqual([])
  })

  test.each(COMMANDS)('of %s begins lower case, and describes --json in one wording', (name) => {
    const options = optionsOf(helpOf(name))
    const upper = options.filter(({ meaning }) => /^[A-Z][a-z]/.test(meaning))
    expect(upper).toEqual([])
    const json = options.filter(({ flags }) => flags === '--json').map(({ meaning }) => meaning)
    const wording = /^print (JSON|one JSON line per \w+)$/
    expect(json.filter((text) => !wording.test(text))).toEqual([])
  })

  test.each(COMMANDS)('of %s: its examples use options that it has', (name) => {
    const lines = [...helpOf(name).matchAll(/^ {2}\$ hookline (\w+)(.*)$/gm)]
    for (const [line, command, rest = ''] of lines) {
      for (const [flag] of rest.matchAll(/--[a-z-]+/g)) {
        expect([line, helpOf(command ?? '')]).toEqual([line, expect.stringContaining(`  ${flag}`)])
      }
    }
  })

  test('no command takes a secret as an argument, which every process could read', () => {
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

  test('and docs/reference/commands.md give the same exit codes', () => {
    const docs = readFileSync(new URL('../../docs/reference/commands.md', import.meta.url), 'utf8')
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

test('a bundle works without its package, and prints its version', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'hookline-copy-'))
  await cp(dirname(CLI_BUNDLE), folder, { recursive: true })
  const { stdout } = await promisify(execFile)(process.execPath, [
    `${folder}/index.js`,
    '--version',
  ])
  await rm(folder, { recursive: true })
  expect(stdout).toBe(`${VERSION}\n`)
})

test('no colors are written to a pipe', async () => {
  const { stdout, stderr } = await runShared(['init', '--name', 'no name'])
  expect(stdout + stderr + helpOf()).not.toContain('\u001b[')
  expect(stderr).toMatch(/^error: /)
})
