import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { describe, expect, test } from '@jest/globals'
import { RunningCommand, runShared } from '../support/cli.ts'

describe('exit codes of the command line', () => {
  const rows = [
    ['an unknown command', ['dve'], 2, /unknown command 'dve'[\s\S]*Did you mean dev\?/],
    ['a command like no other', ['frob'], 2, /'frob'\n\(Print the usage: hookline --help\)\n$/],
    ['no name', ['endpoint', 'create'], 2, /'name'\n.*: hookline endpoint create --help\)\n$/],
    ['no address', ['app', 'create'], 2, /specified\n.*: hookline app create --help\)\n$/],
    ['an unknown flag', ['dev', '--prot', '1'], 2, /unknown option '--prot'[\s\S]*--port/],
    ['a flag that is cut short', ['doctor', '--repo', 'o/r'], 2, /Did you mean --repository/],
    [
      'an unknown flag of a command of a command',
      ['endpoint', 'list', '--relay', 'x', '--jsn'],
      2,
      /unknown option '--jsn'/,
    ],
    ['a sender without its flag', ['init', 'stripe'], 2, /hookline init --sender stripe$/m],
    ['a sender of a polled bot', ['init', '--kind', 'bot', '--sender', 'stripe'], 2, /--kind bot/],
    [
      'a whole URL for a relay',
      ['send', 'https://x.example/o/r/hook/webhook', '--relay', 'https://x.example'],
      2,
      /--relay cannot be combined with a whole URL/,
    ],
    ['a port that is none', ['dev', '--port', 'x'], 1, /"x"/],
    ['help', ['--help'], 0, /^$/],
  ] as const
  test.each(rows)('%s', async (_, args, code, message) => {
    const { exitCode, stderr } = await runShared(args)
    expect(exitCode).toBe(code)
    expect(stderr).toMatch(message)
  })

  test.each([
    [
      'a mistake',
      ['send', 'localhost:1/a', '--sender', 'strype', '--json'],
      1,
      { code: 'failed', message: /"strype"/, notes: [/"stripe"/] },
    ],
    [
      'an unknown flag',
      ['send', '--jsno', '--json'],
      2,
      { code: 'wrong_usage', message: /unknown option '--jsno'/, notes: [] },
    ],
  ])('with --json %s is JSON too', async (_, args, code, wanted) => {
    const { exitCode, stdout } = await runShared(args)
    const match = (value: RegExp) => expect.stringMatching(value)
    expect(exitCode).toBe(code)
    expect(JSON.parse(stdout)).toEqual({
      error: { code: wanted.code, message: match(wanted.message), notes: wanted.notes.map(match) },
    })
  })

  /** Wrong usage of each command and subcommand, and a fault of its work. */
  const FAULTS: readonly (readonly string[])[] = [
    ['init', '--kind', 'x'],
    ['init', '--name', '../x'],
    ['connect', 'x'],
    ['connect'],
    ['dev', '--port', 'x'],
    ['dev', '--run', '--host', '127.0.0.1'],
    ['check', '--sarif'],
    ['build', '--dispatch'],
    ['send'],
    ['send', 'http://127.0.0.1:1/o/r/hook/webhook'],
    ['doctor', '--repository', 'x'],
    ['relay', '--port', 'x'],
    ['endpoint', 'lst'],
    ['deliveries', 'lst'],
    ['deliveries', '--relay', 'http://127.0.0.1:1'],
    ['deliveries', 'show', 'x', '--relay', 'http://127.0.0.1:1'],
    ['deliveries', 'replay', 'x', '--relay', 'http://127.0.0.1:1'],
    ['deliveries', 'delete', 'x', '--relay', 'http://127.0.0.1:1'],
    ['app', 'create', '--relay', 'x'],
    ['help', 'x'],
    ['nope'],
  ]

  test.each(FAULTS.map((args) => args.join(' ')))('%s --json fails in JSON', async (line) => {
    const { exitCode, stdout } = await runShared([...line.split(' '), '--json'])
    expect([1, 2]).toContain(exitCode)
    expect(JSON.parse(stdout)).toEqual({
      error: {
        code: expect.stringMatching(/^(?:failed|wrong_usage)$/),
        message: expect.stringMatching(/^[^(]/),
        notes: expect.any(Array),
      },
    })
  })

  test('every command has such a row', async () => {
    const { stdout } = await runShared(['--help'])
    const [, listed = ''] = /\nCommands:\n([\s\S]*?)\n\n/.exec(stdout) ?? []
    const names = [...listed.matchAll(/^ {2}(\w+)/gm)].map(([, name]) => name)
    expect(names.filter((name) => !FAULTS.some(([first]) => first === name))).toEqual([])
  })

  test.each([['-v'], ['--version'], ['--no-color', '-v']])('is 0 for %s %s', async (...args) => {
    const { exitCode, stdout, stderr } = await runShared(args)
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).toMatch(/^\d+\.\d+\.\d+/)
  })

  test.each([['dev'], ['relay', '--stateless']])(
    '%s on a port that is taken',
    async (...command) => {
      const server = createServer().listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const args = [...command, '--host', '127.0.0.1', '--port', String(port)]
      const env = {
        HOOKLINE_GITHUB_TOKEN: 'token',
        HOOKLINE_DEV_KEY: 'a-key-of-more-than-twenty-characters',
      }
      const second = new RunningCommand(args, { cwd: tmpdir(), env })
      const code = await second.ended()
      server.close()
      expect(code).toBe(1)
      expect(second.stderr).toMatch(/^error: .*127\.0\.0\.1:\d+\n {2}= /)
    },
  )

  test('dev with a missing --env-file', async () => {
    // Node 20 reads --env-file itself, at any position, and exits with its own code.
    const command = new RunningCommand(['dev', '--env-file', 'no.env'], { cwd: tmpdir() })
    expect([1, 9]).toContain(await command.ended())
    expect(command.stderr).toContain('no.env')
  })
})
