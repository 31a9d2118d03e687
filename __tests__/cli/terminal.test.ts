import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { type Keyboard, listenToKeys } from '../../src/cli/keyboard.ts'
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
  function keyboard(isTTY: boolean) {
    const calls: string[] = []
    let listener: ((text: string) => void) | undefined
    const fake: Keyboard = {
      isTTY,
      setRawMode: (raw) => calls.push(`raw ${raw}`),
      setEncoding: () => {},
      on: (event: string, added: (text: string) => void) => {
        if (event === 'data') listener = added
      },
      off: () => {
        listener = undefined
      },
      resume: () => calls.push('resume'),
      pause: () => calls.push('pause'),
    }
    return { fake, calls, type: (text: string) => listener?.(text) }
  }

  function listening(isTTY: boolean) {
    const pressed: string[] = []
    const { fake, calls, type } = keyboard(isTTY)
    const keys = [
      { key: 'r', does: 'replay', press: () => void pressed.push('replay') },
      { key: 'q', does: 'quit', press: () => void pressed.push('quit') },
    ]
    const { hint, stop } = listenToKeys(keys, fake, () => void pressed.push('interrupt'))
    return { hint, stop, pressed, calls, type }
  }

  test('work in upper and lower case, and Ctrl-C still interrupts', () => {
    const { hint, pressed, type } = listening(true)
    for (const key of ['r', 'x', 'Q']) type(key)
    type('\u0003')
    expect(hint).toBe('keys: r replay, q quit')
    expect(pressed).toEqual(['replay', 'quit', 'interrupt'])
  })

  test('a pasted text presses no key', () => {
    const { pressed, type } = listening(true)
    type('whsec_rq')
    expect(pressed).toEqual([])
  })

  test('restore the terminal', () => {
    const { stop, pressed, calls, type } = listening(true)
    stop()
    type('r')
    expect(pressed).toEqual([])
    expect(calls).toEqual(['raw true', 'resume', 'raw false', 'pause'])
  })

  test('do not read a standard input that is no terminal', () => {
    const { hint, calls } = listening(false)
    expect(hint).toBe('')
    expect(calls).toEqual([])
  })
})
