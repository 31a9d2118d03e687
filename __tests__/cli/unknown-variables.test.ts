import { expect, test } from '@jest/globals'
import { unknownVariables } from '../../src/cli/program.ts'

test('warns about each unknown HOOKLINE_ variable, with the nearest name', () => {
  const env = {
    HOOKLINE_GITHUB_TOKN: 'x',
    HOOKLINE_NOTHING_OF_THE_KIND: 'x',
    HOOKLINE_GITHUB_TOKEN: 'x',
    HOOKLINE_TEST_SLOWDOWN: '1',
    PORT: '1',
  }
  const shown = unknownVariables(env).map(({ message, hint }) => `${message}: ${hint}`)
  expect(shown).toEqual([
    expect.stringMatching(/HOOKLINE_GITHUB_TOKN: .*"HOOKLINE_GITHUB_TOKEN"/),
    expect.stringMatching(/HOOKLINE_NOTHING_OF_THE_KIND: .*unset/i),
  ])
})

test('a variable that an option names is none', () => {
  expect(unknownVariables({ HOOKLINE_MY_SECRET: 'x' }, ['HOOKLINE_MY_SECRET'])).toEqual([])
})
