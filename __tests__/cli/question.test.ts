import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, expect, test } from '@jest/globals'
import { askYesNo } from '../../src/cli/connect/question.ts'

const { stdin, stderr } = process
const define = (values: object) => {
  for (const [name, value] of Object.entries(values)) {
    Object.defineProperty(process, name, { value, configurable: true, enumerable: true })
  }
}
afterEach(() => define({ stdin, stderr }))

/** A question to a terminal, which shows what is typed. */
function asked(enter?: 'yes' | 'no', isTTY = true) {
  const [input, output] = [new PassThrough(), new PassThrough()]
  define({ stdin: Object.assign(input, { isTTY }), stderr: Object.assign(output, { isTTY }) })
  const stopping = new AbortController()
  const reason = new Error('stopped')
  const answer = askYesNo('Go on?', stopping.signal, () => stopping.abort(reason), enter)
  const printed = () => stripVTControlCharacters(String(output.read() ?? ''))
  return { input, output, answer, stopping, reason, printed }
}

test.each([
  ['\r', 'yes', true],
  ['\r', 'no', false],
  ['y\r', 'no', true],
  [' Yes \r', 'no', true],
  ['n\r', 'yes', false],
  ['x\r', 'yes', false],
  ['maybe y\r', 'yes', false],
  ['\u0004', 'yes', false],
] as const)('%j with the answer %s for Enter is %p', async (typed, enter, expected) => {
  const { input, answer, printed } = asked(enter)
  input.write(typed)
  expect(await answer).toBe(expected)
  expect(printed()).toMatch(enter === 'yes' ? /^Go on\? \[Y\/n\] / : /^Go on\? \[y\/N\] /)
  // The terminal is free again.
  expect(input.isPaused()).toBe(true)
})

test('Enter is yes if nothing else is said', async () => {
  const { input, answer } = asked()
  input.write('\r')
  expect(await answer).toBe(true)
})

test('a terminal that is closed answers no', async () => {
  const { input, answer } = asked()
  input.end()
  expect(await answer).toBe(false)
})

test('Ctrl-C interrupts, and the abort ends the line', async () => {
  const { input, output, answer, reason, printed } = asked()
  const shown = once(output, 'readable')
  input.write('\u0003')
  await expect(answer).rejects.toBe(reason)
  await shown
  // Some versions of Node end the line themselves.
  expect(printed()).toMatch(/^Go on\? \[Y\/n\] (?:\r\n)?\n$/)
})

test('an abort ends the question and its line', async () => {
  const { answer, stopping, reason, printed } = asked()
  stopping.abort(reason)
  await expect(answer).rejects.toBe(reason)
  expect(printed()).toMatch(/\n$/)
})

test('without a terminal the answer is no, and nothing is printed', async () => {
  const { answer, printed } = asked('yes', false)
  expect([await answer, printed()]).toEqual([false, ''])
})
