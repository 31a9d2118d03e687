import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { commandNames } from '../../scripts/docs/commands.js'
import { CLI_BUNDLE, runShared } from '../support/cli.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookline-completion-'))
  mkdirSync(join(folder, 'workflows'))
  mkdirSync(join(folder, '.github/workflows'), { recursive: true })
  writeFileSync(
    join(folder, 'workflows/deploy.yml'),
    'on:\n  webhook:\njobs: {a: {runs-on: x, steps: [{run: x}]}}\n',
  )
  writeFileSync(
    join(folder, '.github/workflows/chat.yml'),
    'on: repository_dispatch\njobs:\n  on:\n    runs-on: ubuntu-latest\n    steps:\n      - uses: hookline/hookline@v1\n        with:\n          on: |\n            slack:\n              verify: { secret: x }\n',
  )
  writeFileSync(join(folder, 'request.json'), '{}')
  mkdirSync(join(folder, 'bin'))
  const program = join(folder, 'bin/hookline')
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${CLI_BUNDLE}' "$@"\n`, {
    mode: 0o755,
  })
})
afterAll(() => rmSync(folder, { recursive: true }))

async function fitting(...words: readonly string[]): Promise<readonly string[]> {
  const { stdout, stderr, exitCode } = await runShared(['completion', 'words', '--', ...words], {
    cwd: folder,
  })
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 })
  return stdout.split('\n').flatMap((line) => line.split('\t')[0] || [])
}

describe('completions are', () => {
  const rows: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['a command begun', ['do'], ['doctor']],
    ['an option begun', ['doctor', '--send'], ['--send-test']],
    ['an option of a command of its own', ['outbox', 'list', '--wa'], ['--watch']],
    ['a command of its own', ['keys', 'p'], ['public']],
    ['a choice', ['init', '--kind', ''], ['webhook', 'bot', 'compiled']],
    ['a choice behind =', ['init', '--kind=bo'], ['--kind=bot']],
    ['a choice behind =, as bash parts it', ['init', '--kind', '=', 'bo'], ['bot']],
    [
      'a choice behind = alone, as bash parts it',
      ['init', '--agent', '='],
      ['claude', 'codex', 'gemini'],
    ],
    ['a sender', ['connect', 'strip'], ['stripe']],
    ['a sender of an option', ['send', '--sender', 'gith'], ['github']],
    ['a recorded request', ['send', '--example', 'github.pus'], ['github.push']],
    ['a workflow', ['url', ''], ['chat', 'deploy']],
    ['a workflow of an option', ['doctor', '--workflow', 'd'], ['deploy']],
    ['a trigger', ['url', 'chat', '--trigger', 's'], ['slack']],
    ['a path', ['grant', '--path', 'dep'], ['deploy/webhook']],
    [
      'a kind of update, and another',
      ['url', 'bot', '--updates', 'message', 'callback'],
      ['callback_query'],
    ],
    ['a file', ['send', '--file', ''], [':files']],
    ['a file behind a flag', ['check', '--strict', ''], [':files']],
    ['nothing behind the last argument', ['url', 'chat', ''], []],
    ['no option behind --', ['check', '--', '--st'], [':files']],
    ['nothing for free text', ['send', '--data', ''], []],
    ['nothing for what is no command', ['nope', 'do'], []],
    ['nothing for an unknown option', ['init', '--nope=x'], []],
  ]
  test.each(rows)('%s', async (_, words, wanted) => {
    expect([...(await fitting(...words))].sort()).toEqual([...wanted].sort())
  })

  test('all commands for an empty line', async () => {
    expect(await fitting('')).toEqual(expect.arrayContaining(commandNames()))
    expect(await fitting()).toEqual(expect.arrayContaining(['connect', 'completion']))
  })
})

/** Types lines into a shell with a completion at each tab; returns the completed lines. */
function typedInBash(lines: readonly string[]): string {
  const script = [
    'source <(hookline completion bash)',
    // The completed command is printed instead of run.
    'hookline() { if [ "$1" = completion ]; then command hookline "$@"; else printf "<%s>" "$@"; echo; fi; }',
    ...lines,
    'exit',
  ].join('\n')
  return execFileSync('bash', ['--norc', '--noprofile', '-i'], {
    cwd: folder,
    input: `${script}\n`,
    encoding: 'utf8',
    env: { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, TERM: 'dumb', HOME: folder },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
}

const TYPED = [
  ['hookline doc\t --send\t', '<doctor><--send-test>'],
  ['hookline init --kind=bo\t', '<init><--kind=bot>'],
  ['hookline send --file req\t', '<send><--file><request.json>'],
  ['hookline send --example github.pus\t', '<send><--example><github.push>'],
  ['hookline url dep\t', '<url><deploy>'],
  ['hookline init --sender=strip\t', '<init><--sender=stripe>'],
] as const

test('bash completes six typed lines', () => {
  const shown = typedInBash(TYPED.map(([typed]) => typed))
  expect(shown.match(/<.*>/g)).toEqual(TYPED.map(([, wanted]) => wanted))
})

describe('the script of', () => {
  test.each(['bash', 'zsh', 'fish', 'powershell'])('%s asks for the words', async (shell) => {
    const { stdout, exitCode } = await runShared(['completion', shell])
    expect({ stdout, exitCode }).toEqual({
      stdout: expect.stringContaining('hookline completion words -- '),
      exitCode: 0,
    })
  })
})
