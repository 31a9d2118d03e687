import { spawnSync } from 'node:child_process'
import { afterEach, describe, expect, test } from '@jest/globals'
import { CLI_BUNDLE } from '../../support/cli.ts'
import { type Dev, post, startDev } from '../../support/dev.ts'
import { EventReader } from '../../support/inspector.ts'

let dev: Dev | undefined

afterEach(async () => {
  await dev?.stop()
  dev = undefined
})

const FILES = { 'workflows/hook.yml': 'on: webhook' }

/**
 * The `script` of util-linux runs a command in its own terminal, and types its standard input
 * there.
 */
const SCRIPT = /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout)

/** After the command: whether the terminal is in line mode with echo again, as a shell expects. */
const TERMINAL_AFTER = "code=$?; stty -a | tr ' ;' '\\n\\n' | grep -x -e '-\\?icanon' -e '-\\?echo'"

function onTerminal(line: (command: string) => string, ...args: string[]): Promise<Dev> {
  const as = (all: readonly string[]) => {
    const command = [process.execPath, CLI_BUNDLE, ...all].map((arg) => `'${arg}'`).join(' ')
    return ['script', '-qfec', `${line(command)}; ${TERMINAL_AFTER}; exit $code`, '/dev/null']
  }
  return startDev({ files: FILES, args, as, env: { TERM: 'xterm' } })
}

const itself = (command: string) => command

const background = (command: string) =>
  `set -m; ${command} & job=$!; trap 'kill $job' HUP TERM; wait $job`

const HINT = /keys: r replay the last request, q quit/

;(SCRIPT ? describe : describe.skip)('on a terminal', () => {
  test('r sends the last request again, as a delivery of its own, and q quits', async () => {
    dev = await onTerminal(itself)
    const { command, url } = dev
    // biome-ignore lint/suspicious/noControlCharactersInRegex: dim begins and ends with a control character
    await command.printed(/\n\u001b\[2mkeys: .*\u001b\[22m\r\n/)
    command.type('r')
    await command.printed(/there is no request to replay/)
    const headers = { authorization: 'Bearer of-the-sender' }
    const first = await post(dev.hook('hook/webhook?a=1'), { x: 'é' }, headers)
    await fetch(`${url}/elsewhere`)
    command.type('r')
    const reader = new EventReader(url)
    const summaries = await reader.summaries(3)
    await reader.close()
    const [request, , replay] = summaries
    expect(summaries.map(({ origin }) => origin)).toEqual(['request', 'request', 'replay'])
    expect(request?.delivery).toBe(first.headers.get('x-hookline-delivery'))
    expect(replay?.delivery).not.toBe(request?.delivery)
    expect(replay).toMatchObject({ path: 'hook/webhook?a=1', outcome: 'fired', count: 1 })
    await command.printed(/body = \{"x":"é"\}[\s\S]*fired, 1 item[\s\S]*body = \{"x":"é"\}/)
    command.type('q')
    expect(await command.ended()).toBe(0)
    expect(command.stdout).toMatch(/\r\nicanon\r\necho\r\n$/)
  })

  test('Ctrl-C quits, and gives the terminal back', async () => {
    dev = await onTerminal(itself)
    await dev.command.printed(HINT)
    dev.command.type('\u0003')
    expect(await dev.command.ended()).toBe(0)
    expect(dev.command.stdout).toMatch(/\r\nicanon\r\necho\r\n$/)
  })

  test('a signal gives the terminal back too', async () => {
    dev = await onTerminal(
      (command) =>
        `(until [ -e stop ]; do sleep 0.1; done; kill -TERM 0) & trap '' TERM; ${command}`,
    )
    await dev.command.printed(HINT)
    await dev.write({ stop: '' })
    expect(await dev.command.ended()).toBe(0)
    expect(dev.command.stdout).toMatch(/\r\nicanon\r\necho\r\n$/)
  })

  test.each([
    ['with --json', itself, ['--json']],
    ['with the output in a pipe', (command: string) => `${command} | cat`, []],
    ['with the input from elsewhere', (command: string) => `${command} < /dev/null`, []],
    ['in the background', background, []],
  ] as const)('there are no keys %s', async (_, line, args) => {
    dev = await onTerminal(line, ...args)
    const { command } = dev
    command.type('rq')
    const answer = await post(dev.hook('hook/webhook'), {})
    expect(answer.status).toBe(200)
    await command.printed(/"triggered":true|fired, 1 item/)
    expect(command.stdout).not.toMatch(HINT)
    expect(command.stdout).not.toContain('nothing to replay')
  })
})

test('without a terminal nothing is read from standard input', async () => {
  dev = await startDev({ files: FILES })
  const { command } = dev
  await command.printed(/^Inspector /m)
  // More than the system's input buffer.
  command.type('q'.repeat(4 * 1024 * 1024))
  expect((await post(dev.hook('hook/webhook'), {})).status).toBe(200)
  await command.printed(/fired, 1 item/)
  expect(command.process.stdin?.writableLength).toBeGreaterThan(0)
  expect(command.stdout).not.toMatch(HINT)
})
