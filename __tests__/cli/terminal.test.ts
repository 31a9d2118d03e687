import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { keysOnTerminal } from '../../src/cli/keyboard.ts'
import { styled, withProgress } from '../../src/cli/terminal.ts'
import { printable, printableJson } from '../../src/wire/printable.ts'

const before = process.env.NO_COLOR

afterEach(() => {
  jest.useRealTimers()
  if (before === undefined) delete process.env.NO_COLOR
  else process.env.NO_COLOR = before
})

describe('colours', () => {
  const terminal = { isTTY: true, hasColors: () => true }
  const rows = [
    ['on a terminal', terminal, undefined, true],
    ['with an empty NO_COLOR', terminal, '', true],
    ['not with NO_COLOR', terminal, '1', false],
    [
      'not on a terminal without colours',
      { isTTY: true, hasColors: () => false },
      undefined,
      false,
    ],
    ['not in a pipe', {}, undefined, false],
  ] as const
  test.each(rows)('%s', (_, screen, noColor, isStyled) => {
    delete process.env.NO_COLOR
    if (noColor !== undefined) process.env.NO_COLOR = noColor
    expect(styled(screen, 'red', 'x')).toBe(isStyled ? '\u001b[31mx\u001b[39m' : 'x')
  })

  test('untrusted input adds no colors', () => {
    expect(printable('a\u001b[31mb\u009bc\u2028d\te\n')).toBe('a\ufffd[31mb\ufffdc\nd\te\n')
  })

  test('nor workflow commands', () => {
    expect(printable('  ::error::a\r##[set-output b]')).toBe('  : :error::a\n## [set-output b]')
    const value = { text: '\u009b2J ##[error]x\u202e', bare: 1 }
    const json = printableJson(JSON.stringify(value))
    expect(json).not.toMatch(/##\[|[\u0080-\u009f\u202e]/)
    expect(JSON.parse(json)).toEqual(value)
  })
})

describe('progress', () => {
  function output(isTTY: boolean) {
    const written: string[] = []
    return { isTTY, written, write: (text: string) => void written.push(text) }
  }

  async function shownAfter(milliseconds: number, screen: ReturnType<typeof output>) {
    jest.useFakeTimers()
    const work = new Promise((resolve) => setTimeout(() => resolve('done'), milliseconds))
    const waited = withProgress('asking', work, screen)
    await jest.advanceTimersByTimeAsync(milliseconds)
    expect(await waited).toBe('done')
    return screen.written
  }

  test.each([true, false])('prints nothing within a second, terminal: %s', async (isTTY) => {
    expect(await shownAfter(999, output(isTTY))).toEqual([])
  })

  test('counts the seconds on a terminal, and clears its line', async () => {
    const written = await shownAfter(2500, output(true))
    expect(written).toEqual(['\r\u001b[Kasking … 1 s', '\r\u001b[Kasking … 2 s', '\r\u001b[K'])
  })

  test('is one plain line elsewhere', async () => {
    expect(await shownAfter(2500, output(false))).toEqual(['asking …\n'])
  })

  test('goes away when the work fails', async () => {
    jest.useFakeTimers()
    const screen = output(true)
    const work = new Promise((_, reject) => setTimeout(() => reject(new Error('broken')), 1500))
    const waited = expect(withProgress('asking', work, screen)).rejects.toThrow('broken')
    await jest.advanceTimersByTimeAsync(1500)
    await waited
    await jest.advanceTimersByTimeAsync(5000)
    expect(screen.written.at(-1)).toBe('\r\u001b[K')
  })
})

describe('keys while running', () => {
  const { stdin, stdout, platform, env } = process
  const define = (values: object) => {
    for (const [name, value] of Object.entries(values)) {
      Object.defineProperty(process, name, { value, configurable: true, enumerable: true })
    }
  }
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'hookline-keys-'))
    define({ env: { PATH: folder, HOOKLINE_GITHUB_TOKEN: 'secret' } })
  })
  afterEach(() => {
    define({ stdin, stdout, platform, env })
    rmSync(folder, { recursive: true })
  })

  /** A `ps` that prints the state of this process, as those of macOS and the BSDs do. */
  const ps = (script: string) =>
    writeFileSync(join(folder, 'ps'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })

  function listening({ input = true, output = true, system = 'win32' } = {}) {
    const calls: string[] = []
    const listeners: Record<string, (text: string) => void> = {}
    define({
      platform: system,
      stdout: { isTTY: output },
      stdin: {
        isTTY: input,
        setRawMode: (raw: boolean) => calls.push(`raw ${raw}`),
        setEncoding: (encoding: string) => calls.push(encoding),
        on(event: string, listener: (text: string) => void) {
          listeners[event] = listener
        },
        off(event: string, listener: (text: string) => void) {
          if (listeners[event] === listener) delete listeners[event]
        },
        resume: () => calls.push('resume'),
        pause: () => calls.push('pause'),
      },
    })
    const pressed: unknown[] = []
    const keys = [
      { key: 'r', does: 'replay', press: (own: unknown) => void pressed.push('replay', own) },
      { key: 'q', does: 'quit', press: () => void pressed.push('quit') },
    ]
    const on = keysOnTerminal(keys, () => void pressed.push('interrupt'))
    return { on, pressed, calls, listeners, type: (text: string) => listeners.data?.(text) }
  }

  test('work in upper and lower case, and Ctrl-C still interrupts', () => {
    const { on, pressed, calls, type } = listening()
    for (const key of ['r', 'x', 'Q', 'r\u0003q']) type(key)
    expect(on.hint).toBe('keys: r replay, q quit')
    expect(pressed).toEqual(['replay', on, 'quit', 'interrupt'])
    expect(calls).toEqual(['utf8', 'raw true', 'resume'])
  })

  test('a pasted text presses no key', () => {
    const { pressed, type } = listening()
    type('whsec_rq')
    expect(pressed).toEqual([])
  })

  test('restore the terminal, and listen again', () => {
    const { on, pressed, calls, type } = listening()
    on.stop()
    type('q')
    expect(pressed).toEqual([])
    expect(calls.splice(0)).toEqual(['utf8', 'raw true', 'resume', 'raw false', 'pause'])
    on.start()
    type('q')
    expect(pressed).toEqual(['quit'])
    expect(calls).toEqual(['raw true', 'resume'])
  })

  test('a closed terminal is no error', () => {
    const { listeners, pressed } = listening()
    expect(() => listeners.error?.('')).not.toThrow()
    expect([Object.keys(listeners), pressed]).toEqual([['error', 'data'], []])
  })

  test.each([
    ['stdin is no terminal', { input: false }],
    ['stdout is no terminal', { output: false }],
    ['ps shows no plus', { system: 'darwin' }],
  ])('do not exist if %s', (_, surroundings) => {
    ps('echo S')
    const { on, calls, listeners } = listening(surroundings)
    on.stop()
    on.start()
    expect([on.hint, calls, listeners]).toEqual(['', [], {}])
  })

  test.each([
    ['shows a plus', `echo "$@ $HOOKLINE_GITHUB_TOKEN" > "$PATH/args"; echo S+`, 'keys: '],
    ['is missing', undefined, ''],
  ])('of a system without /proc exist if ps %s', (_, script, hint) => {
    if (script !== undefined) ps(script)
    expect(listening({ system: 'freebsd' }).on.hint.slice(0, 6)).toBe(hint)
    if (script === undefined) return
    expect(readFileSync(join(folder, 'args'), 'utf8')).toBe(`-o stat= -p ${process.pid} \n`)
  })
})
